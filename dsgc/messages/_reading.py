"""Reading messages into pieces and units, and refusing what cannot be read."""

from collections.abc import Sequence
from typing import Any

from dsgc.errors import UnreadableMessageError
from dsgc.messages._format import Format
from dsgc.messages._mending import mended
from dsgc.messages._pieces import Piece
from dsgc.messages._units import Conversation, units_of

_OF_A_WRONG_KIND = (TypeError, AttributeError, ValueError, LookupError)


def read_pieces(form: Format, messages: Sequence[Any]) -> list[Piece]:
    """Read the pieces of messages.

    Raises:
        UnreadableMessageError: a message is not of the format, or has a field of a wrong kind, such
            as a number where a text belongs.
    """
    try:
        return _checked(form, messages)
    except UnreadableMessageError:
        raise
    except _OF_A_WRONG_KIND as cause:
        what = f"has a field of the wrong kind ({cause})"
        position = _first_unreadable(form, messages)
        raise UnreadableMessageError(position, what, form.name) from cause


def conversation_of(form: Format, pieces: Sequence[Piece]) -> Conversation:
    """Gather the pieces of a format into units, and leave out what is broken."""
    return mended(units_of(pieces), pieces, form.order)


def _checked(form: Format, messages: Sequence[Any]) -> list[Piece]:
    pieces = form.read(messages)
    for piece in pieces:
        for text in (piece.text, piece.name):
            if not isinstance(text, str):
                raise TypeError(f"a {type(text).__name__} where a text belongs")
    return pieces


def _first_unreadable(form: Format, messages: Sequence[Any]) -> int:
    for position, message in enumerate(messages):
        try:
            _checked(form, [message])
        except _OF_A_WRONG_KIND:
            return position
    return len(messages) - 1
