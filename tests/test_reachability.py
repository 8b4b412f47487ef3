"""What lies behind a block in the graph."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dsgc._adjacency import Adjacency
from dsgc._reachability import distances, path_costs, reachable
from tests import oracle
from tests.strategies import Graph, graphs, lists_of, prerequisites_of

any_graph = graphs(min_blocks=1, loops=True)


def found_from(adjacency: Adjacency, blocks: list[int]) -> list[int]:
    found: list[int] = reachable(adjacency, np.array(blocks, dtype=np.int64)).tolist()
    return found


def test_prerequisites_of_prerequisites_are_reached() -> None:
    chain = prerequisites_of(5, [(0, 3), (3, 1), (4, 0)])
    assert found_from(chain, [0]) == [1, 3]
    assert found_from(chain, [2]) == []
    assert distances(chain, 4) == {4: 0, 0: 1, 3: 2, 1: 3}


def test_given_blocks_are_not_among_what_they_reach_even_in_a_cycle() -> None:
    cycle = prerequisites_of(3, [(0, 1), (1, 2), (2, 0)])
    assert found_from(cycle, [1]) == [0, 2]
    assert found_from(cycle, [0, 2]) == [1]
    assert found_from(cycle, [0, 1, 2]) == []
    assert distances(cycle, 1) == {1: 0, 2: 1, 0: 2}


def test_no_blocks_reach_nothing() -> None:
    found = reachable(prerequisites_of(2, [(0, 1)]), np.zeros(0, dtype=np.int64))
    assert found.shape == (0,)
    assert found.dtype == np.int64


def test_distance_is_that_of_the_shortest_way() -> None:
    graph = prerequisites_of(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert distances(graph, 0) == {0: 0, 1: 1, 3: 1, 2: 2}


def test_a_very_long_chain_is_followed_to_its_end() -> None:
    n_blocks = 20_000
    chain = prerequisites_of(n_blocks, [(i, i + 1) for i in range(n_blocks - 1)])
    assert found_from(chain, [0]) == list(range(1, n_blocks))
    assert distances(chain, 0)[n_blocks - 1] == n_blocks - 1


@given(any_graph, st.data())
def test_reachable_equals_its_oracle(graph: Graph, data: st.DataObject) -> None:
    n_blocks, edges = graph
    blocks = data.draw(st.lists(st.integers(0, n_blocks - 1), max_size=n_blocks))
    behind = set().union(*(oracle.prerequisites(edges, block) for block in blocks))
    expected = sorted(behind - set(blocks))
    assert found_from(prerequisites_of(n_blocks, edges), blocks) == expected


@given(any_graph)
def test_distances_equal_their_oracle(graph: Graph) -> None:
    n_blocks, edges = graph
    adjacency = prerequisites_of(n_blocks, edges)
    for block in range(n_blocks):
        assert distances(adjacency, block) == oracle.distances(edges, block, n_blocks)


def test_a_path_costs_what_its_blocks_cost_and_a_cycle_costs_all_of_it() -> None:
    # 0 needs 1, 1 and 2 need each other and 2 needs 3; 4 needs nothing.
    prerequisites = prerequisites_of(5, [(0, 1), (1, 2), (2, 1), (2, 3)])
    costs = path_costs(prerequisites, np.array([1.0, 10.0, 100.0, 1000.0, 7.0]))
    assert costs.tolist() == [1111.0, 1110.0, 1110.0, 1000.0, 7.0]


@given(graphs(), st.data())
def test_a_path_never_costs_more_than_all_that_a_block_needs(
    graph: Graph, data: st.DataObject
) -> None:
    n_blocks, edges = graph
    costs = data.draw(lists_of(st.integers(0, 9), n_blocks))
    bound = path_costs(prerequisites_of(n_blocks, edges), np.array(costs, dtype=np.float64))
    for block in range(n_blocks):
        needed = {block} | oracle.prerequisites(edges, block)
        assert costs[block] <= bound[block] <= sum(costs[other] for other in needed)
