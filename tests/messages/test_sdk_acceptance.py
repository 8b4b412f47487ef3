"""What comes out is taken by the types of each provider's own package."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from anthropic.types import MessageParam
from google.genai import types as genai_types
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    convert_to_messages,
    convert_to_openai_messages,
    messages_from_dict,
    messages_to_dict,
)
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter, ValidationError
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    UserPromptPart,
    repair_messages,
)

from dsgc.errors import PinsOverBudgetError
from dsgc.messages import compact
from tests.messages.conversations import Content, Conversation, Style, conversations
from tests.messages.renderings import FORMATS, RENDERERS

CHAT: TypeAdapter[Any] = TypeAdapter(list[ChatCompletionMessageParam])
RESPONSES: TypeAdapter[Any] = TypeAdapter(list[ResponseInputItemParam])
ANTHROPIC: TypeAdapter[Any] = TypeAdapter(list[MessageParam])


def exhaust(value: Any) -> None:
    """Walk a validated value: what is annotated as an iterable is validated only then."""
    if isinstance(value, dict):
        for inner in value.values():
            exhaust(inner)
    elif isinstance(value, list | Iterator):
        for inner in value:
            exhaust(inner)


def accept_chat(messages: Sequence[Any]) -> None:
    exhaust(CHAT.validate_python(list(messages)))


def accept_responses(messages: Sequence[Any]) -> None:
    exhaust(RESPONSES.validate_python(list(messages)))


def accept_anthropic(messages: Sequence[Any]) -> None:
    exhaust(ANTHROPIC.validate_python(list(messages)))


def accept_gemini(messages: Sequence[Any]) -> None:
    for content in messages:
        genai_types.Content.model_validate(content)


def accept_langchain(messages: Sequence[Any]) -> None:
    assert convert_to_messages(messages) == list(messages)
    assert messages_from_dict(messages_to_dict(messages)) == list(messages)
    assert len(convert_to_openai_messages(messages)) == len(messages)


def accept_pydantic_ai(messages: Sequence[Any]) -> None:
    stored = ModelMessagesTypeAdapter.dump_json(list(messages))
    loaded = ModelMessagesTypeAdapter.validate_json(stored)
    assert [type(message) for message in loaded] == [type(message) for message in messages]
    kinds = [[part.part_kind for part in message.parts] for message in messages]
    assert [[part.part_kind for part in message.parts] for message in loaded] == kinds


ACCEPT: dict[str, Callable[[Sequence[Any]], None]] = {
    "openai-chat": accept_chat,
    "openai-responses": accept_responses,
    "anthropic": accept_anthropic,
    "gemini": accept_gemini,
    "langchain": accept_langchain,
    "pydantic-ai": accept_pydantic_ai,
}


def acceptable(value: Any, name: str) -> Any:
    """Return the conversation without what the package itself refuses.

    No type holds a lone surrogate, also not from JSON's escape, and OpenAI chat has no images in
    results.
    """
    if isinstance(value, str):
        return value.replace("\\ud800", "?").encode(errors="replace").decode()
    if isinstance(value, tuple):
        return tuple(acceptable(inner, name) for inner in value)
    if isinstance(value, Content) and name == "openai-chat":
        return Content(acceptable(value.text, name), image=False, error=value.error)
    if is_dataclass(value) and not isinstance(value, Style | type):
        inside = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **{key: acceptable(inner, name) for key, inner in inside.items()})
    return value


def compacted(
    name: str, conversation: Conversation, tenths: int
) -> tuple[list[Any], list[Any] | None]:
    messages = RENDERERS[name](acceptable(conversation, name))
    total = compact(messages, 10**12, format=name).tokens_before
    try:
        return messages, compact(messages, total * tenths // 10, format=name).messages
    except PinsOverBudgetError:
        return messages, None


@pytest.mark.parametrize("name", FORMATS)
@given(conversation=conversations(), tenths=st.integers(1, 9))
def test_the_package_takes_what_comes_out(
    name: str, conversation: Conversation, tenths: int
) -> None:
    given_messages, output = compacted(name, conversation, tenths)
    ACCEPT[name](given_messages)
    if output is not None:
        ACCEPT[name](output)


@given(conversation=conversations(broken=False), tenths=st.integers(1, 9))
def test_pydantic_ai_has_nothing_to_repair(conversation: Conversation, tenths: int) -> None:
    _, output = compacted("pydantic-ai", conversation, tenths)
    if output is not None:
        repaired = repair_messages(output)
        parts = [id(part) for message in output for part in message.parts]
        assert sorted(id(part) for message in repaired for part in message.parts) == sorted(parts)


@pytest.mark.parametrize(
    ("accept", "refused"),
    [
        (accept_chat, {"role": "tool", "tool_call_id": "c", "content": [{"type": "image_url"}]}),
        (accept_responses, {"type": "function_call_output", "call_id": "c", "output": 1}),
        (accept_anthropic, {"role": "user", "content": [{"type": "tool_result"}]}),
        (accept_gemini, {"role": "user", "parts": [{"function_response": {"response": "x"}}]}),
    ],
    ids=["openai-chat", "openai-responses", "anthropic", "gemini"],
)
def test_the_types_do_refuse_what_is_wrong(
    accept: Callable[[Sequence[Any]], None], refused: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError, match="validation error"):
        accept([refused])


def test_a_request_with_everything_comes_back_from_storage() -> None:
    request = ModelRequest([SystemPromptPart("be brief"), UserPromptPart("hello")])
    output = compact([request, ModelResponse([])], 1_000, format="pydantic-ai").messages
    accept_pydantic_ai(output)
    assert output[0] is request
