"""Refusing messages that have the keys of a format, but not its kinds of values."""

from collections.abc import Sequence
from typing import Any

from dsgc.errors import DsgcError, InputError
from dsgc.messages import read_units

_OF_A_WRONG_KIND = (TypeError, AttributeError, ValueError, LookupError)


def check_readable(messages: Sequence[Any], form: str) -> None:
    """Check that what should be a text is one, and what should be a list.

    Raises:
        InputError: a message has, for example, a number in the place of a text.
        UnreadableMessageError: a message is not of the format.
    """
    try:
        _read(messages, form)
    except DsgcError:
        raise
    except _OF_A_WRONG_KIND as cause:
        raise InputError(
            f"{_first_unreadable(messages, form)} a field of the wrong kind ({cause}), so it "
            f"cannot be read as {form}. Correct the message, or name its format with --format."
        ) from cause


def _read(messages: Sequence[Any], form: str) -> None:
    for unit in read_units(messages, format=form):
        for piece in unit.pieces:
            if not isinstance(piece.text, str):
                raise TypeError(f"a {type(piece.text).__name__} where a text belongs")


def _first_unreadable(messages: Sequence[Any], form: str) -> str:
    for position, message in enumerate(messages):
        try:
            _read([message], form)
        except _OF_A_WRONG_KIND:
            return f"messages[{position}] has"
    return "a message has"
