"""The calls of a LangChain message, which may stand in it more than once."""

from collections.abc import Iterator, Sequence
from typing import Any

from dsgc.messages import _media
from dsgc.messages._access import as_text, decoded, get, joined, plain
from dsgc.messages._pieces import Piece
from dsgc.messages.formats._contents import opaque

_CALLS = ("tool_call", "tool_use", "invalid_tool_call", "mcp_approval_request")
_SERVED = ("server_tool_call", "server_tool_use", "mcp_tool_use")
_FRAGMENTS = ("tool_call_chunk", "server_tool_call_chunk", "input_json_delta")


def extra(message: Any, name: str) -> Any:
    return get(get(message, "additional_kwargs"), name)


def is_call(block: Any) -> bool:
    kind = get(block, "type")
    if not isinstance(kind, str):
        return False
    return kind in (*_CALLS, *_SERVED, *_FRAGMENTS) or kind.endswith("_call")


def calls_of(message: Any, blocks: Sequence[Any]) -> list[Piece]:
    """Return each call once: of the message, then of its content, then as the provider had it."""
    invalid = get(message, "invalid_tool_calls") or ()
    calls = [
        *(_call(call, get(call, "id")) for call in get(message, "tool_calls") or ()),
        *(_call(call, get(call, "id"))._replace(awaits_result=False) for call in invalid),
    ]
    known = {"None", *(piece.key for piece in calls)}
    for piece in (*_calls_of_blocks(blocks), *_raw_calls(message)):
        if piece.key not in known:
            calls.append(piece)
            known |= {piece.key} - {""}
    legacy = extra(message, "function_call")
    if legacy and not any(piece.awaits_result for piece in calls):
        calls.append(_call(legacy, f"function {get(legacy, 'name') or ''}"))
    return calls


def _raw_calls(message: Any) -> Iterator[Piece]:
    for call in extra(message, "tool_calls") or ():
        body = get(call, "function") or get(call, "custom") or {}
        yield _call(body, get(call, "id"))


def _calls_of_blocks(blocks: Sequence[Any]) -> Iterator[Piece]:
    for block in filter(is_call, blocks):
        kind = get(block, "type")
        if kind in _CALLS or get(block, "call_id"):
            yield _call(block, get(block, "id") if kind in _CALLS else get(block, "call_id"))
        elif kind not in _FRAGMENTS:  # of a call that the provider itself answers
            told = opaque(block)
            media = _media.IMAGE if kind == "image_generation_call" else told.media
            yield _call(block, None)._replace(
                text=told.text, key="", media=media, awaits_result=False
            )


def _call(call: Any, key: Any) -> Piece:
    name = get(call, "name") or str(get(call, "type") or "").removesuffix("_call")
    fields = ("args", "arguments", "input", "action", "operation")
    given = next((get(call, field) for field in fields if get(call, field) is not None), None)
    text = joined(name, as_text(plain(given)))
    return Piece(
        0, 0, 0, "call", text, key=str(key or None), name=name, arguments=decoded(plain(given))
    )
