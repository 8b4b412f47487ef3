"""The decision itself, on columns: similarities in, kept positions out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dsgc._arrays import PerBlock, PerBlockCost, PerBlockFlag, PerBlockIndex
from dsgc._links import Links
from dsgc._policy import RetentionPolicy
from dsgc._reachability import reachable
from dsgc._scoring import Scores, score_blocks
from dsgc._selection import Fill, FillRules, fill
from dsgc.errors import PinsOverBudgetError


class Columns(NamedTuple):
    """The blocks of one retention, oldest first; blocks of one `text_group` have equal texts."""

    ids: Sequence[str]
    similarity: PerBlock
    cost: PerBlockCost
    pinned: PerBlockFlag
    text_group: PerBlockIndex


class Decision(NamedTuple):
    """What was decided, and all it was decided on."""

    columns: Columns
    links: Links
    budget: int
    policy: RetentionPolicy
    scores: Scores
    fill: Fill


def decide(columns: Columns, links: Links, budget: int, policy: RetentionPolicy) -> Decision:
    """Score the blocks and fill the budget; raise if what is pinned does not fit."""
    scores = score_blocks(columns.similarity, columns.cost, links.dependents, policy)
    _check_pins(columns, links, budget, policy)
    filled = _fill(columns, links, budget, policy, scores)
    return Decision(columns, links, budget, policy, scores, filled)


def decide_again(decision: Decision, budget: int) -> Decision:
    """Return the decision on the same scores under another budget."""
    columns, links, _, policy, scores, _ = decision
    return decision._replace(budget=budget, fill=_fill(columns, links, budget, policy, scores))


def cost_up_to(decision: Decision, blocks: Sequence[int]) -> int:
    """Return what was spent by the time that the pinned and all of `blocks` were taken."""
    columns = decision.columns
    taken, taken_for = decision.fill
    sakes = taken_for[np.isin(taken, blocks)]
    paid = np.flatnonzero(np.isin(taken_for, sakes) | columns.pinned[taken_for])
    return int(columns.cost[taken[: paid[-1] + 1]].sum()) if paid.size else 0


def _fill(
    columns: Columns, links: Links, budget: int, policy: RetentionPolicy, scores: Scores
) -> Fill:
    rules = FillRules(
        stop=policy.overflow == "stop",
        prerequisites=links.prerequisites if policy.closed else None,
        text_group=columns.text_group if policy.deduplicate else None,
    )
    pinned = np.flatnonzero(columns.pinned)
    return fill(scores.merit, columns.similarity, columns.cost, budget, pinned, rules)


def _check_pins(columns: Columns, links: Links, budget: int, policy: RetentionPolicy) -> None:
    pinned = np.flatnonzero(columns.pinned)
    if not pinned.size:
        return
    required = reachable(links.prerequisites, pinned) if policy.closed else pinned[:0]
    cost = int(columns.cost[pinned].sum() + columns.cost[required].sum())
    if cost > budget:
        pinned_ids = [columns.ids[block] for block in pinned.tolist()]
        required_ids = [columns.ids[block] for block in required.tolist()]
        raise PinsOverBudgetError(pinned_ids, required_ids, cost, budget)
