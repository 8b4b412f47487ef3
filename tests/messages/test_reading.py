"""Whatever JSON is given as messages, it is compacted or refused, and never crashed on."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.errors import DsgcError, UnreadableMessageError
from dsgc.messages import compact, read_units

FORMATS = ["auto", "openai-chat", "openai-responses", "anthropic", "gemini"]
KEYS = [
    "role", "content", "type", "text", "parts", "tool_calls", "function", "arguments", "name",
    "tool_call_id", "call_id", "output", "id", "input", "tool_use_id", "functionCall", "args",
    "functionResponse", "response", "summary", "thinking",
]  # fmt: skip
WORDS = [
    "user", "assistant", "tool", "system", "model", "text", "function", "function_call",
    "function_call_output", "tool_use", "tool_result", "reasoning", "thinking", "message", "c1",
]  # fmt: skip
LEAVES = st.one_of(st.sampled_from(WORDS), st.none(), st.booleans(), st.integers(-9, 9))
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=8,
)
ROLES = st.sampled_from(["user", "assistant", "tool", "system", "model"])
MESSAGES = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4).flatmap(
    lambda message: ROLES.map(lambda role: {"role": role, **message})
)


@given(st.lists(MESSAGES | VALUES, max_size=5), st.sampled_from(FORMATS))
def test_what_is_readable_is_compacted_without_a_crash(messages: list[Any], form: str) -> None:
    with suppress(DsgcError):  # refused is well; any other error fails the test
        compact(messages, 30, format=form).to_dict()


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("openai-chat", {"role": "user", "content": [{"type": "text", "text": 5}]}),
        ("openai-chat", {"role": "assistant", "tool_calls": 5}),
        ("anthropic", {"role": "user", "content": [{"type": "text", "text": {"a": 1}}]}),
        ("gemini", {"role": "user", "parts": [{"text": ["a"]}]}),
    ],
)
def test_a_field_of_a_wrong_kind_is_refused_by_the_position_of_its_message(
    form: str, message: Any
) -> None:
    healthy = {"role": "user", "parts" if form == "gemini" else "content": []}
    with pytest.raises(UnreadableMessageError, match=r"^messages\[2\] has a field of") as refused:
        read_units([healthy, healthy, message], format=form)
    assert form in str(refused.value)


def test_what_the_format_refuses_itself_is_left_to_it() -> None:
    with pytest.raises(UnreadableMessageError, match=r"messages\[0\] has the role 'robot'"):
        read_units([{"role": "robot"}], format="openai-chat")
