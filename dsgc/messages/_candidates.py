"""The blocks that compete for the budget: units, and the parts of their long results."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple, overload

from dsgc._block import Block
from dsgc.messages._cutting import cut
from dsgc.messages._pieces import Piece
from dsgc.messages._pricing import Pricing
from dsgc.messages._splitting import WORDS_PER_PART, Node, leaves_of, size, split
from dsgc.messages._units import Unit

LONG = 2 * WORDS_PER_PART  # words; a shorter result is kept or evicted whole


class LongResult(NamedTuple):
    """A result that may be cut.

    Attributes:
        member: Where its piece stands.
        node: Its text, split.
        first: The block of its first part.
        n_parts: How many parts it has.
        stub: What stands for it where none of them is kept.
    """

    member: int
    node: Node
    first: int
    n_parts: int
    stub: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """Blocks by position: each unit's own, followed by the parts of its long results.

    Attributes:
        ids: A unit's own block has the unit's id, its parts are numbered `m3#1`, `m3#2`.
        texts: What each block says; a part also says the keys on the way to it.
        costs: In tokens; a unit's own block pays for what marks the parts that are left out.
        unit: The unit that each block is of.
        own: The own block of each unit.
        long_results: In order.
    """

    ids: list[str]
    texts: list[str]
    costs: list[int]
    unit: list[int]
    own: list[int]
    long_results: list[LongResult]


def candidates_of(
    units: Sequence[Unit], pricing: Pricing, whole: Collection[int], *, split_results: bool
) -> Candidates:
    """Return the blocks of units; those at the positions in `whole` are never split."""
    found = Candidates([], [], [], [], [], [])
    for number, unit in enumerate(units):
        is_open = split_results and number not in whole
        _add_unit(found, number, unit, pricing, may_split=is_open)
    return found


def _add_unit(
    found: Candidates, number: int, unit: Unit, pricing: Pricing, *, may_split: bool
) -> None:
    is_long = [may_split and _is_long(piece) for piece in unit.pieces]
    own = len(found.ids)
    found.own.append(own)
    short = [piece for piece, long in zip(unit.pieces, is_long, strict=True) if not long]
    _add_block(found, unit.id, "\n".join(p.text for p in short if p.text), 0, number)
    cost = pricing.pieces(unit.pieces)
    for piece, member in compress(zip(unit.pieces, unit.members, strict=True), is_long):
        node = split(piece.text) if not piece.media else Node("leaf", piece.text)
        parts = list(leaves_of(node))
        stub = _stub(node, len(parts), piece.media, pricing)
        found.long_results.append(LongResult(member, node, len(found.ids), len(parts), stub))
        cost += pricing.text(stub) - pricing.piece(piece)
        for part, keys in parts:
            text = f"{keys} {part.text}" if keys else part.text
            tokens = max(pricing.text(f"{part.key}{part.text}"), 1) + piece.media
            _add_block(found, f"{unit.id}#{len(found.ids) - own}", text, tokens, number)
    found.costs[own] = cost


def _stub(node: Node, n_parts: int, media: int, pricing: Pricing) -> str:
    def count_tokens(lost: str) -> int:
        return pricing.text(lost) + media  # a result that has media is one part, marked once

    return cut(node, [False] * n_parts, count_tokens)


def _add_block(found: Candidates, name: str, text: str, tokens: int, unit: int) -> None:
    found.ids.append(name)
    found.texts.append(text)
    found.costs.append(tokens)
    found.unit.append(unit)


def _is_long(piece: Piece) -> bool:
    return piece.replaceable and (piece.media > 0 or size(piece.text) > LONG)


def needs_of_parts(found: Candidates) -> Iterator[tuple[int, int]]:
    """Yield each part with its unit's own block, without which it cannot be kept."""
    for block, unit in enumerate(found.unit):
        if block != found.own[unit]:
            yield block, found.own[unit]


class Blocks(Sequence[Block]):
    """The candidates as blocks, each made when it is asked for."""

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates

    @overload
    def __getitem__(self, key: int) -> Block: ...
    @overload
    def __getitem__(self, key: slice) -> list[Block]: ...
    def __getitem__(self, key: int | slice) -> Block | list[Block]:
        if isinstance(key, slice):
            return [self[position] for position in range(len(self))[key]]
        found = self._candidates
        return Block(found.ids[key], found.texts[key], found.costs[key])

    def __len__(self) -> int:
        return len(self._candidates.ids)
