"""The decision itself, on columns: similarities in, kept positions out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dsgc._activity import Standing
from dsgc._adjacency import Adjacency
from dsgc._arrays import Indices, PerBlock, PerBlockCost, PerBlockFlag, PerBlockIndex
from dsgc._links import Links
from dsgc._policy import RetentionPolicy
from dsgc._reachability import reachable
from dsgc._scoring import Scores, score_blocks
from dsgc._selection import Fill, FillRules, fill
from dsgc.errors import PinsOverBudgetError


class Columns(NamedTuple):
    """The blocks of one retention, oldest first.

    Attributes:
        ids: Distinct names.
        similarity: To the query.
        cost: In tokens.
        pinned: Whether each block stays whatever its score.
        text_group: Equal for blocks of equal text.
        standing: Where blocks stand in time; without it each is a unit of its own.
        needs: Row `j` holds what block `j` cannot be kept without under any policy. It is no edge:
            no relevance flows along it, and it is no use.
    """

    ids: Sequence[str]
    similarity: PerBlock
    cost: PerBlockCost
    pinned: PerBlockFlag
    text_group: PerBlockIndex
    standing: Standing | None = None
    needs: Adjacency | None = None


class Decision(NamedTuple):
    """What was decided, and all it was decided on.

    Row `j` of `required` holds what block `j` was not to be kept without, if there is any such.
    """

    columns: Columns
    links: Links
    budget: int
    policy: RetentionPolicy
    scores: Scores
    required: Adjacency | None
    fill: Fill


class Pins(NamedTuple):
    """The positions of the pinned blocks and of what they need, and what all of these cost."""

    pinned: Indices
    needed: Indices
    cost: int


def decide(columns: Columns, links: Links, budget: int, policy: RetentionPolicy) -> Decision:
    """Score the blocks and fill the budget; raise if what is pinned does not fit."""
    scores = score_blocks(
        columns.similarity, columns.cost, links.dependents, policy, columns.standing
    )
    required = _required(columns, links, policy)
    _check_pins(columns, required, budget)
    filled = _fill(columns, required, budget, policy, scores)
    return Decision(columns, links, budget, policy, scores, required, filled)


def decide_again(decision: Decision, budget: int) -> Decision:
    """Return the decision on the same scores under another budget."""
    filled = _fill(decision.columns, decision.required, budget, decision.policy, decision.scores)
    return decision._replace(budget=budget, fill=filled)


def cost_up_to(decision: Decision, blocks: Sequence[int]) -> int:
    """Return what was spent by the time that the pinned and all of `blocks` were taken."""
    columns = decision.columns
    taken, taken_for = decision.fill
    sakes = taken_for[np.isin(taken, blocks)]
    paid = np.flatnonzero(np.isin(taken_for, sakes) | columns.pinned[taken_for])
    return int(columns.cost[taken[: paid[-1] + 1]].sum()) if paid.size else 0


def _required(columns: Columns, links: Links, policy: RetentionPolicy) -> Adjacency | None:
    if not policy.closed:
        return columns.needs
    return links.prerequisites if columns.needs is None else links.prerequisites | columns.needs


def _fill(
    columns: Columns,
    required: Adjacency | None,
    budget: int,
    policy: RetentionPolicy,
    scores: Scores,
) -> Fill:
    rules = FillRules(
        stop=policy.overflow == "stop",
        prerequisites=required,
        text_group=columns.text_group if policy.deduplicate else None,
    )
    pinned = np.flatnonzero(columns.pinned)
    return fill(scores.merit, columns.similarity, columns.cost, budget, pinned, rules)


def pins_of(columns: Columns, required: Adjacency | None) -> Pins:
    """Return what is kept whatever its score."""
    pinned = np.flatnonzero(columns.pinned)
    needed = pinned[:0] if required is None or not pinned.size else reachable(required, pinned)
    return Pins(pinned, needed, int(columns.cost[pinned].sum() + columns.cost[needed].sum()))


def _check_pins(columns: Columns, required: Adjacency | None, budget: int) -> None:
    pins = pins_of(columns, required)
    if pins.cost > budget:
        raise over_budget(columns, pins, pins.cost, budget)


def over_budget(columns: Columns, pins: Pins, cost: int, budget: int) -> PinsOverBudgetError:
    """Return the error that names what is pinned and what that needs."""
    pinned = [columns.ids[block] for block in pins.pinned.tolist()]
    needed = [columns.ids[block] for block in pins.needed.tolist()]
    return PinsOverBudgetError(pinned, needed, cost, budget)
