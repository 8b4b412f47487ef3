"""Kernels: the order of the blocks, and how the budget is filled along it."""

from typing import NamedTuple

import numpy as np

from dsgc._adjacency import Adjacency
from dsgc._arrays import (
    Indices,
    PerBlock,
    PerBlockCost,
    PerBlockFlag,
    PerBlockIndex,
)
from dsgc._reachability import path_costs


class FillRules(NamedTuple):
    """How a budget is filled.

    Row `j` of `prerequisites` holds what block `j` depends on; given, kept sets are closed.
    `text_group[i]` is equal for blocks of equal text; given, one block of each text is kept.
    """

    stop: bool = False
    prerequisites: Adjacency | None = None
    text_group: PerBlockIndex | None = None


class Fill(NamedTuple):
    """What was kept: the blocks in the order taken, and for whose sake each was."""

    taken: Indices
    taken_for: Indices

    def is_kept(self, n_blocks: int) -> PerBlockFlag:
        """Return whether each block was kept."""
        is_kept = np.zeros(n_blocks, dtype=np.bool_)
        is_kept[self.taken] = True
        return is_kept


def ranked(merit: PerBlock, similarity: PerBlock) -> Indices:
    """Return the positions of all blocks: merit descending, then similarity, then as given."""
    return np.lexsort((-similarity, -merit))


def fill(
    merit: PerBlock,
    similarity: PerBlock,
    cost: PerBlockCost,
    budget: int,
    pinned: Indices,
    rules: FillRules,
) -> Fill:
    """Keep the pinned blocks, then walk the order and keep what fits.

    The order is only computed as far as the budget reaches. The pinned blocks must fit.
    """
    walk = _Walk(cost, budget, rules)
    for block in pinned.tolist():
        if not walk.is_kept[block]:
            walk.take(walk.needed(block), block)
    pending = np.flatnonzero(~walk.is_kept) if pinned.size else np.arange(cost.size)
    size = _first_guess(cost, walk.left) if rules.prerequisites is None else _VERY_FEW
    while pending.size and not walk.is_over:
        is_best = _best(merit, similarity, pending, size)
        best = pending[is_best]
        walk.visit(best[ranked(merit[best], similarity[best])])
        pending = pending[:0] if walk.is_over else walk.candidates(pending[~is_best])
        size *= 2
    return Fill(np.array(walk.taken, dtype=np.int64), np.array(walk.taken_for, dtype=np.int64))


def _first_guess(cost: PerBlockCost, budget: int) -> int:
    """Return how many blocks to look at first: what may fit, and as many again to fill the gaps."""
    typical = max(float(cost.mean()), 1.0) if cost.size else 1.0
    return 2 * int(min(budget / typical, cost.size)) + _FEW


def _best(merit: PerBlock, similarity: PerBlock, pending: Indices, size: int) -> PerBlockFlag:
    """Return which of `pending` are the `size` best, or all if there are few more."""
    if pending.size <= 2 * size:
        return np.ones(pending.size, dtype=np.bool_)
    everything = pending.size == merit.size
    values = merit if everything else merit[pending]
    threshold = np.partition(values, -size)[-size]
    is_best: PerBlockFlag = values > threshold
    tied = np.flatnonzero(values == threshold)
    n_open = size - int(np.count_nonzero(is_best))
    is_best[tied[ranked(merit[pending[tied]], similarity[pending[tied]])[:n_open]]] = True
    return is_best


_FEW = 64
_VERY_FEW = 16  # where one block may take long to look at
_SPREADS = 32


class _Walk:
    """The state of one fill."""

    def __init__(self, cost: PerBlockCost, budget: int, rules: FillRules) -> None:
        self.left = budget
        self._is_stopped = False
        self._cheapest = int(cost.min()) if cost.size else 0
        self.taken: list[int] = []
        self.taken_for: list[int] = []
        self._cost = cost
        self._rules = rules
        self.is_kept = np.zeros(cost.size, dtype=np.bool_)
        self._kept_groups: set[int] = set()
        self._is_unfit = np.zeros(cost.size, dtype=np.bool_)

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be kept."""
        return self._is_stopped or self.left < self._cheapest

    def take(self, blocks: list[int], sake: int | None = None) -> None:
        """Keep `blocks`, each for its own sake or all for the sake of one."""
        self.taken += blocks
        self.taken_for += blocks if sake is None else [sake] * len(blocks)
        self.left -= int(self._cost[blocks].sum())
        self.is_kept[blocks] = True
        if self._rules.text_group is not None:
            self._kept_groups.update(self._rules.text_group[blocks].tolist())

    def candidates(self, pending: Indices) -> Indices:
        """Return those of `pending` that may still be kept."""
        if self._rules.stop:
            return pending[~self.is_kept[pending]]
        if self._rules.prerequisites is not None and self._is_unfit.any():
            self._spread_unfit(self._rules.prerequisites)
        is_out = self._is_unfit | self.is_kept | (self._cost > self.left)
        return pending[~is_out[pending]]

    def _spread_unfit(self, prerequisites: Adjacency) -> None:
        """Mark what surely does not fit; what is missed here is found on the walk, one by one."""
        missing_cost = np.where(self.is_kept, 0.0, self._cost)
        self._is_unfit |= path_costs(prerequisites, missing_cost) > self.left
        for _ in range(_SPREADS):
            needs_unfit = prerequisites @ self._is_unfit.astype(np.float64) > 0
            if not (needs_unfit & ~self._is_unfit).any():
                return
            self._is_unfit |= needs_unfit

    def visit(self, ordered: Indices) -> None:
        """Keep what fits of `ordered`, in this order."""
        if self._rules.prerequisites is None and self._rules.text_group is None:
            ordered = self._take_prefix(ordered)
        for block in ordered.tolist():
            if self.is_over:
                return
            if self.is_kept[block] or self._is_duplicate(block):
                continue
            needed = self.needed(block)
            if needed:
                self.take(needed, block)
            elif self._rules.stop:
                self._is_stopped = True

    def _take_prefix(self, ordered: Indices) -> Indices:
        """Keep the longest run that fits from the start; return what may fit of the rest."""
        total = np.cumsum(self._cost[ordered])
        n_fitting = int(np.searchsorted(total, self.left, side="right"))
        self.take(ordered[:n_fitting].tolist())
        rest = ordered[n_fitting:]
        return rest if self._rules.stop else rest[self._cost[rest] <= self.left]

    def _is_duplicate(self, block: int) -> bool:
        group = self._rules.text_group
        return group is not None and int(group[block]) in self._kept_groups

    def needed(self, block: int) -> list[int]:
        """Return the block and its prerequisites not yet kept, or nothing if they do not fit."""
        needed, seen, stack, total = [], {block}, [block], 0
        while stack:
            current = stack.pop()
            total += int(self._cost[current])
            # What does not fit once never will: taking other blocks lowers the budget left by at
            # least as much as it lowers the cost of what is missing.
            if total > self.left or self._is_unfit[current]:
                self._is_unfit[block] = True
                return []
            needed.append(current)
            if self._rules.prerequisites is None:
                break
            for required in self._rules.prerequisites.row(current):
                if required not in seen and not self.is_kept[required]:
                    seen.add(required)
                    stack.append(required)
        return needed
