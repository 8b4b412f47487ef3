"""Anthropic messages: role, and content that is a text or a list of blocks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._access import as_text, decoded, get, joined, plain, replaced
from dsgc.messages._format import Order
from dsgc.messages._pieces import Kind, Piece
from dsgc.messages.formats._contents import (
    Told,
    encoded,
    kept,
    opaque,
    parts_of,
    retold_content,
    together,
)

_SIDES: dict[str, Kind] = {"user": "user", "assistant": "assistant", "system": "system"}
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_REASONING = ("thinking", "redacted_thinking")
_SUMMARY = "compaction"
_MARKS = (*_CALLS, *_REASONING, "tool_result", "search_result", "container_upload", _SUMMARY)
_CHAT_ROLES = ("tool", "function", "developer")


class Anthropic:
    """Messages of Anthropic's API, as dicts or with the blocks that a response has.

    A `tool_result` answers the `tool_use` of its `tool_use_id`; so do the results of tools that
    run on the server, which stand in messages of the assistant. What code on the server called
    (`caller`) stays with that code.
    """

    name = "anthropic"
    order = Order(begins_with_user=True, reasoning_leads=True)

    def recognizes(self, messages: Sequence[Any]) -> bool:
        """Say whether a message has a block that only this format has."""
        return any(map(_is_marked, messages)) and not any(map(_is_chat, messages))

    def read(self, messages: Sequence[Any]) -> list[Piece]:
        """Read each block as a piece; a text instead of blocks is one piece."""
        pieces: list[Piece] = []
        turns: dict[str, int] = {}
        for position, message in enumerate(messages):
            pieces += _pieces(message, position, turns)
        summaries = [number for number, piece in enumerate(pieces) if piece.pinned]
        for number in summaries[:-1]:  # the latest stands for all that was before it
            pieces[number] = pieces[number]._replace(pinned=False)
        return pieces

    def rebuild(self, message: Any, parts: Mapping[int, str | None]) -> Any:
        """Keep some blocks, with other texts as the whole content of some results."""
        content = get(message, "content")
        if content is None or isinstance(content, str):
            return replaced(message)
        return replaced(message, content=kept(content, parts, _retold))


def _retold(block: Any, text: str) -> Any:
    return replaced(block, content=retold_content(get(block, "content"), text))


def _is_marked(message: Any) -> bool:
    content = get(message, "content")
    if get(message, "role") not in tuple(_SIDES) or not isinstance(content, list | tuple):
        return False
    if get(message, "type") not in (None, "message"):  # such as ChatMessage of LangChain
        return False
    return any(map(_is_mark, content))


def _is_mark(block: Any) -> bool:
    kind = get(block, "type")
    if kind in ("image", "document"):
        return get(block, "source") is not None
    return isinstance(kind, str) and (kind in _MARKS or kind.endswith("_tool_result"))


def _is_chat(message: Any) -> bool:
    """Say whether this is chat of OpenAI's kind; proxies put blocks of Anthropic's into it."""
    return get(message, "role") in _CHAT_ROLES or bool(get(message, "tool_calls"))


def _pieces(message: Any, position: int, turns: dict[str, int]) -> list[Piece]:
    role = get(message, "role")
    side = _SIDES.get(role) if isinstance(role, str) else None
    if side is None:
        raise UnreadableMessageError(
            position, f"has the role {role!r}, none of {', '.join(_SIDES)}", Anthropic.name
        )
    blocks = parts_of(get(message, "content"), position, Anthropic.name)
    callers = [get(get(block, "caller"), "tool_id") for block in blocks]
    turn = next(
        (turns[caller] for caller in callers if isinstance(caller, str) and caller in turns),
        position,
    )
    pieces = [_piece(block, side) for block in blocks] or [Piece(0, 0, 0, side, "")]
    turns.update({piece.key: turn for piece in pieces if piece.kind == "call"})
    return [
        piece._replace(message=position, part=part, turn=turn) for part, piece in enumerate(pieces)
    ]


def _piece(block: Any, side: Kind) -> Piece:
    kind = str(get(block, "type"))
    if kind in _CALLS:
        return _call(block)
    if kind == "tool_result" or kind.endswith("_tool_result"):
        return _result(block, kind)
    text, media = _told(block)
    is_summary = kind == _SUMMARY and bool(get(block, "content"))
    return Piece(
        0, 0, 0, "reasoning" if kind in _REASONING else side, text, media=media, pinned=is_summary
    )


def _call(block: Any) -> Piece:
    name, given = get(block, "name") or "", plain(get(block, "input"))
    text = joined(name, as_text(given))
    key = str(get(block, "id") or None)
    return Piece(0, 0, 0, "call", text, key=key, name=name, arguments=decoded(given))


def _result(block: Any, kind: str) -> Piece:
    content = get(block, "content")
    text, media = _told_all(content)
    key = str(get(block, "tool_use_id") or None)
    replaceable = kind == "tool_result" and not _loads_tools(content)
    return Piece(0, 0, 0, "result", text, key=key, media=media, replaceable=replaceable)


def _loads_tools(content: Any) -> bool:
    if not isinstance(content, list | tuple):
        return False
    return any(get(block, "type") == "tool_reference" for block in content)


def _told_all(content: Any) -> Told:
    if content is None:
        return Told()
    if isinstance(content, list | tuple):
        return together(map(_told, content))
    return _told(content)


def _told(block: Any) -> Told:
    if isinstance(block, str):
        return Told(block)
    kind = str(get(block, "type"))
    if kind in _READERS:
        return _READERS[kind](block)
    is_outcome = kind.endswith("_result") and isinstance(plain(block), Mapping)
    return _outcome(block) if is_outcome else opaque(block)


def _search_result(block: Any) -> Told:
    text, media = _told_all(get(block, "content"))
    return Told(joined(get(block, "title") or "", get(block, "source") or "", text), media)


def _document(block: Any) -> Told:
    source = get(block, "source")
    match get(source, "type"):
        case "text":
            text, media = get(source, "data") or "", 0
        case "content":
            text, media = _told_all(get(source, "content"))
        case _:
            text, media = "", _media.FILE
    return Told(joined(get(block, "title") or "", get(block, "context") or "", text), media)


def _outcome(block: Any) -> Told:
    """Return what a tool of the server found or printed, one field a line."""
    fields = [
        Told(media=encoded(value)) if str(name).startswith("encrypted_") else _field(value)
        for name, value in dict(block).items()
        if name != "type"
    ]
    return Told(joined(*(told.text for told in fields)), sum(told.media for told in fields))


def _field(value: Any) -> Told:
    return Told(str(value)) if isinstance(value, int | float) else _told_all(value)


_READERS: dict[str, Callable[[Any], Told]] = {
    "text": lambda block: Told(get(block, "text") or ""),
    "thinking": lambda block: Told(get(block, "thinking") or ""),
    "redacted_thinking": lambda block: Told(media=encoded(get(block, "data"))),
    "image": lambda _: Told(media=_media.IMAGE),
    "document": _document,
    "search_result": _search_result,
}
