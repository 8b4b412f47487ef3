"""Values that name one thing: ids, paths, mail addresses, long numbers."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_SHORTEST = 4
_SHORTEST_NAME = 6  # of a word in a text, which may be anything
_PUNCTUATION = "\"'`.,;:!?()[]{}<>|&="
_LONGEST = 200  # what is longer is a text, not a name
_LONG_WORD = 12  # letters; shorter plain words are ordinary words
_TOKEN = re.compile(r"\w+")
_HALVES = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # of one character
_ESCAPE = re.compile(rf"\\({_HALVES}|u[0-9a-fA-F]{{4}}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PLAIN_WORD = re.compile(r"[^\W\d_]+")


class Value(NamedTuple):
    """A value of a call's arguments, and the name of the argument that held it."""

    text: str
    argument: str


def specific_values(arguments: Any) -> list[Value]:
    """Return the distinct values in arguments that are specific enough to tell where from."""
    return distinct(leaf for leaf in leaves_of(arguments) if is_specific(leaf.text))


def distinct(values: Iterable[Value]) -> list[Value]:
    """Return the first of the values of each text."""
    found: dict[str, Value] = {}
    for value in values:
        found.setdefault(value.text, value)
    return list(found.values())


def is_specific(text: str) -> bool:
    """Say whether a text names one thing, unlike `true`, `1`, `en` or an ordinary word."""
    if not _SHORTEST <= len(text) <= _LONGEST:
        return False
    if _PLAIN_WORD.fullmatch(text):
        return len(text) >= _LONG_WORD
    return bool(_TOKEN.search(text))


def names_within(text: str) -> list[str]:
    """Return the distinct words of a longer text, such as a command, that name one thing."""
    words = (word.strip(_PUNCTUATION) for word in text.split())
    return list(dict.fromkeys(word for word in words if word != text and _is_name(word)))


def _is_name(word: str) -> bool:
    return (
        _SHORTEST_NAME <= len(word) <= _LONGEST
        and any(character.isdigit() or character in "/@" for character in word)
        and bool(_TOKEN.search(word))
    )


def tokens_of(text: str) -> set[str]:
    """Return the distinct tokens of a text."""
    return set(_TOKEN.findall(text))


def legible(text: str) -> str:
    """Return a text followed by what it says where JSON has escaped something."""
    if "\\" not in text:
        return text
    return f"{text}\n{_ESCAPE.sub(_unescaped, text)}"


def holds(text: str, value: str) -> bool:
    """Say whether a text holds a value as a whole, not inside a longer word or number."""
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        is_cut_before = start > 0 and _continues(text[start - 1], value[0])
        is_cut_after = end < len(text) and _continues(text[end], value[-1])
        if not is_cut_before and not is_cut_after:
            return True
        start = text.find(value, start + 1)
    return False


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1]
    if len(code) == 1:
        return _ESCAPED.get(code, code)
    said: str = json.loads(f'"{escape[0]}"')
    return said


def _continues(outside: str, edge: str) -> bool:
    return (outside.isalnum() or outside == "_") and (edge.isalnum() or edge == "_")


def leaves_of(arguments: Any) -> list[Value]:
    """Return each leaf of arguments as text, with the name of its argument, in order."""
    leaves, stack = [], [(arguments, "")]
    while stack:
        value, name = stack.pop()
        if isinstance(value, Mapping):
            inner = [(item, f"{name}.{key}" if name else str(key)) for key, item in value.items()]
            stack.extend(reversed(inner))
        elif isinstance(value, list | tuple):
            stack.extend((item, name) for item in reversed(value))
        elif isinstance(value, str):
            leaves.append(Value(value.strip(), name))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            leaves.append(Value(str(value), name))
    return leaves
