"""LangChain: `tool_calls[].id` = `tool_call_id`; blocks that repeat them agree."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from tests.messages.validity._atoms import Atom
from tests.messages.validity._rules import Checker, comparable
from tests.messages.validity.openai_chat import texts


def atoms(messages: Sequence[Any]) -> list[Atom]:
    return [atom for index, message in enumerate(messages) for atom in _atoms(index, message)]


def _atoms(position: int, message: BaseMessage) -> list[Atom]:
    said = comparable(message.content)
    if isinstance(message, SystemMessage):
        return [Atom("system", position, said)]
    if isinstance(message, HumanMessage):
        return [Atom("user", position, said)]
    if isinstance(message, ToolMessage):
        keys = frozenset({f"id {message.tool_call_id}"})
        return [Atom("result", position, said, keys, _texts(message))]
    if isinstance(message, FunctionMessage):
        keys = frozenset({f"name {message.name}"})
        return [Atom("result", position, said, keys, _texts(message))]
    assert isinstance(message, AIMessage)
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    found = [
        Atom("call", position, comparable(call), frozenset({f"id {call['id']}"})) for call in calls
    ]
    legacy = message.additional_kwargs.get("function_call")
    if legacy and not calls:
        keys = frozenset({f"name {legacy['name']}"})
        found.append(Atom("call", position, comparable(legacy), keys))
    return [Atom("assistant", position, said), *found]


def _texts(message: BaseMessage) -> tuple[str, ...]:
    content = message.content
    if isinstance(content, str):
        return (content,)
    plain = [part for part in content if isinstance(part, str)]
    return (*plain, *texts([part for part in content if isinstance(part, dict)]))


def shape(messages: Sequence[Any]) -> list[str]:
    found = []
    for message in messages:
        calls = [call["id"] for call in getattr(message, "tool_calls", ())]
        if message.content == [] and not calls:
            found.append(f"a {message.type} message has an empty list of blocks")
        content = message.content if isinstance(message.content, list) else []
        found += [
            f"the block {block['id']} is no call of its message"
            for block in content
            if isinstance(block, dict) and block.get("type") == "tool_use"
            if block["id"] not in calls
        ]
        if message.type != "ai" and any(
            isinstance(block, dict) and block.get("type") == "thinking" for block in content
        ):
            found.append(f"a {message.type} message thinks")
    return found


LANGCHAIN = Checker(atoms, shape, user_begins=True)
