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
        unread: The unit whose results end the conversation, which the model has not seen yet; none
            where results are not cut, and one that is long would leave no room for others.
    """

    required: frozenset[int]
    whole: frozenset[int]
    first_user: int | None
    unread: int | None = None

    def choices(self, keep_first_user: bool | None) -> list[frozenset[int]]:
        """Return what to pin, as much as is wished for first, and what has to be last."""
        first = frozenset() if self.first_user is None else frozenset({self.first_user})
        unread = frozenset() if self.unread is None else frozenset({self.unread})
        if keep_first_user is not None:
            least = self.required | first if keep_first_user else self.required
            return _distinct(least | unread, least)
        wishes = (first | unread, unread, first, frozenset[int]())
        return _distinct(*(self.required | wish for wish in wishes))


def pins_of(transcript: Transcript, pin: Predicate | None, *, split_results: bool) -> Pins:
    """Return what stays; `pin` says of a message whether the caller wants it to."""
    units = transcript.units
    users = [number for number, unit in enumerate(units) if unit.side == "user"]
    whole = frozenset(_asked_for(transcript, pin))
    required = whole.union(
        (number for number, unit in enumerate(units) if _stays(unit)), users[-1:]
    )
    first_user = users[0] if users and users[0] not in required else None
    unread = _unread(transcript, required) if split_results else None
    return Pins(required, whole, first_user, unread)


def _unread(transcript: Transcript, required: frozenset[int]) -> int | None:
    last = len(transcript.pieces) - 1
    for number, unit in enumerate(transcript.units):
        if unit.results and unit.members[-1] == last and number not in required:
            return number
    return None


def _distinct(*choices: frozenset[int]) -> list[frozenset[int]]:
    return list(dict.fromkeys(choices))


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
