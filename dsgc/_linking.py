"""Tying the edges of a call to its blocks."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from dsgc._graph import PrerequisiteGraph
from dsgc._links import Links, checked_pair
from dsgc.errors import DsgcError, SelfEdgeError, UnknownBlockError


def link(edges: PrerequisiteGraph | Iterable[Sequence[str]], ids: Sequence[str]) -> Links:
    """Tie edges to the blocks named `ids`.

    Pairs must name blocks that are there. A graph may outlive its blocks.
    """
    if isinstance(edges, PrerequisiteGraph):
        return edges._links_among(ids)  # noqa: SLF001  # of this package
    pairs: list[Sequence[str]] = list(edges)
    if set(map(type, pairs)) - {tuple, list} or set(map(len, pairs)) - {2}:
        pairs = [checked_pair(pair) for pair in pairs]
    index = {block_id: position for position, block_id in enumerate(ids)}
    try:
        positions = map(index.__getitem__, chain.from_iterable(pairs))
        ends = np.fromiter(positions, dtype=np.int64, count=2 * len(pairs)).reshape(-1, 2)
    except (KeyError, TypeError):
        raise _edge_error(pairs, index) from None
    if (ends[:, 0] == ends[:, 1]).any():
        raise _edge_error(pairs, index)
    return Links.from_positions(ends[:, 0], ends[:, 1], len(index))


def _edge_error(pairs: Sequence[Sequence[str]], index: Mapping[str, int]) -> DsgcError:
    """Return the error for pairs of which at least one is wrong."""
    ends = [checked_pair(pair) for pair in pairs]
    unknown = [block_id for pair in ends for block_id in pair if block_id not in index]
    if unknown:
        verb = "edge refers" if len(set(unknown)) == 1 else "edges refer"
        return UnknownBlockError(verb, unknown, index)
    return SelfEdgeError(next(dependent for dependent, required in ends if dependent == required))
