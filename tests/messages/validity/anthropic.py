"""Anthropic: `tool_use.id` = `tool_result.tool_use_id` per block; thinking stays in its turn."""

from collections.abc import Sequence
from typing import Any

from tests.messages.validity._atoms import Atom, Kind
from tests.messages.validity._rules import Checker, comparable
from tests.messages.validity.openai_chat import texts

THINKING = {"thinking", "redacted_thinking"}


def atoms(messages: Sequence[Any]) -> list[Atom]:
    return [
        _atom(index, message["role"], block)
        for index, message in enumerate(messages)
        for block in blocks(message)
    ]


def blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _atom(position: int, role: str, block: dict[str, Any]) -> Atom:
    kind, said = block["type"], comparable(block)
    if kind in {"tool_use", "server_tool_use"}:
        return Atom("call", position, said, frozenset({block["id"]}))
    if kind.endswith("tool_result"):
        keys = frozenset({block["tool_use_id"]})
        found = texts(block.get("content")) if kind == "tool_result" else ()
        return Atom("result", position, said, keys, found)
    if kind in THINKING:
        return Atom("reasoning", position, said)
    speakers: dict[str, Kind] = {"user": "user", "assistant": "assistant", "system": "system"}
    return Atom(speakers[role], position, said)


def shape(messages: Sequence[Any]) -> list[str]:
    found = []
    for message in messages:
        role, inside = message["role"], blocks(message)
        kinds = [block["type"] for block in inside]
        if not inside:
            found.append(f"a {role} message has an empty list of blocks")
        if role != "assistant" and THINKING & set(kinds):
            found.append(f"a {role} message thinks")
        if role == "assistant" and kinds and kinds[-1] in THINKING:
            found.append("an assistant message ends with thinking")
        found += [
            f"the thinking {block['thinking'][:30]!r} has no signature"
            for block in inside
            if block["type"] == "thinking" and not block.get("signature")
        ]
        for block in inside:
            if block["type"] == "tool_result":
                found += _result_problems(role, block)
            if block["type"] == "tool_use" and role != "assistant":
                found.append(f"a {role} message uses a tool")
            if block["type"] == "text" and not block["text"]:
                found.append(f"a {role} message has an empty text")
    return found


def _result_problems(role: str, block: dict[str, Any]) -> list[str]:
    found = []
    if role != "user":
        found.append(f"a {role} message holds the result of a client's tool")
    if block.get("content") == []:
        found.append("a result has an empty list of blocks")
    inner = block.get("content")
    if isinstance(inner, list) and any(part.get("text") == "" for part in inner):
        found.append("a result has an empty text block")
    return found


ANTHROPIC = Checker(atoms, shape, user_begins=True)
