"""Units: what of a conversation is kept or evicted together."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from dsgc.messages._pairing import pair
from dsgc.messages._pieces import ASSISTANT_SIDE, Kind, Piece

Side: TypeAlias = Literal["system", "user", "assistant"]


class Unit(NamedTuple):
    """Pieces that only make sense together: a message, or calls with all their results.

    Attributes:
        id: `m` and the position of the message it begins in; `m3.1` if it begins with part 1 of
            message 3, after another unit has.
        side: Who it begins with: `system`, `user` or `assistant`.
        pieces: Its pieces, in order.
        members: Where these stand among all pieces of the conversation.
        is_pending: Whether one of its calls still waits for a result.

    Example:
        >>> from dsgc.messages import read_units
        >>> call = {"id": "c1", "function": {"name": "read", "arguments": '{"path": "a.txt"}'}}
        >>> (unit,) = read_units([
        ...     {"role": "assistant", "content": "I read it.", "tool_calls": [call]},
        ...     {"role": "tool", "tool_call_id": "c1", "content": "Buy milk."},
        ... ])
        >>> unit.id, unit.side, unit.positions, unit.is_pending
        ('m0', 'assistant', (0, 1), False)
        >>> [call.arguments for call in unit.calls], [result.text for result in unit.results]
        ([{'path': 'a.txt'}], ['Buy milk.'])
        >>> unit.text.splitlines()
        ['I read it.', 'read', '{"path": "a.txt"}', 'Buy milk.']
    """

    id: str
    side: Side
    pieces: tuple[Piece, ...]
    members: tuple[int, ...]
    is_pending: bool = False

    @property
    def calls(self) -> tuple[Piece, ...]:
        """Its calls, in order."""
        return tuple(piece for piece in self.pieces if piece.kind == "call")

    @property
    def results(self) -> tuple[Piece, ...]:
        """Its results, in order."""
        return tuple(piece for piece in self.pieces if piece.kind == "result")

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of the messages that it has a part in."""
        return tuple(dict.fromkeys(piece.message for piece in self.pieces))

    @property
    def text(self) -> str:
        """All that it says."""
        return "\n".join(piece.text for piece in self.pieces if piece.text)


class Conversation(NamedTuple):
    """A conversation in units, oldest first, and the pieces that are broken.

    Attributes:
        units: In the order in which they begin.
        orphans: Results without a call before them that still waits for one.
        unanswered: Calls that wait for a result; they belong to units.
        strays: Units that have no valid place once the orphans are gone; they are not in `units`.
    """

    units: tuple[Unit, ...]
    orphans: tuple[Piece, ...]
    unanswered: tuple[Piece, ...]
    strays: tuple[Unit, ...] = ()


def units_of(pieces: Sequence[Piece]) -> Conversation:
    """Gather pieces into units: results go to their calls, wherever they stand."""
    pairing = pair(pieces)
    members: dict[tuple[int, Side], list[int]] = {}
    orphans = set(pairing.orphans)
    for position, piece in enumerate(pieces):
        if position not in orphans:
            home = pieces[pairing.call_of[position]] if piece.kind == "result" else piece
            members.setdefault((home.turn, _side(home.kind)), []).append(position)
    units = []
    waiting = frozenset(pairing.unanswered)
    begun: set[int] = set()
    for (_, side), positions in members.items():
        units.append(_unit(side, positions, pieces, waiting, begun))
    return Conversation(
        tuple(units),
        tuple(pieces[position] for position in pairing.orphans),
        tuple(pieces[position] for position in pairing.unanswered),
    )


def _unit(
    side: Side,
    positions: list[int],
    pieces: Sequence[Piece],
    waiting: frozenset[int],
    begun: set[int],
) -> Unit:
    first = pieces[positions[0]]
    name = f"m{first.message}" if first.message not in begun else f"m{first.message}.{first.part}"
    begun.add(first.message)
    is_pending = not waiting.isdisjoint(positions)
    said = tuple(pieces[position] for position in positions)
    return Unit(name, side, said, tuple(positions), is_pending)


def _side(kind: Kind) -> Side:
    if kind in ASSISTANT_SIDE:
        return "assistant"
    return "system" if kind == "system" else "user"
