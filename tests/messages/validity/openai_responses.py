"""OpenAI Responses: `call_id` = `call_id`; a reasoning item stays with the item after it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tests.messages.validity._atoms import Atom, Kind
from tests.messages.validity._rules import Checker, comparable
from tests.messages.validity.openai_chat import texts

CLIENT_CALLS = ("function_call", "custom_tool_call", "computer_call", "shell_call")
CALL_KEYS = {
    **dict.fromkeys((*CLIENT_CALLS, "apply_patch_call"), ("call_id",)),
    "local_shell_call": ("id", "call_id"),
    "mcp_approval_request": ("id",),
}
RESULT_KEYS = {
    **{f"{kind}_output": "call_id" for kind in (*CLIENT_CALLS, "apply_patch_call")},
    "local_shell_call_output": "id",
    "mcp_approval_response": "approval_request_id",
}
SPEAKERS: dict[str, Kind] = {"user": "user", "system": "system", "developer": "system"}


def atoms(messages: Sequence[Any]) -> list[Atom]:
    return [_atom(index, item) for index, item in enumerate(messages)]


def _atom(position: int, item: dict[str, Any]) -> Atom:
    kind, said = item.get("type", "message"), comparable(item)
    family = kind.split("_")[0] if kind.startswith(("local", "mcp")) else "call"
    if kind in CALL_KEYS:
        keys = frozenset(f"{family} {item[name]}" for name in CALL_KEYS[kind] if name in item)
        return Atom("call", position, said, keys)
    if kind in RESULT_KEYS:
        keys = frozenset({f"{family} {item[RESULT_KEYS[kind]]}"})
        return Atom("result", position, said, keys, _texts(item.get("output")))
    if kind == "reasoning":
        return Atom("reasoning", position, said)
    return Atom(SPEAKERS.get(item.get("role", "assistant"), "assistant"), position, said)


def _texts(output: Any) -> tuple[str, ...]:
    return () if isinstance(output, dict) else texts(output)


def shape(messages: Sequence[Any]) -> list[str]:
    found = []
    items = atoms(messages)
    for item, (atom, follower) in zip(messages, pairwise([*items, None]), strict=True):
        assert atom is not None
        if atom.kind == "reasoning" and (
            follower is None or follower.kind not in {"reasoning", "call", "assistant"}
        ):
            found.append(f"the item after the reasoning {item['id']} is gone")
        if item.get("content", item.get("output")) == [] and atom.kind != "reasoning":
            found.append(f"an item of kind {atom.kind} has an empty list of parts")
    return found


def relative(after: Sequence[Any], before: Sequence[Any]) -> list[str]:
    """What stood on both sides of the end of a reasoning item still does, or is gone with it."""
    found = []
    for first, second in _bound(before):
        kept = [any(item == other for other in after) for item in (first, second)]
        if all(kept):
            if (first, second) not in list(_bound(after)):
                found.append(f"{second} does not follow the reasoning {first['id']} any more")
        elif any(kept):
            found.append(f"reasoning {first['id']} and the item after it are not together")
    return found


def _bound(items: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return each reasoning item with the item after it."""
    return [pair for pair in pairwise(items) if pair[0].get("type") == "reasoning"]


OPENAI_RESPONSES = Checker(atoms, shape, user_begins=False, whole_turns=False, relative=relative)
