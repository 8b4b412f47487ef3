"""OpenAI chat completions: role, content, tool_calls."""

from collections.abc import Mapping, Sequence
from typing import Any

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._access import as_text, decoded, get, joined, replaced
from dsgc.messages._format import Order
from dsgc.messages._pieces import Kind, Piece
from dsgc.messages.formats._contents import Told, opaque, parts_of, retold_content, together

_SIDES: dict[str, Kind] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "result",
    "function": "result",
}
_TEXT_PARTS = ("text", "refusal")
_PRICES = {
    "image_url": _media.IMAGE,
    "input_audio": _media.AUDIO,
    "audio_url": _media.AUDIO,  # this and the next as OpenRouter and vLLM take them
    "video_url": _media.VIDEO,
    "file": _media.FILE,
}
_REASONING = ("reasoning_content", "reasoning")  # as DeepSeek, vLLM, OpenRouter and others send it


class OpenAIChat:
    """Messages of the chat completions endpoint, and of the many that copy it.

    A tool message answers `tool_calls[].id`, custom calls too; a function message answers the
    legacy `function_call` by name.
    """

    name = "openai-chat"
    order = Order()

    def recognizes(self, messages: Sequence[Any]) -> bool:
        """Say whether a message calls tools, or answers a call, the way only this format does."""
        return any(map(_is_marked, messages))

    def read(self, messages: Sequence[Any]) -> list[Piece]:
        """Read each message as a text, followed by its calls and its reasoning."""
        return [
            piece
            for position, message in enumerate(messages)
            for piece in _pieces(message, position)
        ]

    def rebuild(self, message: Any, parts: Mapping[int, str | None]) -> Any:
        """Put another text in the place of a result, or leave out a text or calls."""
        text = parts.get(0)
        if text is not None:
            return replaced(message, content=retold_content(get(message, "content"), text))
        changes: dict[str, Any] = {}
        calls = list(get(message, "tool_calls") or ())
        chosen = [call for number, call in enumerate(calls) if number + 1 in parts]
        if len(chosen) < len(calls):
            changes["tool_calls"] = chosen or None
        if get(message, "function_call") and len(calls) + 1 not in parts:
            changes["function_call"] = None
        if 0 not in parts:
            changes["content"] = None
        without = [name for name, value in changes.items() if value is None and name != "content"]
        if isinstance(message, Mapping):  # a key with nothing in it is refused by the API
            message = {name: value for name, value in message.items() if name not in without}
            changes = {name: value for name, value in changes.items() if name not in without}
        return replaced(message, **changes)


def _is_marked(message: Any) -> bool:
    match get(message, "role"):
        case "tool":
            return get(message, "tool_call_id") is not None
        case "function":
            return get(message, "name") is not None and get(message, "parts") is None
        case "assistant":
            return bool(get(message, "tool_calls") or get(message, "function_call"))
    return False


def _pieces(message: Any, position: int) -> list[Piece]:
    role = get(message, "role")
    side = _SIDES.get(role) if isinstance(role, str) else None
    if side is None:
        raise UnreadableMessageError(
            position, f"has the role {role!r}, none of {', '.join(_SIDES)}", OpenAIChat.name
        )
    parts = parts_of(get(message, "content"), position, OpenAIChat.name)
    text, media = together(map(_told, parts))
    if side == "result":
        return [_result(message, position, Told(text, media))]
    spoken = _spoken(message)
    said = joined(text, get(message, "refusal") or "", spoken.text)
    pieces = [Piece(position, 0, position, side, said, media=media + spoken.media)]
    reasoning = next((get(message, name) for name in _REASONING if get(message, name)), None)
    if isinstance(reasoning, str):
        pieces.append(Piece(position, 0, position, "reasoning", reasoning))
    return pieces + [
        call._replace(message=position, part=number + 1, turn=position)
        for number, call in enumerate(_calls(message))
    ]


def _result(message: Any, position: int, told: Told) -> Piece:
    name = get(message, "name") or ""
    is_legacy = get(message, "role") == "function"
    key = f"function {name}" if is_legacy else str(get(message, "tool_call_id") or None)
    return Piece(
        position,
        0,
        position,
        "result",
        told.text,
        key=key,
        name=name,
        media=told.media,
        replaceable=True,
    )


def _calls(message: Any) -> list[Piece]:
    calls = []
    given_calls = get(message, "tool_calls") or ()
    if isinstance(given_calls, str):
        raise TypeError("a text where a list of calls belongs")
    for call in given_calls:
        body = get(call, "function") or get(call, "custom") or {}
        given = get(body, "arguments", get(body, "input"))
        calls.append(_call(str(get(call, "id") or None), get(body, "name") or "", given))
    legacy = get(message, "function_call")
    if legacy:
        name = get(legacy, "name") or ""
        calls.append(_call(f"function {name}", name, get(legacy, "arguments")))
    return calls


def _call(key: str, name: str, given: Any) -> Piece:
    text = joined(name, as_text(given))
    return Piece(0, 0, 0, "call", text, key=key, name=name, arguments=decoded(given))


def _told(part: Any) -> Told:
    if isinstance(part, str):
        return Told(part)
    kind = str(get(part, "type"))
    if kind in _TEXT_PARTS:
        return Told(get(part, kind) or "")
    if kind in ("image", "document") and get(part, "source") is not None:  # of Anthropic's
        return Told(media=_PRICES["image_url" if kind == "image" else "file"])
    return Told(media=_PRICES[kind]) if kind in _PRICES else opaque(part)


def _spoken(message: Any) -> Told:
    """Return what the assistant said in audio that an earlier reply holds."""
    audio = get(message, "audio")
    transcript = get(audio, "transcript") or ""
    return Told(transcript, _media.AUDIO if audio and not transcript else 0)
