"""Which block depends on which: ids outside, sparse matrices inside."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, Self

import numpy as np

from dsgc._arrays import Indices, PerBlock
from dsgc._ids import listed, position_of
from dsgc._links import Edge, Links, checked_pair
from dsgc._propagation import MOST_HOPS, propagate
from dsgc._reachability import reachable
from dsgc.errors import InputError, InputTypeError, SelfEdgeError


class PrerequisiteGraph:
    """Which block depends on which, built once and used in many retentions.

    An edge `(j, i)` says that block `j` depends on block `i`; edges given twice count once. The
    graph may outlive its blocks: what it says of blocks that are no longer there is skipped. Any
    number of threads may share one, as long as none adds to it meanwhile.

    Args:
        ids: Blocks to know of beside those that the edges name.

    Example:
        >>> graph = PrerequisiteGraph.from_edges([("c3", "c2"), ("c2", "c1")])
        >>> graph.prerequisites("c3"), graph.ancestors(["c3"])
        (('c2',), ('c2', 'c1'))
    """

    def __init__(self, ids: Iterable[str] = ()) -> None:
        self._index: dict[str, int] = {}
        self._edges: dict[tuple[int, int], None] = {}
        self._ends: tuple[Indices, Indices] | None = None
        self._last: tuple[list[str], Links] | None = None
        self._own: Links | None = None
        for block_id in listed(ids, "PrerequisiteGraph"):
            if not isinstance(block_id, str):
                raise InputTypeError(f"ids are str, got {block_id!r}.")
            self._position(block_id)

    @classmethod
    def from_edges(cls, edges: Iterable[Sequence[str]], ids: Iterable[str] = ()) -> Self:
        """Build a graph from pairs `(dependent_id, prerequisite_id)`.

        Args:
            edges: The pairs, in any order.
            ids: Blocks to know of beside those that the edges name.

        Raises:
            SelfEdgeError: a block is named as its own prerequisite.
            InputTypeError: an edge is not a pair of ids.

        Example:
            >>> len(PrerequisiteGraph.from_edges([("b", "a"), ("b", "a")]))
            1
        """
        graph = cls(ids)
        for edge in edges:
            graph.add(*checked_pair(edge))
        return graph

    def add(self, dependent: str, prerequisite: str) -> None:
        """Record that `dependent` depends on `prerequisite`.

        Raises:
            SelfEdgeError: both are the same block.

        Example:
            >>> graph = PrerequisiteGraph()
            >>> graph.add("decision", "rule")
            >>> list(graph)
            [('decision', 'rule')]
        """
        checked_pair((dependent, prerequisite))
        if dependent == prerequisite:
            raise SelfEdgeError(dependent)
        self._edges[self._position(dependent), self._position(prerequisite)] = None
        self._ends = self._last = self._own = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The blocks the graph knows, in the order of first mention."""
        return tuple(self._index)

    def __len__(self) -> int:
        """Return the number of distinct edges."""
        return len(self._edges)

    def __iter__(self) -> Iterator[Edge]:
        """Iterate over the distinct edges as `(dependent_id, prerequisite_id)`."""
        ids = self.ids
        return ((ids[dependent], ids[prerequisite]) for dependent, prerequisite in self._edges)

    def __repr__(self) -> str:
        return f"PrerequisiteGraph({len(self._index)} blocks, {len(self._edges)} edges)"

    def prerequisites(self, block_id: str) -> tuple[str, ...]:
        """Return the blocks that `block_id` directly depends on.

        Raises:
            UnknownBlockError: the graph does not know `block_id`.

        Example:
            >>> PrerequisiteGraph.from_edges([("c3", "c2"), ("c2", "c1")]).prerequisites("c2")
            ('c1',)
        """
        return self._named(self._linked().prerequisites.row(self._known(block_id)))

    def dependents(self, block_id: str) -> tuple[str, ...]:
        """Return the blocks that directly depend on `block_id`.

        Raises:
            UnknownBlockError: the graph does not know `block_id`.

        Example:
            >>> PrerequisiteGraph.from_edges([("c3", "c2"), ("c2", "c1")]).dependents("c2")
            ('c3',)
        """
        return self._named(self._linked().dependents.row(self._known(block_id)))

    def ancestors(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return all direct and indirect prerequisites of `ids` that are not among `ids`.

        Raises:
            UnknownBlockError: the graph does not know one of `ids`.

        Example:
            >>> PrerequisiteGraph.from_edges([("c3", "c2"), ("c2", "c1")]).ancestors(["c3"])
            ('c2', 'c1')
        """
        names = listed(ids, "ancestors")
        blocks = np.array([self._known(name) for name in names], dtype=np.int64)
        return self._named(reachable(self._linked().prerequisites, blocks).tolist())

    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups of blocks that all depend on one another, two or more in each.

        They are the strongly connected components of the graph; a closed selection keeps or
        evicts each of them whole.

        Example:
            >>> PrerequisiteGraph.from_edges([("a", "b"), ("b", "a"), ("c", "a")]).cycles()
            (('a', 'b'),)
        """
        component, _ = self._linked().dependents.condensed
        members: dict[int, list[str]] = {}
        for block_id, label in zip(self.ids, component.tolist(), strict=True):
            members.setdefault(label, []).append(block_id)
        return tuple(tuple(group) for group in members.values() if len(group) > 1)

    def support(
        self,
        relevance: Iterable[float],
        hops: int = 1,
        damping: float = 1.0,
        *,
        aggregate: Literal["sum", "max"] = "sum",
    ) -> PerBlock:
        """Propagate relevance from blocks to their prerequisites.

        `pi = sum over k = 1..h of d**(k-1) * P**k r` with `P[i, j] = 1` for each edge `(j, i)`
        (DSGC paper, section 3, for one hop); with `aggregate="max"`, the best dependent instead of
        the sum of all.

        Args:
            relevance: `r`, one number for each of `ids`, shape `(n_blocks,)`.
            hops: `h`, how many edges relevance travels, from 1 to 10,000.
            damping: `d`, the factor for each hop after the first, from 0 to 1.
            aggregate: `"sum"` or `"max"`.

        Returns:
            `pi`, shape `(n_blocks,)`, in the order of `ids`.

        Raises:
            InputError: `relevance` is of another length, negative or not finite, or `hops` or
                `damping` is out of range.

        Example:
            >>> graph = PrerequisiteGraph.from_edges([("c3", "c2"), ("c2", "c1")])
            >>> graph.ids, graph.support([0.5, 0.3, 0.2], hops=2, damping=0.5)
            (('c3', 'c2', 'c1'), array([0.  , 0.5 , 0.55]))
        """
        values = np.asarray(list(relevance), dtype=np.float64)
        if values.shape != (len(self._index),):
            raise InputError(
                f"relevance has the shape {values.shape}, but the graph knows {len(self._index)} "
                "blocks. Give one number for each of `graph.ids`, in that order."
            )
        if not np.isfinite(values).all() or (values < 0).any():
            raise InputError(
                "relevance holds a negative, NaN or infinite value. Give what a softmax returns."
            )
        if (
            not isinstance(hops, int | np.integer)
            or not 1 <= hops <= MOST_HOPS
            or not 0 <= damping <= 1
            or aggregate not in ("sum", "max")
        ):
            raise InputError(
                f"hops={hops!r}, damping={damping!r}, aggregate={aggregate!r}: hops must be a "
                f"whole number from 1 to {MOST_HOPS}, damping from 0 to 1, and aggregate 'sum' or "
                "'max'."
            )
        return propagate(self._linked().dependents, values, hops, damping, aggregate)

    def _links_among(self, ids: Sequence[str]) -> Links:
        """Return the edges among the blocks named `ids`.

        Edges of blocks that are not there are skipped; a prerequisite that is needed but not there
        is named in the `missing` of the result. An agent asks again and again about the same
        blocks, so the last result is kept.
        """
        last = self._last  # read once: another thread may replace it
        if last is None or last[0] != ids:
            last = list(ids), self._linked_anew(ids)
            self._last = last
        return last[1]

    def _linked_anew(self, ids: Sequence[str]) -> Links:
        ends = self._ends
        if ends is None:
            pairs = np.array(list(self._edges), dtype=np.int64).reshape(-1, 2)
            self._ends = ends = pairs[:, 0].copy(), pairs[:, 1].copy()
        index = {block_id: position for position, block_id in enumerate(ids)}
        position = np.array([index.get(name, -1) for name in self._index], dtype=np.int64)
        dependents, prerequisites = position[ends[0]], position[ends[1]]
        is_dependent, is_prerequisite = dependents >= 0, prerequisites >= 0
        missing: dict[str, list[str]] = {}
        names = self.ids
        for edge in np.flatnonzero(is_dependent & ~is_prerequisite).tolist():
            missing.setdefault(names[ends[1][edge]], []).append(names[ends[0][edge]])
        is_whole = is_dependent & is_prerequisite
        return Links.from_positions(
            dependents[is_whole],
            prerequisites[is_whole],
            len(ids),
            {prerequisite: tuple(needed_by) for prerequisite, needed_by in missing.items()},
        )

    def _linked(self) -> Links:
        if self._own is None:
            self._own = self._linked_anew(self.ids)
        return self._own

    def _position(self, block_id: str) -> int:
        return self._index.setdefault(block_id, len(self._index))

    def _known(self, block_id: object) -> int:
        return position_of(block_id, self._index, "the graph")

    def _named(self, positions: Sequence[int]) -> tuple[str, ...]:
        ids = self.ids
        return tuple(ids[position] for position in positions)
