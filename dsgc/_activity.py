"""Kernels: how new a block is, and how often and how lately it was used."""

import numpy as np

from dsgc._adjacency import Adjacency
from dsgc._arrays import PerBlock


def recency(n_blocks: int, exponent: float) -> PerBlock:
    """Return `a_i`, proportional to `(1 + age_i) ** -exponent`; blocks stand oldest first."""
    return _normalised(_faded_ages(n_blocks, exponent))


def activation(dependents: Adjacency, decay: float) -> PerBlock:
    """Return `b_i`, proportional to the faded sum of the uses of block `i`.

    A block is used where it stands and where each of its distinct dependents stands:
    base-level activation as in ACT-R.
    """
    use = _faded_ages(dependents.n_blocks, decay)
    return _normalised(use + dependents @ use)


def _faded_ages(n_blocks: int, exponent: float) -> PerBlock:
    return np.arange(n_blocks, 0, -1, dtype=np.float64) ** -exponent


def _normalised(values: PerBlock) -> PerBlock:
    return values / values.sum() if values.size else values
