"""Kernels: how relevance reaches a prerequisite from the blocks that depend on it.

Row `i` of `dependents` holds the blocks that depend on block `i`: it is the matrix `P` of the
equations, and `prerequisites` is its transpose.
"""

from typing import Literal

import numpy as np

from dsgc._adjacency import Adjacency
from dsgc._arrays import PerBlock
from dsgc._grid import on_grid
from dsgc.errors import InputError

MOST_HOPS = 10_000  # a cycle passes support on for ever


def propagate(
    dependents: Adjacency,
    relevance: PerBlock,
    hops: int,
    damping: float,
    aggregate: Literal["sum", "max"],
) -> PerBlock:
    """Return the support `pi_i` of each block."""
    rule = additive_support if aggregate == "sum" else liveness
    return rule(dependents, relevance, hops, damping)


def additive_support(
    dependents: Adjacency, relevance: PerBlock, hops: int, damping: float
) -> PerBlock:
    """Return `pi = sum over k = 1..h of d**(k-1) * P**k r`."""
    support = reached = dependents @ relevance
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(hops - 1):
            reached = on_grid(damping * (dependents @ reached))
            if not reached.any():
                break
            support = support + reached
    if not np.isfinite(support).all():
        raise InputError(
            f"support grows beyond all numbers within {hops} hops: too many walks lead to one "
            "block, as they do in cycles. Lower `hops` or `damping`, or use aggregate='max'."
        )
    return support


def liveness(dependents: Adjacency, relevance: PerBlock, hops: int, damping: float) -> PerBlock:
    """Return `pi_i = max over k <= h and dependents j at distance k of d**(k-1) * r_j`.

    Distance is counted along walks, as in `P**k`: in a cycle a block is its own dependent.
    """
    support = np.zeros_like(relevance)
    needed = np.flatnonzero(np.diff(dependents.indptr))
    if not needed.size:
        return support
    starts = dependents.indptr[needed]
    for _ in range(hops):
        worth = np.maximum(relevance, damping * support)
        reached = np.maximum.reduceat(worth[dependents.indices], starts)
        if np.array_equal(reached, support[needed]):
            break
        support[needed] = reached
    return support


def support_sources(
    prerequisites: Adjacency,
    relevance: PerBlock,
    hops: int,
    damping: float,
    aggregate: Literal["sum", "max"],
    block: int,
) -> PerBlock:
    """Return what each block contributes to `pi` of one block: its parts, or candidates."""
    contribution = np.zeros_like(relevance)
    is_relevant = relevance > 0
    walks = np.zeros_like(relevance)
    walks[block] = 1.0
    for hop in range(hops):
        with np.errstate(over="ignore"):
            walks = prerequisites @ walks
            if hop:
                walks *= damping
            if aggregate == "max":
                np.minimum(walks, damping**hop, out=walks)
        if not walks.any():
            break
        reached = np.multiply(walks, relevance, where=is_relevant, out=np.zeros_like(relevance))
        if aggregate == "sum":
            contribution += reached
        else:
            np.maximum(contribution, reached, out=contribution)
    return contribution
