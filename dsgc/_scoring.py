"""The score of each block under a policy."""

from typing import NamedTuple

import numpy as np

from dsgc._activity import Standing, activation, recency
from dsgc._adjacency import Adjacency
from dsgc._arrays import PerBlock, PerBlockCost
from dsgc._policy import RetentionPolicy
from dsgc._propagation import propagate
from dsgc._relevance import softmax


class Scores(NamedTuple):
    """The terms of the score, each of shape `(n_blocks,)`; `merit` is what the order goes by."""

    similarity: PerBlock
    relevance: PerBlock
    support: PerBlock
    recency: PerBlock
    activation: PerBlock
    score: PerBlock
    merit: PerBlock


def score_blocks(
    similarity: PerBlock,
    cost: PerBlockCost,
    dependents: Adjacency,
    policy: RetentionPolicy,
    standing: Standing | None = None,
) -> Scores:
    """Score blocks: `w * r + lambda * pi + rho * a + alpha * b`.

    Without a `standing` they are units of their own, oldest first. Relevance is a share among all
    blocks, so where units have parts, recency and activation are scaled down to the same measure.
    """
    nothing = np.zeros_like(similarity)
    competing = None if standing is None else standing.competing
    relevance = softmax(similarity, policy.temperature, competing)
    support = nothing
    if policy.prerequisite_weight:
        support = propagate(dependents, relevance, policy.hops, policy.damping, policy.aggregate)
    new = used = nothing
    if policy.recency_weight or policy.activation_weight:
        placed = standing or Standing.of_single_blocks(similarity.size)
        scale = placed.units_per_block
        if policy.recency_weight:
            new = scale * recency(placed, policy.recency_exponent)
        if policy.activation_weight:
            used = scale * activation(dependents, placed, policy.activation_decay)
    join = np.add if policy.aggregate == "sum" else np.maximum
    score = join(
        _weighted(policy.relevance_weight, relevance),
        _weighted(policy.prerequisite_weight, support),
    )
    if policy.recency_weight or policy.activation_weight:
        score += policy.recency_weight * new + policy.activation_weight * used
    if policy.density_exponent:
        with np.errstate(over="ignore"):
            score = score / np.maximum(cost, 1) ** policy.density_exponent
    is_similarity_alone = (
        policy.relevance_weight > 0
        and not policy.recency_weight
        and not policy.activation_weight
        and not policy.density_exponent
        and not support.any()
    )
    # exp() joins, and may swap, similarities one ulp apart; a small temperature underflows to 0.
    merit = similarity if is_similarity_alone else score
    return Scores(similarity, relevance, support, new, used, score, merit)


def _weighted(weight: float, values: PerBlock) -> PerBlock:
    return values if weight == 1.0 else weight * values
