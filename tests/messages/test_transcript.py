"""A conversation as it was given: checked, read and priced."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.errors import InputTypeError, UnknownFormatError, UnreadableMessageError
from dsgc.messages import estimate_tokens, read_units
from dsgc.messages._transcript import checked_messages, read_transcript

CALL = {"id": "c1", "function": {"name": "read", "arguments": '{"path": "a.txt"}'}}
HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What do I need?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "Milk and bread."},
]


def test_messages_are_read_into_units_and_priced_one_by_one() -> None:
    transcript = read_transcript(HISTORY, "auto", estimate_tokens)
    assert transcript.form.name == "openai-chat"
    assert [unit.id for unit in transcript.units] == ["m0", "m1", "m2"]
    assert list(transcript.price_of) == [4 + 3, 4 + 4, 4 + 1 + 5, 4 + 4]
    assert transcript.tokens == 33


def test_the_messages_are_the_very_objects_in_a_list_of_its_own() -> None:
    transcript = read_transcript(HISTORY, "auto", len)
    assert transcript.messages is not HISTORY
    assert all(one is other for one, other in zip(transcript.messages, HISTORY, strict=True))


def test_orphans_are_paid_for_as_long_as_they_are_there() -> None:
    transcript = read_transcript(HISTORY[3:], "auto", len)
    assert (transcript.units, transcript.tokens) == ((), len("Milk and bread."))


@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), st.text())))
def test_all_messages_cost_their_texts_and_frames(said: list[tuple[str, str]]) -> None:
    cost = 0
    for _, text in said:
        cost += 4 + (len(text.encode()) + 3) // 4
    messages = [{"role": role, "content": text} for role, text in said]
    transcript = read_transcript(messages, "openai-chat", estimate_tokens)
    assert transcript.tokens == cost
    assert transcript.tokens == sum(
        transcript.pricing.pieces(unit.pieces) for unit in transcript.units
    )


@pytest.mark.parametrize(
    "messages", [HISTORY, tuple(HISTORY), iter(HISTORY), dict(enumerate(HISTORY)).values()]
)
def test_messages_may_come_in_any_iterable(messages: Any) -> None:
    assert checked_messages(messages) == HISTORY


@pytest.mark.parametrize(
    ("messages", "kind"),
    [("hello", "str"), (b"hello", "bytes"), (HISTORY[0], "dict"), (None, "NoneType"), (3, "int")],
)
def test_what_is_no_list_of_messages_is_refused(messages: Any, kind: str) -> None:
    message = rf"messages is of the type {kind}\. Give a list of messages\."
    with pytest.raises(InputTypeError, match=message):
        read_transcript(messages, "auto", len)
    with pytest.raises(InputTypeError, match=message):
        read_units(messages)


def test_units_are_read_without_a_price() -> None:
    units = read_units(iter(HISTORY))
    assert [(unit.id, unit.positions) for unit in units] == [
        ("m0", (0,)),
        ("m1", (1,)),
        ("m2", (2, 3)),
    ]
    assert read_units([]) == ()
    assert read_units(HISTORY[3:]) == ()


def test_units_are_read_in_the_format_that_is_named() -> None:
    message = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}
    assert read_units([message], format="anthropic") == ()
    with pytest.raises(UnknownFormatError, match="there is no format 'claude'"):
        read_units([message], format="claude")
    with pytest.raises(UnreadableMessageError, match=r"messages\[1\] .* read as openai-chat"):
        read_units([HISTORY[0], {"role": "robot"}])
