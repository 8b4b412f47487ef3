"""LangChain: message objects of a type each."""

from collections.abc import Mapping, Sequence
from typing import Any

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._access import get, joined, replaced
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
from dsgc.messages.formats._langchain_calls import calls_of, extra, is_call

_SIDES: dict[str, Kind] = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "result",
    "function": "result",
    "chat": "user",
    "remove": "system",
}
_SIDES_OF_ROLES: dict[str, Kind] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
}
_CHUNK = "MessageChunk"
_REASONING = ("reasoning", "thinking", "redacted_thinking", "reasoning_content")
_ANSWERS = {"tool_result": "tool_use_id", "mcp_approval_response": "approval_request_id"}
_TEXTS = {
    "text": "text",
    "input_text": "text",
    "output_text": "text",
    "text-plain": "text",
    "refusal": "refusal",
}
_PRICES = {
    "image": _media.IMAGE,
    "image_url": _media.IMAGE,
    "input_image": _media.IMAGE,
    "computer_screenshot": _media.IMAGE,
    "audio": _media.AUDIO,
    "input_audio": _media.AUDIO,
    "video": _media.VIDEO,
    "video_url": _media.VIDEO,
    "file": _media.FILE,
    "input_file": _media.FILE,
    "text-plain": _media.FILE,
    "document": _media.FILE,
    "media": _media.FILE,
}


class LangChain:
    """Messages of LangChain and LangGraph, and their chunks.

    A tool message answers `tool_calls[].id`, valid or not; a function message answers the legacy
    `function_call` by name. Blocks of the content that repeat a call count once.
    """

    name = "langchain"
    order = Order(begins_with_user=True)

    def recognizes(self, messages: Sequence[Any]) -> bool:
        """Say whether there is a message object of LangChain."""
        return any(_type(message) in _SIDES for message in messages)

    def read(self, messages: Sequence[Any]) -> list[Piece]:
        """Read each message as a text, followed by its reasoning and its calls."""
        return [
            piece._replace(message=position, turn=position)
            for position, message in enumerate(messages)
            for piece in _pieces(message, position)
        ]

    def rebuild(self, message: Any, parts: Mapping[int, str | None]) -> Any:
        """Put another text in the place of a result; only blocks of answers are kept in part."""
        content = get(message, "content")
        if _answers(message):
            return replaced(message, content=kept(content, parts, _retold))
        text = parts.get(0)
        if text is None:
            return replaced(message)
        return replaced(message, content=retold_content(content, text))


def _retold(block: Any, text: str) -> Any:
    return replaced(block, content=retold_content(get(block, "content"), text))


def _type(message: Any) -> str:
    """Return the type of a message of LangChain, that of the whole message for a chunk."""
    packages = {base.__module__.partition(".")[0] for base in type(message).__mro__}
    kind = get(message, "type")
    if not isinstance(kind, str) or packages.isdisjoint({"langchain_core", "langchain"}):
        return ""
    return kind.removesuffix(_CHUNK).lower() if kind.endswith(_CHUNK) else kind


def _pieces(message: Any, position: int) -> list[Piece]:
    kind = _type(message)
    if kind not in _SIDES:
        what = f"is of the type {type(message).__name__} and no message of LangChain"
        advice = " (`langchain_core.messages.convert_to_messages` makes one of it)"
        raise UnreadableMessageError(position, what + advice, LangChain.name)
    blocks = [_standing(block) for block in _blocks(message, position)]
    if _answers(message):
        return [_answer(block)._replace(part=part) for part, block in enumerate(blocks)]
    side = _SIDES[kind]
    if kind == "chat":
        side = _SIDES_OF_ROLES.get(str(get(message, "role")).lower(), side)
    if side == "result":
        return [_result(message, kind, blocks)]
    if side != "assistant":
        text, media = together(map(_told, blocks))
        return [Piece(0, 0, 0, side, text, media=media, pinned=kind == "remove")]
    pieces = [_said(message, blocks), *_thoughts(message, blocks), *calls_of(message, blocks)]
    return [piece._replace(part=part) for part, piece in enumerate(pieces)]


def _blocks(message: Any, position: int) -> Sequence[Any]:
    return parts_of(get(message, "content"), position, LangChain.name)


def _standing(block: Any) -> Any:
    """Return what a block holds that only stands for a block of a provider."""
    return get(block, "value") if get(block, "type") == "non_standard" else block


def _answers(message: Any) -> bool:
    """Say whether a human message answers calls itself, as the providers have it."""
    content = get(message, "content")
    if _type(message) != "human" or not isinstance(content, list):
        return False
    return any(get(_standing(block), "type") in _ANSWERS for block in content)


def _answer(block: Any) -> Piece:
    kind = get(block, "type")
    if kind not in _ANSWERS:
        text, media = _told(block)
        return Piece(0, 0, 0, "user", text, media=media)
    key = str(get(block, _ANSWERS[kind]) or None)
    if kind != "tool_result":
        text, media = opaque(block)
        return Piece(0, 0, 0, "result", text, key=key, media=media)
    content = get(block, "content") or ()
    text, media = together(map(_told, [content] if isinstance(content, str) else content))
    return Piece(0, 0, 0, "result", text, key=key, media=media, replaceable=True)


def _result(message: Any, kind: str, blocks: Sequence[Any]) -> Piece:
    text, media = together(map(_told, blocks))
    name = get(message, "name") or ""
    key = f"function {name}" if kind == "function" else str(get(message, "tool_call_id") or None)
    is_screenshot = extra(message, "type") == "computer_call_output"
    return Piece(
        0, 0, 0, "result", text, key=key, name=name, media=media, replaceable=not is_screenshot
    )


def _said(message: Any, blocks: Sequence[Any]) -> Piece:
    said = [block for block in blocks if not _is_thought(block) and not is_call(block)]
    text, media = together(map(_told, said))
    refusal = extra(message, "refusal")
    text = joined(text, refusal if isinstance(refusal, str) else "")
    return Piece(0, 0, 0, "assistant", text, media=media)


def _is_thought(block: Any) -> bool:
    return get(block, "type") in _REASONING


def _thoughts(message: Any, blocks: Sequence[Any]) -> list[Piece]:
    thoughts = list(filter(_is_thought, blocks))
    if not thoughts:  # where some integrations put them
        extras = (extra(message, "reasoning_content"), extra(message, "reasoning"))
        thoughts = [extra for extra in extras if extra][:1]
    told = map(_thought, thoughts)
    return [Piece(0, 0, 0, "reasoning", text, media=media) for text, media in told]


def _thought(block: Any) -> Told:
    if isinstance(block, str):
        return Told(block)
    inner = get(block, "reasoning_content") or {}
    texts = [
        get(block, "reasoning") or get(block, "thinking") or get(inner, "text") or "",
        *(get(part, "text") or "" for part in get(block, "summary") or ()),
    ]
    sealed = get(block, "encrypted_content") or get(block, "data")
    return Told(joined(*texts), encoded(sealed))


def _told(block: Any) -> Told:
    if isinstance(block, str):
        return Told(block)
    kind = str(get(block, "type"))
    if isinstance(get(block, _TEXTS.get(kind, "")), str):
        return Told(get(block, _TEXTS[kind]))
    if kind == "document" and get(get(block, "source"), "type") == "text":
        return Told(get(get(block, "source"), "data") or "")
    if kind == "media":
        family = str(get(block, "mime_type")).partition("/")[0]
        return Told(media=_PRICES.get(family, _media.FILE))
    return Told(media=_PRICES[kind]) if kind in _PRICES else opaque(block)
