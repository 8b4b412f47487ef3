"""Kernels: how new a block is, and how often and how lately it was used."""

from typing import NamedTuple

import numpy as np

from dsgc._adjacency import Adjacency
from dsgc._arrays import PerBlock, PerBlockFlag


class Standing(NamedTuple):
    """Where blocks stand in time: blocks that are parts of one unit share its age and its use.

    Attributes:
        age: In units, 0 for the newest.
        share: What part of its unit a block is, above 0; the shares of a unit add up to 1. It is 0
            for a block that is kept in any case and takes nothing from those that compete.
    """

    age: PerBlock
    share: PerBlock

    @classmethod
    def of_single_blocks(cls, n_blocks: int) -> "Standing":
        """Return where blocks stand that are units of their own, oldest first."""
        return cls(np.arange(n_blocks - 1, -1, -1, dtype=np.float64), np.ones(n_blocks))

    @property
    def competing(self) -> PerBlockFlag:
        """Which blocks compete for the budget."""
        return self.share > 0

    @property
    def units_per_block(self) -> float:
        """How many units there are for each competing block: 1 where no unit has parts."""
        n_competing = int(np.count_nonzero(self.share))
        return float(self.share.sum()) / n_competing if n_competing else 1.0


def recency(standing: Standing, exponent: float) -> PerBlock:
    """Return `a_i`, proportional to `(1 + age_i) ** -exponent` and to the share in the unit."""
    return _normalised(standing.share * _faded(standing, exponent))


def activation(dependents: Adjacency, standing: Standing, decay: float) -> PerBlock:
    """Return `b_i`, proportional to the faded sum of the uses of block `i`.

    A block is used where it stands, for its share in its unit, and where each of its distinct
    dependents stands: base-level activation as in ACT-R. What does not compete gets none.
    """
    use = _faded(standing, decay)
    return _normalised(standing.competing * (standing.share * use + dependents @ use))


def _faded(standing: Standing, exponent: float) -> PerBlock:
    faded: PerBlock = (1.0 + standing.age) ** -exponent
    return faded


def _normalised(values: PerBlock) -> PerBlock:
    return values / values.sum() if values.any() else values
