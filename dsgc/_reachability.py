"""Kernels: what lies behind a block in the graph."""

import numpy as np

from dsgc._adjacency import Adjacency
from dsgc._arrays import Indices, PerBlock


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


def path_costs(prerequisites: Adjacency, cost: PerBlock) -> PerBlock:
    """Return a lower bound of what each block costs together with all that it needs.

    It is the cost along one path of prerequisites, cycles counted whole.
    """
    group, parent = prerequisites.condensed
    nothing = parent.size - 1  # where every path ends
    path_cost = np.bincount(group, weights=cost, minlength=parent.size).astype(np.float64)
    ahead = parent
    while (ahead != nothing).any():  # each step doubles the length of the paths
        path_cost = path_cost + path_cost[ahead]
        ahead = ahead[ahead]
    return path_cost[group]
