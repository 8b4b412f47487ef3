"""Which units stay whatever their score."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from dsgc.errors import InputTypeError
from dsgc.messages._transcript import Transcript
from dsgc.messages._units import Unit

Predicate: TypeAlias = Callable[[Any], object]


class Pins(NamedTuple):
    """Positions of units.

    Attributes:
        required: Those that stay: system messages, the latest user turn, calls that wait for a
            result, and what the caller or the format pins.
        whole: Those of them whose results are not cut either, since the caller pins them.
        first_user: The first user turn, unless it is required already.
    """

    required: frozenset[int]
    whole: frozenset[int]
    first_user: int | None


def pins_of(transcript: Transcript, pin: Predicate | None) -> Pins:
    """Return what stays; `pin` says of a message whether the caller wants it to."""
    units = transcript.units
    users = [number for number, unit in enumerate(units) if unit.side == "user"]
    whole = frozenset(_asked_for(transcript, pin))
    required = whole.union(
        (number for number, unit in enumerate(units) if _stays(unit)), users[-1:]
    )
    first_user = users[0] if users and users[0] not in required else None
    return Pins(required, whole, first_user)


def _stays(unit: Unit) -> bool:
    return unit.side == "system" or unit.is_pending or any(piece.pinned for piece in unit.pieces)


def _asked_for(transcript: Transcript, pin: Predicate | None) -> Sequence[int]:
    if pin is None:
        return ()
    if not callable(pin):
        raise InputTypeError(
            f"pin is of the type {type(pin).__name__}. Give a function from a message to whether "
            "it must stay."
        )
    wanted = {position for position, each in enumerate(transcript.messages) if pin(each)}
    return [
        number
        for number, unit in enumerate(transcript.units)
        if not wanted.isdisjoint(unit.positions)
    ]
