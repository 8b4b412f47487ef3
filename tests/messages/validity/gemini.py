"""Gemini: ids where set, otherwise name and order; calls follow the user or a response."""

from collections.abc import Sequence
from typing import Any

from tests.messages.validity._atoms import Atom
from tests.messages.validity._rules import Checker, comparable


def atoms(messages: Sequence[Any]) -> list[Atom]:
    return [
        _atom(index, content.get("role", "user"), part)
        for index, content in enumerate(messages)
        for part in content.get("parts") or ()
    ]


def field(part: dict[str, Any], snake: str, camel: str) -> Any:
    return part.get(snake, part.get(camel))


def _call(part: dict[str, Any]) -> Any:
    return field(part, "function_call", "functionCall")


def _response(part: dict[str, Any]) -> Any:
    return field(part, "function_response", "functionResponse")


def _atom(position: int, role: str, part: dict[str, Any]) -> Atom:
    said = comparable(part)
    if _call(part) is not None:
        return Atom("call", position, said, _keys(_call(part)))
    if _response(part) is not None:
        value = _response(part).get("response") or {}
        found = tuple(inner for inner in value.values() if isinstance(inner, str))
        return Atom("result", position, said, _keys(_response(part)), found)
    if part.get("thought"):
        return Atom("reasoning", position, said)
    return Atom("assistant" if role == "model" else "user", position, said)


def _keys(value: dict[str, Any]) -> frozenset[str]:
    return frozenset({f"id {value['id']}" if value.get("id") else f"name {value['name']}"})


def shape(messages: Sequence[Any]) -> list[str]:
    found = []
    previous_role, is_waiting = "model", False  # a call that nothing has answered must stay
    for content in messages:
        role, parts = content.get("role", "user"), content.get("parts") or ()
        if not parts:
            found.append(f"a {role} content has no parts")
        calls = [comparable(_call(part)) for part in parts if _call(part) is not None]
        if calls and previous_role == "model" and not is_waiting:
            found.append(f"the calls {calls} follow neither the user nor a response")
        if calls and role != "model":
            found.append(f"the calls {calls} are not the model's")
        if role == "model" and any(_response(part) is not None for part in parts):
            found.append("the model responds to its own call")
        if role != "model" and any(part.get("thought") for part in parts):
            found.append(f"a {role} content thinks")
        previous_role, is_waiting = role, bool(calls)
    return found


GEMINI = Checker(atoms, shape, user_begins=True)
