"""The edges among the blocks of one call."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from dsgc._adjacency import Adjacency
from dsgc._arrays import Indices
from dsgc.errors import InputTypeError

Edge: TypeAlias = tuple[str, str]  # (dependent, prerequisite)


class Links(NamedTuple):
    """Edges by position: row `i` of `dependents` holds the blocks that depend on block `i`.

    `missing` maps each prerequisite that is not among the blocks to the blocks that need it.
    """

    dependents: Adjacency
    missing: Mapping[str, tuple[str, ...]]

    @classmethod
    def from_positions(
        cls,
        dependents: Indices,
        prerequisites: Indices,
        n_blocks: int,
        missing: Mapping[str, tuple[str, ...]] | None = None,
    ) -> "Links":
        return cls(Adjacency.from_entries(prerequisites, dependents, n_blocks), missing or {})

    @property
    def prerequisites(self) -> Adjacency:
        """The transpose: row `j` holds the blocks that block `j` depends on."""
        return self.dependents.transposed


def checked_pair(edge: object) -> Edge:
    match edge.tolist() if isinstance(edge, np.ndarray) else edge:  # a str is no sequence here
        case [str(dependent), str(prerequisite)]:
            return dependent, prerequisite
    raise InputTypeError(
        f"an edge must be a pair of ids (dependent_id, prerequisite_id), got {edge!r}. "
        "Give edges as a list of such pairs."
    )
