"""What formats share: contents that are a text or a list of parts."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._access import as_json, get, joined, plain, replaced

_Retelling: TypeAlias = Callable[[Any, str], Any]
_BASE64 = re.compile(r"(?:data:[^,]{1,200},)?[A-Za-z0-9+/=_-]{256,}")
_SIGNATURES = ("signature", "thought_signature", "thoughtSignature")


class Told(NamedTuple):
    """What a content says, and the price of what it shows."""

    text: str = ""
    media: int = 0


def together(contents: Iterable[Told]) -> Told:
    """Join the contents of parts, one a line."""
    contents = list(contents)
    return Told(joined(*(told.text for told in contents)), sum(told.media for told in contents))


def parts_of(content: Any, position: int, format_name: str) -> Sequence[Any]:
    """Return the parts of a content; a text is one part, and nothing is none.

    Raises:
        UnreadableMessageError: it is neither a text nor a list.
    """
    if content is None:
        return ()
    if isinstance(content, str):
        return (content,)
    if not isinstance(content, Sequence) or isinstance(content, bytes):
        what = f"has a content of the type {type(content).__name__}, not a text or a list"
        raise UnreadableMessageError(position, what, format_name)
    return content


def opaque(part: Any) -> Told:
    """Return a part of unknown kind as JSON, with a price for whatever is encoded in it."""
    media: list[int] = []
    try:
        return Told(as_json(_legible(part, media)), sum(media))
    except RecursionError:  # it holds itself, or is too deep
        return Told(as_json(part))


def encoded(data: Any) -> int:
    """Return the price of encoded or encrypted data: that of its bytes as text, within bounds."""
    size = len(data) if isinstance(data, str | bytes) else 0
    if isinstance(data, str):
        size = size * 3 // 4
    return min(size // 4, _media.FILE)


def kept(parts: Sequence[Any], wanted: Mapping[int, str | None], retold: _Retelling) -> Any:
    """Return the parts that are wanted, retold where a text is given, in a list or tuple as before.

    Args:
        parts: What there is.
        wanted: The positions of those to keep, with a new text or None.
        retold: Makes a copy of a part that says the new text.
    """
    chosen = [
        part if (text := wanted[number]) is None else retold(part, text)
        for number, part in enumerate(parts)
        if number in wanted
    ]
    return tuple(chosen) if isinstance(parts, tuple) else chosen


def retold_content(content: Any, text: str) -> Any:
    """Return a content that says only `text`: a text for a text, a list of one for a list."""
    if content is None or isinstance(content, str):
        return text
    texts = [part for part in content if get(part, "type") == "text"]
    part = replaced(texts[-1], text=text) if texts else {"type": "text", "text": text}
    return (part,) if isinstance(content, tuple) else [part]


def _legible(value: Any, media: list[int]) -> Any:
    value = plain(value)
    if isinstance(value, Mapping):
        return {
            str(name): None if _is_encrypted(name, item, media) else _legible(item, media)
            for name, item in value.items()
            if name not in _SIGNATURES
        }
    if isinstance(value, list | tuple):
        return [_legible(item, media) for item in value]
    if isinstance(value, bytes) or (isinstance(value, str) and _BASE64.fullmatch(value)):
        media.append(encoded(value))
        return None
    return value


def _is_encrypted(name: Any, item: Any, media: list[int]) -> bool:
    if not isinstance(item, str) or not str(name).startswith("encrypted_"):
        return False
    media.append(encoded(item))
    return True
