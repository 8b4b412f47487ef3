"""OpenAI chat: `tool_calls[].id` = `tool_call_id`; the legacy function call is matched by name."""

from collections.abc import Sequence
from typing import Any

from tests.messages.validity._atoms import Atom
from tests.messages.validity._rules import Checker, comparable


def atoms(messages: Sequence[Any]) -> list[Atom]:
    return [atom for index, message in enumerate(messages) for atom in _atoms(index, message)]


def _atoms(position: int, message: dict[str, Any]) -> list[Atom]:
    role, content = message["role"], message.get("content")
    said = comparable(content)
    if role in {"system", "developer"}:
        return [Atom("system", position, said)]
    if role == "user":
        return [Atom("user", position, said)]
    if role == "tool":
        key = f"id {message['tool_call_id']}"
        return [Atom("result", position, said, frozenset({key}), texts(content))]
    if role == "function":
        return [
            Atom("result", position, said, frozenset({f"name {message['name']}"}), texts(content))
        ]
    found = [] if content is None else [Atom("assistant", position, said)]
    found += [
        Atom("call", position, comparable(call), frozenset({f"id {call['id']}"}))
        for call in message.get("tool_calls") or ()
    ]
    legacy = message.get("function_call")
    if legacy:
        key = f"name {legacy['name']}"
        found.append(Atom("call", position, comparable(legacy), frozenset({key})))
    return found


def texts(content: Any) -> tuple[str, ...]:
    """Return the texts of a content that is a text or a list of parts."""
    if isinstance(content, str):
        return (content,)
    return tuple(part["text"] for part in content or () if "text" in part)


def shape(messages: Sequence[Any]) -> list[str]:
    found = []
    for message in messages:
        role, content = message["role"], message.get("content")
        calls = message.get("tool_calls") or message.get("function_call")
        if content == []:
            found.append(f"a {role} message has an empty list of parts")
        if content is None and (role != "assistant" or not calls):
            found.append(f"a {role} message has no content")
        if message.get("tool_calls") == []:
            found.append("an assistant message has an empty list of calls")
    return found


OPENAI_CHAT = Checker(atoms, shape, user_begins=False)
