"""Gemini contents: role, and parts that each have one field."""

from collections.abc import Mapping, Sequence
from typing import Any

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._access import as_text, decoded, get, joined, plain, replaced
from dsgc.messages._format import Order
from dsgc.messages._pieces import Kind, Piece
from dsgc.messages.formats._contents import Told, kept, opaque, parts_of

_SIDES: dict[str, Kind] = {
    "user": "user",
    "model": "assistant",
    "function": "user",
    "tool": "user",
}
_FIELDS = (
    "function_call",
    "function_response",
    "tool_call",
    "tool_response",
    "executable_code",
    "code_execution_result",
    "inline_data",
    "file_data",
    "text",
)
_CAMEL = {
    name: head + rest.title().replace("_", "")
    for name in (*_FIELDS, "mime_type", "tool_type")
    for head, rest in [(name.split("_")[0], name.partition("_")[2])]
}
_PRICES = {"image": _media.IMAGE, "audio": _media.AUDIO, "video": _media.VIDEO}


class Gemini:
    """Contents of Gemini's API, as dicts in either spelling or as objects of the SDK.

    A `function_response` answers the `function_call` of its id, or, where one of them has no id,
    the first call of its name in the latest content that has one unanswered.
    """

    name = "gemini"
    order = Order(begins_with_user=True, calls_follow_user=True)

    def recognizes(self, messages: Sequence[Any]) -> bool:
        """Say whether a message has parts of this format's fields, or the role of its model."""
        return any(map(_is_marked, messages))

    def read(self, messages: Sequence[Any]) -> list[Piece]:
        """Read each part as a piece."""
        return _paired(
            [
                piece
                for position, message in enumerate(messages)
                for piece in _pieces(message, position)
            ]
        )

    def rebuild(self, message: Any, parts: Mapping[int, str | None]) -> Any:
        """Keep some parts, with other texts in the responses of some functions."""
        if isinstance(message, str):
            return message
        if _is_part(message):
            text = parts[0]
            return replaced(message) if text is None else _retold(message, text)
        inner = get(message, "parts")
        if inner is None or isinstance(inner, str):
            return replaced(message)
        return replaced(message, parts=kept(inner, parts, _retold))


def _spelling(item: Any, name: str) -> str:
    return _CAMEL[name] if isinstance(item, Mapping) and _CAMEL[name] in item else name


def _field(item: Any, name: str) -> Any:
    return get(item, _spelling(item, name))


def _retold(part: Any, text: str) -> Any:
    response = _field(part, "function_response")
    changes: dict[str, Any] = {"response": _response(get(response, "response"), text)}
    if get(response, "parts"):
        changes["parts"] = []
    return replaced(part, **{_spelling(part, "function_response"): replaced(response, **changes)})


def _response(before: Any, text: str) -> dict[str, Any]:
    key = _only_key(before)
    if key is not None:
        return {key: text}
    value = decoded(text)
    return value if isinstance(value, dict) else {"result": text}


def _only_key(response: Any) -> str | None:
    """Return the key of a response that is nothing but one text."""
    if not isinstance(response, Mapping) or len(response) != 1:
        return None
    [(key, value)] = response.items()
    return key if isinstance(value, str) else None


def _is_marked(message: Any) -> bool:
    parts = get(message, "parts")
    if get(message, "role") not in (None, *_SIDES) or not isinstance(parts, list | tuple):
        return False
    return get(message, "role") == "model" or any(map(_is_part, parts))


def _is_part(item: Any) -> bool:
    """Say whether this is a part, not a message nor a part of another format."""
    others = ("type", "kind", "part_kind", "role", "parts")
    return all(get(item, name) is None for name in others) and any(
        _field(item, name) is not None for name in _FIELDS
    )


def _pieces(message: Any, position: int) -> list[Piece]:
    role, parts = _opened(message, position)
    side = _SIDES[role]
    pieces = [_piece(part, side) for part in parts] or [Piece(0, 0, 0, side, "")]
    return [
        piece._replace(message=position, part=number, turn=position)
        for number, piece in enumerate(pieces)
    ]


def _opened(message: Any, position: int) -> tuple[str, Sequence[Any]]:
    if isinstance(message, str):
        return "user", (message,)
    if _is_part(message):  # the SDK takes texts and parts without a content around them, too
        return "user" if _field(message, "function_call") is None else "model", (message,)
    role, parts = get(message, "role"), get(message, "parts")
    if role not in (None, *_SIDES):
        what = f"has the role {role!r}, none of {', '.join(_SIDES)}"
        raise UnreadableMessageError(position, what, Gemini.name)
    if parts is None and (role is None or get(message, "content") is not None):
        raise UnreadableMessageError(position, "has no parts", Gemini.name)
    return role or "user", parts_of(parts, position, Gemini.name)


def _piece(part: Any, side: Kind) -> Piece:
    name = next((name for name in _FIELDS if _field(part, name) is not None), None)
    value = _field(part, name) if name else None
    if name in ("function_call", "tool_call"):
        return _call(value, name)
    if name in ("function_response", "tool_response"):
        return _result(value, name)
    text, media = _told(part, name, value)
    if side == "assistant" and get(part, "thought"):
        side = "reasoning"
    return Piece(0, 0, 0, side, text, media=media)


def _told(part: Any, name: str | None, value: Any) -> Told:
    match name:
        case "text":
            return Told(value)
        case "executable_code":
            return Told(get(value, "code") or "")
        case "code_execution_result":
            return Told(get(value, "output") or "")
        case "inline_data" | "file_data":
            return Told(media=_price(value))
    return Told(part) if isinstance(part, str) else opaque(part)


def _price(data: Any) -> int:
    sort = str(_field(data, "mime_type") or "").partition("/")[0]
    return _PRICES.get(sort, _media.FILE)


def _call(call: Any, field: str) -> Piece:
    name, given = _name(call), plain(get(call, "args"))
    text = joined(name, as_text(given))
    return Piece(0, 0, 0, "call", text, key=_key(call, field), name=name, arguments=decoded(given))


def _result(result: Any, field: str) -> Piece:
    response = get(result, "response")
    key = _only_key(response)
    text = as_text(response) if key is None else response[key]
    parts = get(result, "parts") or ()
    media = [_field(part, name) for part in parts for name in ("inline_data", "file_data")]
    return Piece(
        0,
        0,
        0,
        "result",
        text,
        key=_key(result, field),
        name=_name(result),
        media=sum(_price(data) for data in media if data is not None),
        replaceable=field == "function_response",
    )


def _name(call: Any) -> str:
    kind = _field(call, "tool_type")
    return get(call, "name") or str(getattr(kind, "value", kind) or "")


def _key(call: Any, field: str) -> str:
    server = "" if field.startswith("function") else "server "
    identity = get(call, "id")
    return f"{server}id {identity}" if identity else f"{server}name {_name(call)}"


def _paired(pieces: list[Piece]) -> list[Piece]:
    """Give a result that has no id, or whose call has none, the key of its call."""
    waiting: list[Piece] = []
    paired = []
    for piece in pieces:
        call = _answered(piece, waiting) if piece.kind == "result" else None
        if piece.kind == "call":
            waiting.append(piece)
        if call is None:
            paired.append(piece)
            continue
        waiting.remove(call)
        paired.append(piece._replace(key=call.key, by_order=not _has_id(call)))
    return paired


def _answered(result: Piece, waiting: Sequence[Piece]) -> Piece | None:
    same = [call for call in waiting if call.key == result.key and _has_id(call)]
    if same:
        return same[-1]
    named = [
        call
        for call in waiting
        if call.name == result.name
        and _is_server(call) == _is_server(result)
        and not (_has_id(call) and _has_id(result))
    ]
    latest = max((call.message for call in named), default=None)
    return next((call for call in named if call.message == latest), None)


def _has_id(piece: Piece) -> bool:
    return piece.key.startswith(("id ", "server id "))


def _is_server(piece: Piece) -> bool:
    return piece.key.startswith("server ")
