"""What was made of conversations before, for as long as they go on from there."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from threading import Lock
from typing import Any, NamedTuple

from dsgc.messages._pieces import Piece
from dsgc.messages._result import Compaction


class Copy(NamedTuple):
    """A message that is only kept in part, with what it was made of, as both looked then."""

    message: Any
    source: Any
    look: Any


class Past(NamedTuple):
    """A conversation that was compacted.

    Attributes:
        form: The name of its format.
        pieces: What its messages were read into.
        n_messages: How many these were.
        places: Where those that were kept stood.
        copies: The ones among these that are no objects given, by where they stood.
        compaction: What it was made into.
    """

    form: str
    pieces: Sequence[Piece]
    n_messages: int
    places: Sequence[int]
    copies: Mapping[int, Copy]
    compaction: Compaction

    def begins(self, form: str, pieces: Sequence[Piece]) -> bool:
        """Say whether another conversation says at its beginning just what this one does."""
        end = len(self.pieces)
        # From the end, where two conversations with the same system message differ.
        return (
            form == self.form
            and len(pieces) >= end
            and (len(pieces) == end or pieces[end].message >= self.n_messages)
            and all(
                _are_equal(one, other)
                for one, other in zip(reversed(self.pieces), reversed(pieces[:end]), strict=True)
            )
        )

    def messages_of(self, given: Sequence[Any]) -> list[Any] | None:
        """Return what is left of the messages of this conversation, given them anew.

        None where a message of which only a part was kept differs, if only in what is not text.
        """
        for position, copy in self.copies.items():
            if not _are_equal(snapshot(given[position]), copy.source):
                return None
            if not _are_equal(snapshot(copy.message), copy.look):
                return None
        return [
            self.copies[position].message if position in self.copies else given[position]
            for position in self.places
        ]


def past_of(
    form: str, given: Sequence[Any], pieces: Sequence[Piece], compaction: Compaction
) -> Past | None:
    """Return what to remember of a compaction, if anything was left out."""
    rows = compaction.report.rows
    if all(row.outcome in ("kept", "dropped") for row in rows):
        return None
    places = sorted(
        {position for row in rows if row.outcome in ("kept", "cut") for position in row.positions}
    )
    copies = {
        position: Copy(message, snapshot(given[position]), snapshot(message))
        for position, message in zip(places, compaction.messages, strict=True)
        if message is not given[position]
    }
    return Past(form, tuple(pieces), len(given), places, copies, compaction)


class Memory:
    """The latest compactions of so many conversations; it may be used by many threads at once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._pasts: list[Past] = []
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Memory, (self._size,)  # a copy, or what another process gets, begins afresh

    def recall(self, form: str, pieces: Sequence[Piece]) -> Past | None:
        """Return the latest of the conversations that this one continues."""
        with self._lock:
            pasts = self._pasts[::-1]
        found = (past for past in pasts if past.begins(form, pieces))
        past = max(found, key=lambda past: len(past.pieces), default=None)
        if past is not None:
            with self._lock:
                if past in self._pasts:
                    self._pasts.remove(past)
                    self._pasts.append(past)
        return past

    def remember(self, past: Past) -> None:
        """Put a conversation in the place of those that it continues, or of the oldest."""
        with self._lock:
            others = [each for each in self._pasts if not each.begins(past.form, past.pieces)]
            self._pasts = [*others, past][-self._size :] if self._size else []


def snapshot(value: Any, depth: int = 8) -> Any:
    """Return a copy of all that a message holds, as deep as messages go, for comparison."""
    if depth == 0:
        return value
    if isinstance(value, Mapping):
        return {name: snapshot(each, depth - 1) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [snapshot(each, depth - 1) for each in value]
    if hasattr(value, "model_fields_set"):
        return type(value), {name: snapshot(each, depth - 1) for name, each in vars(value).items()}
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        return type(value), {name: snapshot(getattr(value, name), depth - 1) for name in names}
    return value


def _are_equal(one: object, other: object) -> bool:
    try:
        return bool(one == other)
    except (TypeError, ValueError, RecursionError):  # arrays, for one, do not compare to a bool
        return False
