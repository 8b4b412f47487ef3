"""What was made of conversations before, for as long as they go on from there."""

from collections.abc import Mapping, Sequence
from operator import is_
from threading import Lock
from typing import Any, NamedTuple

from dsgc.messages._format import Format
from dsgc.messages._pieces import Piece
from dsgc.messages._reading import conversation_of
from dsgc.messages._result import Compaction


class Cut(NamedTuple):
    """What is left of a message that is kept in part, and the parts that `rebuild` makes it of."""

    message: Any
    parts: Mapping[int, str | None]


class Past(NamedTuple):
    """A conversation that was compacted.

    Attributes:
        form: Its format.
        pieces: What its messages were read into.
        n_messages: How many these were.
        places: Where those that were kept stood.
        cuts: The ones among these that are kept in part, by where they stood.
        compaction: What it was made into.
    """

    form: Format
    pieces: Sequence[Piece]
    n_messages: int
    places: Sequence[int]
    cuts: Mapping[int, Cut]
    compaction: Compaction

    def begins(self, form: Format, pieces: Sequence[Piece]) -> bool:
        """Say whether another conversation says at its beginning just what this one does."""
        end = len(self.pieces)
        # From the end, since conversations with one system message differ there.
        return (
            form.name == self.form.name
            and len(pieces) >= end
            and (len(pieces) == end or pieces[end].message >= self.n_messages)
            and all(map(_are_equal, reversed(self.pieces), reversed(pieces[:end])))
        )

    def messages_of(self, given: Sequence[Any]) -> list[Any]:
        """Return what is left of this conversation, of the messages of one that it begins."""
        return [
            self._left_of(given[place], self.cuts[place]) if place in self.cuts else given[place]
            for place in self.places
        ]

    def _left_of(self, message: Any, cut: Cut) -> Any:
        left = self.form.rebuild(message, cut.parts)  # what is no text may have changed since
        return cut.message if _are_equal(left, cut.message) else left


def past_of(
    form: Format, given: Sequence[Any], pieces: Sequence[Piece], compaction: Compaction
) -> Past | None:
    """Return what to remember of a compaction, if anything was left out."""
    if len(compaction.messages) == len(given) and all(map(is_, compaction.messages, given)):
        return None
    rows = compaction.report.rows
    if all(row.outcome in ("kept", "dropped") for row in rows):
        return None
    kept = {row.id for row in rows if row.outcome in ("kept", "cut")}
    units = [unit for unit in conversation_of(form, pieces).units if unit.id in kept]
    stays: dict[int, list[Piece]] = {}
    for member in sorted(member for unit in units for member in unit.members):
        stays.setdefault(pieces[member].message, []).append(pieces[member])
    cuts = {}
    for (place, own), message in zip(stays.items(), compaction.messages, strict=True):
        if message is not given[place]:
            cuts[place] = Cut(message, _parts_of(own, form.read([message])))
            again = form.rebuild(given[place], cuts[place].parts)
            if not _are_equal(again, message):
                return None
    return Past(form, tuple(pieces), len(given), tuple(stays), cuts, compaction)


def _parts_of(own: Sequence[Piece], left: Sequence[Piece]) -> dict[int, str | None]:
    parts: dict[int, str | None] = {}
    for before, after in zip(own, left, strict=False):
        if before.kind == "result" and before.text != after.text:
            parts[before.part] = after.text
        else:
            parts.setdefault(before.part, None)
    return parts


class Memory:
    """The latest compactions of so many conversations; it may be used by many threads at once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._pasts: list[Past] = []
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Memory, (self._size,)  # a copy, or what another process gets, begins afresh

    def recall(self, form: Format, pieces: Sequence[Piece]) -> Past | None:
        """Return the latest of the conversations that this one continues."""
        with self._lock:
            pasts = self._pasts[::-1]
        found = (past for past in pasts if past.begins(form, pieces))
        latest = max(found, key=lambda past: len(past.pieces), default=None)
        with self._lock:  # what was used last goes last; a stable sort leaves the others in order
            self._pasts.sort(key=lambda past: past is latest)
        return latest

    def remember(self, past: Past) -> None:
        """Put a conversation in the place of those that it continues, or of the oldest."""
        with self._lock:
            others = [each for each in self._pasts if not each.begins(past.form, past.pieces)]
            self._pasts = [*others, past][-self._size :] if self._size else []


def _are_equal(one: object, other: object) -> bool:
    try:
        return bool(one == other)
    except (TypeError, ValueError, RecursionError):  # arrays, for one, do not compare to a bool
        return False
