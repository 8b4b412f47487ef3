"""A conversation in a JSON file, and the same file with other messages in it."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsgc.errors import InputError

STANDARD_INPUT = "-"
_HOLDERS = ("messages", "input", "contents")  # the keys of requests to OpenAI, Anthropic, Gemini
_SENT_ALONG = ("tools", "system", "instructions", "system_instruction", "systemInstruction")
_MARKS_OF_A_MESSAGE = ("role", "type", "parts")


@dataclass(frozen=True, slots=True)
class Document:
    """Messages, and what they were found in.

    Attributes:
        messages: Of any format that is made of dicts.
        request: The object that holds them, or None.
        holder: Their key in that object.
        is_lines: Whether each message has a line of its own.
    """

    messages: list[Any]
    request: dict[str, Any] | None = None
    holder: str = ""
    is_lines: bool = False

    @property
    def sent_along(self) -> list[Any]:
        """What a request sends besides its messages, and what costs tokens too."""
        found = [(self.request or {}).get(key) for key in _SENT_ALONG]
        return [
            item
            for value in found
            if value
            for item in (value if isinstance(value, list) else [value])
        ]

    def render(self, messages: Sequence[Any]) -> str:
        """Return the file with `messages` in the place of its own."""
        if self.is_lines:
            return "".join(f"{as_json(message)}\n" for message in messages)
        if self.request is None:
            return f"{as_json(messages, indent=2)}\n"
        return f"{as_json({**self.request, self.holder: messages}, indent=2)}\n"


def read_document(path: str) -> Document:
    """Read a file, or standard input for `-`.

    Raises:
        InputError: it cannot be read, is no JSON, or holds no list of messages.
    """
    name = "standard input" if path == STANDARD_INPUT else path
    text = _read_text(path, name)
    try:
        return _document_of(json.loads(text), name)
    except json.JSONDecodeError as error:
        lines = _read_lines(text, name)
        if lines is not None:
            return lines
        raise InputError(_not_json(name, error.lineno, error.colno, error.msg)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} cannot be read as JSON: {error}.") from None


def as_json(value: Any, indent: int | None = None) -> str:
    """Return JSON in any script, with escapes only where UTF-8 has no way to say it."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


def _read_text(path: str, name: str) -> str:
    try:
        found = sys.stdin.buffer.read() if path == STANDARD_INPUT else Path(path).read_bytes()
        return found.decode("utf-8", "surrogatepass").removeprefix("\ufeff")
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not in UTF-8: {error.reason} at byte {error.start}. Save it as UTF-8."
        ) from None


def _document_of(value: Any, name: str) -> Document:
    if isinstance(value, list):
        return Document(value)
    if isinstance(value, dict):
        holder = _holder_in(value)
        if holder is not None:
            return Document(value[holder], value, holder)
        if _is_message(value):
            return Document([value], is_lines=True)
    raise InputError(
        f"{name} holds no conversation. Give a list of messages, an object with such a list as "
        f"its {_HOLDERS[0]!r}, {_HOLDERS[1]!r} or {_HOLDERS[2]!r}, or JSON Lines of one message "
        "each."
    )


def _read_lines(text: str, name: str) -> Document | None:
    """Return the document if each line is a JSON value, or None if not even the first is one."""
    messages: list[Any] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            message = json.loads(line)
        except json.JSONDecodeError as error:
            if not messages:
                return None
            raise InputError(_not_json(name, number, error.colno, error.msg)) from None
        if isinstance(message, dict) and _holder_in(message) and not _is_message(message):
            raise InputError(
                f"{name}, line {number} holds a whole conversation, not a message. Give one "
                "conversation at a time."
            )
        messages.append(message)
    return Document(messages, is_lines=True) if messages else None


def _holder_in(value: dict[str, Any]) -> str | None:
    return next((key for key in _HOLDERS if isinstance(value.get(key), list)), None)


def _is_message(value: dict[str, Any]) -> bool:
    return any(key in value for key in _MARKS_OF_A_MESSAGE)


def _not_json(name: str, line: int, column: int, what: str) -> str:
    return f"{name}, line {line}, column {column} is no JSON: {what}."
