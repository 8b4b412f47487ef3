"""Splitting a long result into parts that are kept or left out on their own."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

NodeKind: TypeAlias = Literal["leaf", "object", "array", "string", "text"]

WORDS_PER_PART = 25
_BYTES_PER_WORD = 12  # so that a text without spaces has words too
_LONGEST_TOKEN = _BYTES_PER_WORD * WORDS_PER_PART
_SPACE = re.compile(r"[ \t\n\r]*")
_LINE = re.compile(r"[^\n]*\n+|[^\n]+")
_TOKEN = re.compile(rf"\S{{1,{_LONGEST_TOKEN}}}\s*|\s+")
_DEEPEST = 32  # levels of JSON; each is read once more for every level that it is inside
_LONGEST_PATH = 200  # characters; every leaf repeats it
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)  # no number has too many digits


class Node(NamedTuple):
    """A result or a piece of it: a leaf is one part, any other node is made of `children`.

    Attributes:
        kind: A `leaf`; a JSON `object`, `array` or `string`; or other `text`.
        text: As the result spells it; of what is inside a `string`, what the JSON says.
        key: The JSON text of its key, where it is the value of a member of an object.
        children: In order.
    """

    kind: NodeKind
    text: str
    key: str = ""
    children: tuple["Node", ...] = ()


def split(text: str) -> Node:
    """Split a text: JSON into records, other text into paragraphs and groups of lines."""
    return _read_json(text) or _text_node("text", text, text)


def leaves_of(node: Node) -> Iterator[tuple[Node, str]]:
    """Yield the leaves in order, each with its key and the nearest ones on the way to it."""
    stack = [(node, node.key)]
    while stack:
        current, path = stack.pop()
        if current.kind == "leaf":
            yield current, path
        near = path[-_LONGEST_PATH:]
        stack.extend((child, f"{near} {child.key}".strip()) for child in reversed(current.children))


def size(text: str) -> int:
    """Return the length of a text in words, long ones counted for several."""
    return max(len(text.split()), len(text) // _BYTES_PER_WORD)


def _read_json(text: str) -> Node | None:
    start = _skip(text, 0)
    if text[start : start + 1] not in ("{", "["):
        return None
    try:
        _, end = _DECODER.raw_decode(text, start)
        return _json_node(text[start:end], "", 0) if _skip(text, end) == len(text) else None
    except (ValueError, RecursionError):
        return None


def _json_node(text: str, key: str, depth: int) -> Node:
    if size(text) > WORDS_PER_PART:
        if text[0] == '"':
            return _text_node("string", text, json.loads(text), key)
        if text[0] in "{[" and depth < _DEEPEST:
            is_object = text[0] == "{"
            members = tuple(_members(text, depth, has_keys=is_object))
            if members:
                return Node("object" if is_object else "array", text, key, members)
    return Node("leaf", text, key)


def _members(text: str, depth: int, *, has_keys: bool) -> Iterator[Node]:
    position = _skip(text, 1)
    while text[position] not in "}]":
        key = ""
        if has_keys:
            _, end = _DECODER.raw_decode(text, position)
            key = text[position:end]
            position = _skip(text, _skip(text, end) + 1)
        _, end = _DECODER.raw_decode(text, position)
        yield _json_node(text[position:end], key, depth + 1)
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)


def _skip(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _text_node(kind: Literal["string", "text"], text: str, said: str, key: str = "") -> Node:
    chunks = tuple(_chunks(said))
    if len(chunks) < 2:
        return Node("leaf", text, key)
    return Node(kind, text, key, tuple(Node("leaf", chunk) for chunk in chunks))


def _chunks(text: str) -> Iterator[str]:
    """Yield groups of lines, ended by a blank line where that comes late enough."""
    chunk, words = "", 0
    for line in _short_lines(text):
        chunk += line
        words += size(line)
        is_paragraph = line.endswith("\n\n") and 2 * words >= WORDS_PER_PART
        if words >= WORDS_PER_PART or is_paragraph:
            yield chunk
            chunk, words = "", 0
    if chunk:
        yield chunk


def _short_lines(text: str) -> Iterable[str]:
    for line in _LINE.findall(text):
        if size(line) <= 2 * WORDS_PER_PART:
            yield line
        else:
            yield from _TOKEN.findall(line)
