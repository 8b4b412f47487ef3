"""The equations of the library as plain loops over lists: slow, obvious and without numpy.

Blocks are numbered from 0, oldest first; an edge is a pair `(dependent, prerequisite)`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from dsgc import RetentionPolicy

Edges: TypeAlias = Iterable[tuple[int, int]]
Vector: TypeAlias = Sequence[float]


def similarities(embeddings: Sequence[Vector], query: Vector) -> list[float]:
    """Return `s_i`, the inner product of each embedding with the query."""
    return [
        sum(ours * theirs for ours, theirs in zip(embedding, query, strict=True))
        for embedding in embeddings
    ]


def softmax(similarity: Vector, temperature: float) -> list[float]:
    """Return `r_i = exp(s_i / tau) / sum over j of exp(s_j / tau)`, shifted to stay finite."""
    if not similarity:
        return []
    highest = max(similarity)
    exponentials = [math.exp((own - highest) / temperature) for own in similarity]
    total = sum(exponentials)
    return [exponential / total for exponential in exponentials]


def recency(n_blocks: int, exponent: float) -> list[float]:
    """Return `a_i`, proportional to `(1 + age_i) ** -exponent`; the newest block has age 0."""
    ages = [n_blocks - 1 - block for block in range(n_blocks)]
    return _normalised([(1.0 + age) ** -exponent for age in ages])


def activation(n_blocks: int, edges: Edges, decay: float) -> list[float]:
    """Return `b_i`, proportional to the sum of `(1 + age) ** -decay` over the uses of block `i`."""
    distinct = set(edges)
    total = []
    for block in range(n_blocks):
        uses = [block, *(dependent for dependent, required in distinct if required == block)]
        total.append(sum((1.0 + n_blocks - 1 - use) ** -decay for use in uses))
    return _normalised(total)


def additive_support(
    relevance: Vector, edges: Edges, hops: int = 1, damping: float = 1.0
) -> list[float]:
    """Return `pi = sum over k = 1..h of d**(k-1) * P**k r`, with `P[i, j] = 1` for each edge."""
    distinct = list(dict.fromkeys(edges))
    support = [0.0] * len(relevance)
    reached = list(relevance)
    for hop in range(hops):
        ahead = [0.0] * len(relevance)
        for dependent, required in distinct:
            ahead[required] += reached[dependent]
        reached = ahead
        for block, amount in enumerate(reached):
            support[block] += damping**hop * amount
    return support


def liveness(relevance: Vector, edges: Edges, hops: int = 1, damping: float = 1.0) -> list[float]:
    """Return `pi_i`, the largest `d**(k-1) * r_j` over walks of `k <= h` edges from `j` to `i`."""
    distinct = set(edges)
    support = [0.0] * len(relevance)
    for block in range(len(relevance)):
        ends = {block}
        for hop in range(hops):
            ends = {dependent for dependent, required in distinct if required in ends}
            for end in ends:
                support[block] = max(support[block], damping**hop * relevance[end])
    return support


class Terms(NamedTuple):
    """The terms of the score; a term that the policy gives no weight is 0."""

    relevance: list[float]
    support: list[float]
    recency: list[float]
    activation: list[float]
    score: list[float]


def score(similarity: Vector, costs: Sequence[int], edges: Edges, policy: RetentionPolicy) -> Terms:
    """Return `w * r + lambda * pi + rho * a + alpha * b`, per token to the density exponent."""
    n_blocks, edges = len(similarity), list(edges)
    none = [0.0] * n_blocks
    relevance = softmax(similarity, policy.temperature)
    propagate = additive_support if policy.aggregate == "sum" else liveness
    support, new, used = none, none, none
    if policy.prerequisite_weight:
        support = propagate(relevance, edges, policy.hops, policy.damping)
    if policy.recency_weight:
        new = recency(n_blocks, policy.recency_exponent)
    if policy.activation_weight:
        used = activation(n_blocks, edges, policy.activation_decay)
    join: Callable[[tuple[float, float]], float] = sum if policy.aggregate == "sum" else max
    total = []
    for block in range(n_blocks):
        own = policy.relevance_weight * relevance[block]
        value = join((own, policy.prerequisite_weight * support[block]))
        value += policy.recency_weight * new[block] + policy.activation_weight * used[block]
        total.append(value / max(costs[block], 1) ** policy.density_exponent)
    return Terms(relevance, support, new, used, total)


def order(merit: Vector, similarity: Vector) -> list[int]:
    """Return all blocks: merit descending, then similarity descending, then as given."""
    return sorted(range(len(merit)), key=lambda block: (-merit[block], -similarity[block], block))


def prerequisites(edges: Edges, block: int) -> set[int]:
    """Return all that a block depends on, directly or not, without itself."""
    distinct, found, grown = set(edges), {block}, True
    while grown:
        ahead = {required for dependent, required in distinct if dependent in found} - found
        found, grown = found | ahead, bool(ahead)
    return found - {block}


def distances(edges: Edges, block: int, n_blocks: int) -> dict[int, int]:
    """Return the fewest edges from a block to each that it depends on, itself (0) included."""
    distinct, distance = set(edges), {block: 0}
    for _ in range(n_blocks):
        for dependent, required in distinct:
            if dependent in distance:
                farther = distance[dependent] + 1
                distance[required] = min(distance.get(required, farther), farther)
    return distance


class Rules(NamedTuple):
    """How a budget is filled: closed if edges are given, without duplicates if texts are."""

    pinned: Sequence[int] = ()
    stop: bool = False
    edges: Sequence[tuple[int, int]] | None = None
    texts: Sequence[object] | None = None


SKIP = Rules()


def price_of_pins(costs: Sequence[int], rules: Rules) -> int:
    """Return what the pinned blocks cost together with what they need."""
    needed = set(rules.pinned)
    for block in rules.pinned:
        needed |= prerequisites(rules.edges or (), block)
    return sum(costs[block] for block in needed)


class Turn(NamedTuple):
    """What happened when the walk came to a block that was not yet kept.

    `left` is the budget before; `missing` the block and what it needs besides that was not yet
    kept; `twins` the blocks of equal text that were; `kept` what was kept now.
    """

    block: int
    left: int
    missing: list[int]
    twins: list[int]
    kept: list[int]


def walk(
    ordered: Sequence[int], costs: Sequence[int], budget: int, rules: Rules = SKIP
) -> list[Turn]:
    """Return the turns of the pinned blocks, then of the others along the order."""
    turns: list[Turn] = []
    kept: set[int] = set()
    left = budget
    for block in [*rules.pinned, *ordered]:
        if block in kept:
            continue
        is_pinned = block in rules.pinned
        needed = {block} if rules.edges is None else {block} | prerequisites(rules.edges, block)
        missing = sorted(needed - kept)
        twins = []
        if rules.texts is not None and not is_pinned:
            twins = [twin for twin in sorted(kept) if rules.texts[twin] == rules.texts[block]]
        price = sum(costs[required] for required in missing)
        fits = not twins and price <= left
        turns.append(Turn(block, left, missing, twins, missing if fits else []))
        if fits:
            kept.update(missing)
            left -= price
        elif rules.stop and not twins:
            break
    return turns


def fill(
    ordered: Sequence[int], costs: Sequence[int], budget: int, rules: Rules = SKIP
) -> list[tuple[int, list[int]]]:
    """Return for whose sake blocks were kept, in this order, and which blocks, ascending."""
    return [(turn.block, turn.kept) for turn in walk(ordered, costs, budget, rules) if turn.kept]


def retain_plainly(  # the inputs of one retention, none of them optional
    embeddings: Sequence[Vector],
    query: Vector,
    costs: Sequence[int],
    edges: Edges,
    budget: int,
    temperature: float = 0.25,
    prerequisite_weight: float = 1.0,
) -> list[int]:
    """Return the blocks that the paper's rule keeps, ascending: `I = r + lambda * P r`, skip."""
    similarity = similarities(embeddings, query)
    relevance = softmax(similarity, temperature)
    support = additive_support(relevance, edges)
    merit = [
        own + prerequisite_weight * reached for own, reached in zip(relevance, support, strict=True)
    ]
    # Without support the order is that of similarity, which the softmax may blur.
    supported = prerequisite_weight > 0 and any(support)
    kept = []
    for block in order(merit if supported else similarity, similarity):
        if costs[block] <= budget:
            kept.append(block)
            budget -= costs[block]
    return sorted(kept)


def _normalised(values: Vector) -> list[float]:
    total = sum(values)
    return [value / total for value in values]
