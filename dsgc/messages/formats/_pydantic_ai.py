"""pydantic-ai: requests and responses, made of parts."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._access import as_text, decoded, get, joined, replaced
from dsgc.messages._format import Order
from dsgc.messages._pieces import Kind, Piece
from dsgc.messages.formats._contents import Told, encoded, kept, opaque, parts_of, together

_SIDES: dict[str, Kind] = {"request": "user", "response": "assistant"}
_CALLS = ("tool-call", "builtin-tool-call", "native-tool-call")
_RETURNS = ("tool-return", "builtin-tool-return", "native-tool-return")
_TOLD_BY_CONTENT: dict[str, Kind] = {
    "system-prompt": "system",
    "user-prompt": "user",
    "text": "assistant",
    "file": "assistant",
}
_RECORDS = (  # of what holds from here on; most of them are never sent
    "instruction",
    "instruction-delta",
    "instruction-baseline",
    "tool-availability-delta",
    "capability-load-delta",
    "model-settings-delta",
)
_PRICES = {
    "image-url": _media.IMAGE,
    "audio-url": _media.AUDIO,
    "video-url": _media.VIDEO,
    "document-url": _media.FILE,
}
_PRICES_BY_TYPE = {"image": _media.IMAGE, "audio": _media.AUDIO, "video": _media.VIDEO}
_FILES = (*_PRICES, "binary", "uploaded-file")
_TEXTS = ("text-content", "structured-content")


class PydanticAI:
    """`ModelRequest` and `ModelResponse`, or what they are in JSON.

    A return or a retry answers the call of its `tool_call_id`, part by part: one request may hold
    several, and what the user says besides.
    """

    name = "pydantic-ai"
    order = Order(begins_with_user=True)

    def recognizes(self, messages: Sequence[Any]) -> bool:
        """Say whether a message is a request or a response made of parts."""
        return any(map(_is_message, messages))

    def read(self, messages: Sequence[Any]) -> list[Piece]:
        """Read each part as a piece; a message without parts is one piece that says nothing."""
        pieces: list[Piece] = []
        responses = [n for n, message in enumerate(messages) if get(message, "kind") == "response"]
        for position, message in enumerate(messages):
            if not _is_message(message):
                what = f"is a {type(message).__name__}, neither a request nor a response with parts"
                raise UnreadableMessageError(position, what, PydanticAI.name)
            pieces += _pieces(message, position, is_answered=position < max(responses, default=0))
        return pieces

    def rebuild(self, message: Any, parts: Mapping[int, str | None]) -> Any:
        """Keep some parts, with other texts as the content of some returns and retries."""
        return replaced(message, parts=kept(get(message, "parts"), parts, _retold))


def _is_message(message: Any) -> bool:
    kind = get(message, "kind")
    is_kind = isinstance(kind, str) and kind in _SIDES
    return is_kind and isinstance(get(message, "parts"), list | tuple)


def _retold(part: Any, text: str) -> Any:
    content = get(part, "content")
    if get(part, "part_kind") == "tool-return" and not (
        content is None or isinstance(content, str)
    ):
        value = decoded(text)
        content = value if isinstance(value, dict | list) else text
    else:
        content = text
    if isinstance(part, Mapping):
        return {**part, "content": content}
    changed = object.__new__(type(part))  # the constructor of a deprecated part warns
    vars(changed).update(vars(part), content=content)
    return changed


def _pieces(message: Any, position: int, *, is_answered: bool) -> list[Piece]:
    side = _SIDES[get(message, "kind")]
    is_suspended = get(message, "state") == "suspended"  # the model goes on from there
    pieces = [_piece(part, side, position) for part in get(message, "parts")]
    for number, part in enumerate(get(message, "parts")):
        if is_answered and get(part, "scope") == "request":  # the model does not see it any more
            pieces[number] = pieces[number]._replace(text="")
    if not pieces:  # a request may hold nothing but instructions
        pieces.append(Piece(0, 0, 0, "system" if side == "user" else side, ""))
    return [
        piece._replace(
            message=position, part=number, turn=position, pinned=piece.pinned or is_suspended
        )
        for number, piece in enumerate(pieces)
    ]


def _piece(part: Any, side: Kind, position: int) -> Piece:
    kind = str(get(part, "part_kind"))
    if kind in _CALLS:
        return _call(part, kind)
    if kind in _RETURNS or (kind == "retry-prompt" and get(part, "tool_name") is not None):
        return _result(part, kind)
    if kind == "thinking":
        return _thought(part)
    told, is_pinned = Told(), False
    if kind in _TOLD_BY_CONTENT:
        side = _TOLD_BY_CONTENT[kind]
        content = get(part, "content")
        contents = (content,) if kind == "file" else parts_of(content, position, PydanticAI.name)
        told = together(map(_told, contents))
    elif kind == "speech":
        audio = _told(get(part, "audio")) if get(part, "audio") is not None else Told()
        told = Told(get(part, "transcript") or "", audio.media)
    elif kind in ("retry-prompt", "retry-feedback"):
        told = _response_of(part)
    elif kind == "compaction":
        sealed = opaque(get(part, "provider_details") or {}).media
        side = "user" if side == "user" else "system"
        told, is_pinned = Told(get(part, "content") or "", sealed), True
    elif kind in _RECORDS:
        names = get(part, "tools_added") or ()
        said = "" if kind == "instruction-baseline" else get(part, "content") or ""
        side, told, is_pinned = "system", Told(joined(said, *names)), True
    else:
        is_pinned = side == "user"
        side, told = "system" if is_pinned else side, opaque(_plain(part))
    return Piece(0, 0, 0, side, told.text, media=told.media, pinned=is_pinned)


def _call(part: Any, kind: str) -> Piece:
    name, arguments = get(part, "tool_name") or "", get(part, "args")
    return Piece(
        0,
        0,
        0,
        "call",
        joined(name, as_text(arguments)),
        key=str(get(part, "tool_call_id") or None),
        name=name,
        arguments=decoded(arguments),
        awaits_result=kind == "tool-call",
    )


def _result(part: Any, kind: str) -> Piece:
    text, media = _response_of(part) if kind == "retry-prompt" else _returned(part)
    is_typed = get(part, "tool_kind") is not None  # pydantic-ai reads it again, for what it loads
    return Piece(
        0,
        0,
        0,
        "result",
        text,
        key=str(get(part, "tool_call_id") or None),
        name=get(part, "tool_name") or "",
        media=media,
        replaceable=kind in ("tool-return", "retry-prompt") and not is_typed,
    )


def _thought(part: Any) -> Piece:
    text = get(part, "content") or ""
    sealed = 0 if text else encoded(get(part, "signature"))  # a signature may be all there is
    return Piece(0, 0, 0, "reasoning", text, media=sealed)


def _returned(part: Any) -> Told:
    content = get(part, "content")
    if content is None or isinstance(content, str):
        return Told(content or "")
    is_json = isinstance(part, Mapping)
    items = content if isinstance(content, list) else [content]
    is_file = [
        get(item, "kind") in _FILES and isinstance(item, Mapping) == is_json for item in items
    ]
    media = sum(_told(item).media for item, is_one in zip(items, is_file, strict=True) if is_one)
    if is_json:
        said = [item for item, is_one in zip(items, is_file, strict=True) if not is_one]
        value = said if isinstance(content, list) else next(iter(said), "")
        text = as_text(value)
    else:
        text = _model_text(part)
        value = decoded(text)
    told = opaque(value) if isinstance(value, dict | list) else Told(text)
    return Told(told.text, told.media + media)


def _model_text(part: Any) -> str:
    for options in ({"wrap_if_error": False}, {}):  # earlier releases do not wrap
        try:
            return str(part.model_response_str(**options))
        except (AttributeError, TypeError, ValueError, RecursionError):
            continue
    return str(get(part, "content"))


def _response_of(part: Any) -> Told:
    """Return the feedback that a model gets to a response that was of no use."""
    content = get(part, "content")
    if content is None or isinstance(content, str):
        return Told(content or "")
    return opaque(content)


def _told(item: Any) -> Told:
    if isinstance(item, str):
        return Told(item)
    kind = get(item, "kind")
    if kind in _PRICES:
        return Told(media=_PRICES[kind])
    if kind in _FILES:
        family = str(get(item, "media_type")).partition("/")[0]
        return Told(media=_PRICES_BY_TYPE.get(family, _media.FILE))
    if kind in _TEXTS:
        return Told(get(item, "content") or "")
    return Told() if kind == "cache-point" else opaque(_plain(item))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return value
