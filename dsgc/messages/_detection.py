"""Telling the format of messages, by name or by the marks that they bear."""

from collections.abc import Sequence
from typing import Any

from dsgc.errors import InputTypeError, UnknownFormatError
from dsgc.messages._format import Format
from dsgc.messages.formats import FORMATS

AUTO = "auto"


def format_of(messages: Sequence[Any], name: str) -> Format:
    """Return the format of a name, or for `auto` the one whose marks the messages bear.

    Messages that could be of several formats, such as plain user and assistant texts, are read as
    the first of them: OpenAI chat.
    """
    if not isinstance(name, str):
        raise InputTypeError(f"format is of the type {type(name).__name__}. Give its name, a str.")
    if name != AUTO:
        if name in FORMATS:
            return FORMATS[name]
        raise UnknownFormatError(f"there is no format {name!r}.", [*FORMATS, AUTO])
    recognized = (each for each in FORMATS.values() if each.recognizes(messages))
    return next(recognized, FORMATS["openai-chat"])
