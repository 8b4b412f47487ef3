"""The decision which blocks of a conversation survive."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from dsgc._activity import Standing
from dsgc._adjacency import Adjacency
from dsgc._arrays import PerBlockFlag, PerBlockIndex
from dsgc._columns import distinct_texts
from dsgc._decision import Columns, Decision, decide
from dsgc._embedding import similarity_to_query
from dsgc._encoding import Encoder
from dsgc._links import Links
from dsgc._policy import RetentionPolicy
from dsgc.messages._candidates import Candidates, needs_of_parts
from dsgc.messages._induction import InducedEdge, Source, callers_of, edges_among
from dsgc.messages._order import Need
from dsgc.messages._units import Unit
from dsgc.messages._values import legible


class Wish(NamedTuple):
    """What the caller values."""

    query: str
    policy: RetentionPolicy
    encoder: Encoder | None


class Competition:
    """Blocks with their similarities and edges, ready to be decided on under any budget."""

    def __init__(self, units: Sequence[Unit], candidates: Candidates, wish: Wish) -> None:
        self.candidates = candidates
        self.edges = tuple(_edges(units, candidates))
        self._links = _links(candidates, self.edges)
        self._policy = wish.policy
        self._distinct = distinct_texts(candidates.ids, candidates.texts)
        similarity = similarity_to_query(self._distinct, wish.query, wish.encoder)
        self._similarity = similarity[self._distinct.of_block]
        self._unit = np.array(candidates.unit, dtype=np.int64)
        self._cost = np.array(candidates.costs, dtype=np.int64)

    def decide(self, pinned: Collection[int], needs: Sequence[Need], budget: int) -> Decision:
        """Decide what survives; `pinned` and `needs` are about units.

        Raises:
            PinsOverBudgetError: the pinned ones and what they need do not fit.
        """
        candidates = self.candidates
        is_pinned = np.zeros(self._unit.size, dtype=np.bool_)
        is_pinned[[candidates.own[number] for number in pinned]] = True
        columns = Columns(
            candidates.ids,
            self._similarity,
            self._cost,
            is_pinned,
            self._distinct.of_block,
            _standing(self._unit, is_pinned),
            _needs(candidates, needs),
        )
        return decide(columns, self._links, budget, self._policy)


def _edges(units: Sequence[Unit], candidates: Candidates) -> list[InducedEdge]:
    blocks = zip(candidates.ids, candidates.unit, candidates.texts, strict=True)
    sources = [Source(name, number, legible(text)) for name, number, text in blocks]
    return edges_among(sources, callers_of(units))


def _links(candidates: Candidates, edges: Sequence[InducedEdge]) -> Links:
    index = {block_id: position for position, block_id in enumerate(candidates.ids)}
    ends = [(index[edge.dependent], index[edge.prerequisite]) for edge in edges]
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return Links.from_positions(pairs[:, 0], pairs[:, 1], len(index))


def _standing(unit: PerBlockIndex, pinned: PerBlockFlag) -> Standing:
    """Let a block be as old as there are newer units that have a block that competes."""
    n_units = int(unit[-1]) + 1 if unit.size else 0
    n_competing = np.bincount(unit[~pinned], minlength=n_units)
    competes = n_competing > 0
    n_newer: PerBlockIndex = np.cumsum(competes[::-1])[::-1] - competes
    share = np.where(pinned, 0.0, 1.0 / np.maximum(n_competing, 1)[unit])
    return Standing(n_newer[unit].astype(np.float64), share)


def _needs(candidates: Candidates, needs: Sequence[Need]) -> Adjacency | None:
    pairs = [(candidates.own[unit], candidates.own[needed]) for unit, needed in needs]
    pairs += needs_of_parts(candidates)
    if not pairs:
        return None
    ends = np.array(pairs, dtype=np.int64)
    return Adjacency.from_entries(ends[:, 0], ends[:, 1], len(candidates.ids))
