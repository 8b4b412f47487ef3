"""Kernels: what lies behind a block in the graph."""

import numpy as np

from dsgc._adjacency import Adjacency
from dsgc._arrays import Indices


def distances(adjacency: Adjacency, block: int) -> dict[int, int]:
    """Return how many edges each reachable block is away, `block` itself (0) included."""
    distance, frontier = {block: 0}, [block]
    while frontier:
        ahead = []
        for current in frontier:
            for neighbour in adjacency.row(current):
                if neighbour not in distance:
                    distance[neighbour] = distance[current] + 1
                    ahead.append(neighbour)
        frontier = ahead
    return distance


def reachable(adjacency: Adjacency, blocks: Indices) -> Indices:
    """Return all that can be reached from `blocks`, without `blocks` themselves, ascending."""
    given = set(blocks.tolist())
    seen, stack = set(given), list(given)
    while stack:
        for neighbour in adjacency.row(stack.pop()):
            if neighbour not in seen:
                seen.add(neighbour)
                stack.append(neighbour)
    return np.array(sorted(seen - given), dtype=np.int64)
