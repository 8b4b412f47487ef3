"""The messages of what was kept."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dsgc.messages._transcript import Transcript


class Message(NamedTuple):
    """A message that is kept, whole or in part, and where it stood."""

    position: int
    message: Any


def rebuild(transcript: Transcript, kept: Iterable[int], texts: Mapping[int, str]) -> list[Message]:
    """Return the messages that have kept pieces, in order.

    Args:
        transcript: The conversation.
        kept: The positions of the pieces that stay.
        texts: New texts of results among these, by the position of their piece.

    Returns:
        The very objects, but for those of which a piece went or a result was cut.
    """
    pieces, messages = transcript.pieces, transcript.messages
    stays = [False] * len(pieces)
    for position in kept:
        stays[position] = True
    parts: dict[int, dict[int, str | None]] = defaultdict(dict)
    changed = {pieces[position].message for position in texts}
    for position, piece in enumerate(pieces):
        if not stays[position]:
            changed.add(piece.message)
        elif position in texts:
            parts[piece.message][piece.part] = texts[position]
        else:
            parts[piece.message].setdefault(piece.part, None)
    return [
        Message(
            position,
            transcript.form.rebuild(messages[position], parts[position])
            if position in changed
            else messages[position],
        )
        for position in sorted(parts)
    ]


def price(rebuilt: Sequence[Message], transcript: Transcript) -> int:
    """Return what messages cost, in tokens; only those that changed are read anew."""
    form, pricing = transcript.form, transcript.pricing
    return sum(
        transcript.price_of[position]
        if message is transcript.messages[position]
        else pricing.pieces(form.read([message]))
        for position, message in rebuilt
    )
