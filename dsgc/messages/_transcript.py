"""A conversation as it was given, read and priced."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dsgc._tokens import TokenCounter
from dsgc.errors import InputTypeError
from dsgc.messages._detection import AUTO, format_of
from dsgc.messages._format import Format
from dsgc.messages._pieces import Piece
from dsgc.messages._pricing import Pricing
from dsgc.messages._reading import conversation_of, read_pieces
from dsgc.messages._units import Conversation, Unit


@dataclass(frozen=True, slots=True)
class Transcript:
    """Messages, what they were read into, and what each costs in tokens."""

    messages: Sequence[Any]
    form: Format
    pieces: Sequence[Piece]
    conversation: Conversation
    pricing: Pricing
    price_of: Sequence[int]

    @property
    def units(self) -> tuple[Unit, ...]:
        """The units, oldest first."""
        return self.conversation.units

    @property
    def tokens(self) -> int:
        """What all messages cost."""
        return sum(self.price_of)


def read_transcript(messages: object, form: str, count_tokens: TokenCounter) -> Transcript:
    """Read messages of a format, given by name or `auto`, and price them."""
    given = checked_messages(messages)
    chosen = format_of(given, form)
    pieces = read_pieces(chosen, given)
    pricing = Pricing(count_tokens)
    price_of = [pricing.framing] * len(given)
    for piece in pieces:
        price_of[piece.message] += pricing.piece(piece)
    conversation = conversation_of(chosen, pieces)
    return Transcript(given, chosen, pieces, conversation, pricing, price_of)


def checked_messages(messages: object) -> list[Any]:
    """Return messages as a list of their own."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise InputTypeError(
            f"messages is of the type {type(messages).__name__}. Give a list of messages."
        )
    return list(messages)


def read_units(messages: Iterable[Any], *, format: str = AUTO) -> tuple[Unit, ...]:
    """Read a conversation into the units that are kept or evicted together.

    Args:
        messages: A conversation of any of the formats that `compact` takes, oldest first.
        format: Its name, or `auto`.

    Returns:
        The units in the order in which they begin. A result without a call belongs to none.

    Raises:
        InputTypeError: `messages` is no list.
        UnknownFormatError: there is no format of this name.
        UnreadableMessageError: a message is not of the format.

    Example:
        >>> units = read_units([{"role": "user", "content": "Where is my order?"}])
        >>> units[0].id, units[0].side, units[0].text
        ('m0', 'user', 'Where is my order?')
    """
    given = checked_messages(messages)
    form = format_of(given, format)
    return conversation_of(form, read_pieces(form, given)).units
