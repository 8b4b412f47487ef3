"""LangChain: message objects of a type each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._access import as_text, decoded, get, joined, replaced
from dsgc.messages._format import Order
from dsgc.messages._pieces import Kind, Piece
from dsgc.messages.formats._contents import (
    Told,
    encoded,
    kept,
    opaque,
    parts_of,
    plain,
    retold_content,
    together,
)

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
_CALLS = ("tool_call", "tool_use", "invalid_tool_call", "mcp_approval_request")
_SERVED = ("server_tool_call", "server_tool_use", "mcp_tool_use")
_FRAGMENTS = ("tool_call_chunk", "server_tool_call_chunk", "input_json_delta")
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
    pieces = [_said(message, blocks), *_thoughts(message, blocks), *_calls(message, blocks)]
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
    is_screenshot = _extra(message, "type") == "computer_call_output"
    return Piece(
        0, 0, 0, "result", text, key=key, name=name, media=media, replaceable=not is_screenshot
    )


def _extra(message: Any, name: str) -> Any:
    return get(get(message, "additional_kwargs"), name)


def _said(message: Any, blocks: Sequence[Any]) -> Piece:
    said = [block for block in blocks if not _is_thought(block) and not _is_call(block)]
    text, media = together(map(_told, said))
    refusal = _extra(message, "refusal")
    text = joined(text, refusal if isinstance(refusal, str) else "")
    return Piece(0, 0, 0, "assistant", text, media=media)


def _is_thought(block: Any) -> bool:
    return get(block, "type") in _REASONING


def _thoughts(message: Any, blocks: Sequence[Any]) -> list[Piece]:
    thoughts = list(filter(_is_thought, blocks))
    if not thoughts:  # where some integrations put them
        extras = (_extra(message, "reasoning_content"), _extra(message, "reasoning"))
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


def _is_call(block: Any) -> bool:
    kind = get(block, "type")
    if not isinstance(kind, str):
        return False
    return kind in (*_CALLS, *_SERVED, *_FRAGMENTS) or kind.endswith("_call")


def _calls(message: Any, blocks: Sequence[Any]) -> list[Piece]:
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
    legacy = _extra(message, "function_call")
    if legacy and not any(piece.awaits_result for piece in calls):
        calls.append(_call(legacy, f"function {get(legacy, 'name') or ''}"))
    return calls


def _raw_calls(message: Any) -> Iterator[Piece]:
    for call in _extra(message, "tool_calls") or ():
        body = get(call, "function") or get(call, "custom") or {}
        yield _call(body, get(call, "id"))


def _calls_of_blocks(blocks: Sequence[Any]) -> Iterator[Piece]:
    for block in filter(_is_call, blocks):
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
