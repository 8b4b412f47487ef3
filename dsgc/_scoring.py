"""The score of each block under a policy."""

from typing import NamedTuple

import numpy as np

from dsgc._activity import activation, recency
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
    similarity: PerBlock, cost: PerBlockCost, dependents: Adjacency, policy: RetentionPolicy
) -> Scores:
    """Score blocks that stand oldest first: `w * r + lambda * pi + rho * a + alpha * b`."""
    nothing = np.zeros_like(similarity)
    relevance = softmax(similarity, policy.temperature)
    support = nothing
    if policy.prerequisite_weight:
        support = propagate(dependents, relevance, policy.hops, policy.damping, policy.aggregate)
    new = recency(similarity.size, policy.recency_exponent) if policy.recency_weight else nothing
    used = activation(dependents, policy.activation_decay) if policy.activation_weight else nothing
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
