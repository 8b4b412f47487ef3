"""The smallest things a history says, and which result belongs to which call."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["system", "user", "assistant", "reasoning", "call", "result"]


@dataclass(frozen=True)
class Atom:
    """One thing that a message says.

    `position` is the index of the message, `keys` are what a result is matched by, `says` is all of
    the content in a form that can be compared, `texts` are its texts alone.
    """

    kind: Kind
    position: int
    says: str = ""
    keys: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind} {sorted(self.keys) or ''}{self.says[:60]!r}"


@dataclass
class Pairing:
    """Indexes of atoms."""

    call_of: dict[int, int] = field(default_factory=dict)  # by result
    orphans: list[int] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)


def pair(atoms: Sequence[Atom]) -> Pairing:
    """Give each result the nearest earlier unanswered call, in one message the first."""
    pairing = Pairing()
    for index, atom in enumerate(atoms):
        if atom.kind == "call":
            pairing.pending.append(index)
        if atom.kind != "result":
            continue
        open_calls = [call for call in pairing.pending if atoms[call].keys & atom.keys]
        if not open_calls:
            pairing.orphans.append(index)
            continue
        nearest = atoms[open_calls[-1]].position
        call = next(call for call in open_calls if atoms[call].position == nearest)
        pairing.pending.remove(call)
        pairing.call_of[index] = call
    return pairing
