"""Why each block was kept or evicted, read off a decision after the fact."""

from functools import cached_property

import numpy as np

from dsgc._arrays import Indices, PerBlockFlag, PerBlockIndex
from dsgc._decision import Decision
from dsgc._records import Verdict
from dsgc._selection import ranked


class Verdicts:
    """Retraces the fill of a decision for single blocks."""

    def __init__(self, decision: Decision) -> None:
        self._columns, self._required = decision.columns, decision.required
        self._budget, self._policy = decision.budget, decision.policy
        self._scores, self._fill = decision.scores, decision.fill

    @cached_property
    def order(self) -> Indices:
        """The positions of all blocks, best first."""
        return ranked(self._scores.merit, self._scores.similarity)

    @cached_property
    def place(self) -> PerBlockIndex:
        """Where each block stands in the order, from 0."""
        place = np.empty_like(self.order)
        place[self.order] = np.arange(self.order.size)
        return place

    @cached_property
    def is_kept(self) -> PerBlockFlag:
        """Whether each block was kept."""
        return self._fill.is_kept(self._columns.cost.size)

    def of(self, block: int) -> Verdict:
        """Return the verdict on the block at a position."""
        ids = self._columns.ids
        if self._columns.pinned[block]:
            return Verdict("pinned")
        if self.is_kept[block]:
            sake = int(self._sake[block])
            return Verdict("ranked") if sake == block else Verdict("prerequisite", ids[sake])
        twin = self._kept_twin(block)
        if twin is not None:
            return Verdict("duplicate", ids[twin])
        if self._policy.overflow == "stop" and block != self._stopped_at:
            return Verdict("fill_stopped", ids[self._stopped_at])
        return self._over_budget(block)

    def _over_budget(self, block: int) -> Verdict:
        cost = self._columns.cost
        left = self._left_before(int(self.place[block]))
        if cost[block] > left:
            return Verdict("over_budget", tokens=int(cost[block]) - left)
        missing = self._missing_prerequisites(block)
        largest = max(missing, key=lambda required: int(cost[required]))
        needed = int(cost[block]) + sum(int(cost[required]) for required in missing)
        return Verdict("prerequisite_over_budget", self._columns.ids[largest], needed - left)

    @cached_property
    def _sake(self) -> PerBlockIndex:
        sake = np.full(self._columns.cost.size, -1)
        sake[self._fill.taken] = self._fill.taken_for
        return sake

    @cached_property
    def _turn(self) -> PerBlockIndex:
        """At which place of the order each block was kept; -1 for the pinned, the last for none."""
        turn = np.full(self._columns.cost.size, self._columns.cost.size)
        taken, sake = self._fill.taken, self._fill.taken_for
        turn[taken] = np.where(self._columns.pinned[sake], -1, self.place[sake])
        return turn

    def _left_before(self, place: int) -> int:
        """Return the tokens that were left when the walk came to a place of the order."""
        taken = self._fill.taken
        n_earlier = np.searchsorted(self._turn[taken], place, side="left")
        return self._budget - int(self._columns.cost[taken[:n_earlier]].sum())

    @cached_property
    def _first_kept_of_group(self) -> dict[int, int]:
        groups = self._columns.text_group[self._fill.taken].tolist()
        return dict(zip(reversed(groups), reversed(self._fill.taken.tolist()), strict=True))

    def _kept_twin(self, block: int) -> int | None:
        """Return the block of equal text that was kept before this one had its turn."""
        if not self._policy.deduplicate:
            return None
        twin = self._first_kept_of_group.get(int(self._columns.text_group[block]))
        return twin if twin is not None and self._turn[twin] < self.place[block] else None

    @cached_property
    def _stopped_at(self) -> int:
        evicted = self.order[~self.is_kept[self.order]].tolist()
        return next(int(block) for block in evicted if self._kept_twin(block) is None)

    def _missing_prerequisites(self, block: int) -> list[int]:
        """Return what else the block needed that was not yet kept at its turn."""
        if self._required is None:
            return []
        place = int(self.place[block])
        seen, stack = {block}, [block]
        while stack:
            for required in self._required.row(stack.pop()):
                if required not in seen and self._turn[required] >= place:
                    seen.add(required)
                    stack.append(required)
        return sorted(seen - {block})
