"""pydantic-ai: `tool_call_id` of call, return and retry, part by part."""

from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
)

from tests.messages.validity._atoms import Atom
from tests.messages.validity._rules import Checker, comparable


def atoms(messages: Sequence[Any]) -> list[Atom]:
    return [
        _atom(index, isinstance(message, ModelResponse), part)
        for index, message in enumerate(messages)
        for part in message.parts
    ]


def _atom(position: int, is_response: bool, part: Any) -> Atom:
    if isinstance(part, ToolCallPart):
        said = comparable([part.tool_name, part.args])
        return Atom("call", position, said, frozenset({part.tool_call_id}))
    if _answers(part):
        said = comparable(part.content)
        return Atom("result", position, said, frozenset({part.tool_call_id}), _texts(part.content))
    said = comparable(part)
    if isinstance(part, ThinkingPart):
        return Atom("reasoning", position, said)
    if isinstance(part, SystemPromptPart):
        return Atom("system", position, said)
    return Atom("assistant" if is_response else "user", position, said)


def _answers(part: Any) -> bool:
    if isinstance(part, RetryPromptPart):
        return part.tool_name is not None
    return isinstance(part, ToolReturnPart)


def _texts(content: Any) -> tuple[str, ...]:
    if isinstance(content, str):
        return (content,)
    if isinstance(content, list | tuple):
        return tuple(item for item in content if isinstance(item, str))
    return ()


def shape(messages: Sequence[Any]) -> list[str]:
    found = []
    for message in messages:
        if not message.parts:
            found.append(f"a {message.kind} has no parts")
        for part in message.parts:
            if isinstance(message, ModelRequest) and isinstance(part, ThinkingPart | ToolCallPart):
                found.append(f"a request has a part of kind {part.part_kind}")
            if isinstance(message, ModelResponse) and _answers(part):
                found.append(f"a response has a part of kind {part.part_kind}")
    return found


PYDANTIC_AI = Checker(atoms, shape, user_begins=True)
