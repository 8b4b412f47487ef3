"""Which block depends on which, asked of a graph."""

import math
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc import Block, PrerequisiteGraph, retain
from dsgc.errors import InputError, SelfEdgeError, UnknownBlockError
from tests.strategies import named_edges

CHAIN = [("c3", "c2"), ("c2", "c1")]
DIAMOND = [("d", "b"), ("d", "c"), ("b", "a"), ("c", "a")]


def reached_from(starts: Iterable[str], edges: list[tuple[str, str]]) -> set[str]:
    """Follow edges one by one until nothing new turns up; `starts` count only when reached."""
    found: set[str] = set()
    ahead = set(starts)
    while ahead:
        ahead = {required for dependent, required in edges if dependent in ahead} - found
        found |= ahead
    return found


def edges_in(graph: PrerequisiteGraph) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
    return graph.ids, list(graph)


def test_edges_come_back_as_they_were_given() -> None:
    graph = PrerequisiteGraph.from_edges(CHAIN, ids=["lone"])
    assert list(graph) == CHAIN
    assert graph.ids == ("lone", "c3", "c2", "c1")
    assert len(graph) == 2
    assert repr(graph) == "PrerequisiteGraph(4 blocks, 2 edges)"


def test_a_new_graph_is_empty() -> None:
    graph = PrerequisiteGraph()
    assert (graph.ids, list(graph), len(graph)) == ((), [], 0)
    assert graph.cycles() == ()
    assert graph.ancestors([]) == ()
    assert graph.support([]).tolist() == []
    assert graph.support([], aggregate="max").tolist() == []


def test_duplicate_edges_count_once() -> None:
    graph = PrerequisiteGraph.from_edges([("b", "a"), ["b", "a"], ("b", "a")])
    graph.add("b", "a")
    assert list(graph) == [("b", "a")]
    assert graph.support([0.75, 0.25]).tolist() == [0.0, 0.75]


def test_direct_neighbours_are_found_on_either_side() -> None:
    graph = PrerequisiteGraph.from_edges(DIAMOND)
    assert graph.prerequisites("d") == ("b", "c")
    assert graph.prerequisites("a") == ()
    assert graph.dependents("a") == ("b", "c")
    assert graph.dependents("d") == ()


def test_an_edge_added_later_is_seen() -> None:
    graph = PrerequisiteGraph.from_edges(CHAIN)
    assert graph.ancestors(["c3"]) == ("c2", "c1")
    assert retain([Block("c1", "x"), Block("c0", "y")], "x", 1, graph).missing_prerequisites == {}
    graph.add("c1", "c0")
    assert graph.ancestors(["c3"]) == ("c2", "c1", "c0")
    assert graph.dependents("c0") == ("c1",)
    assert retain([Block("c1", "x")], "x", 1, graph).missing_prerequisites == {"c0": ("c1",)}


def test_ancestors_are_all_that_lies_behind_and_not_the_blocks_themselves() -> None:
    graph = PrerequisiteGraph.from_edges([*DIAMOND, ("x", "y")])
    assert graph.ancestors(["d"]) == ("b", "c", "a")
    assert graph.ancestors(["d", "b"]) == ("c", "a")
    assert graph.ancestors(iter(["b", "x"])) == ("a", "y")
    assert graph.ancestors(["a"]) == ()


def test_a_single_string_is_one_id_and_not_its_characters() -> None:
    graph = PrerequisiteGraph.from_edges([("ab", "rule"), ("a", "x"), ("b", "y")])
    assert graph.ancestors("ab") == ("rule",)


def test_ancestors_in_a_cycle_leave_out_where_the_question_began() -> None:
    graph = PrerequisiteGraph.from_edges([("a", "b"), ("b", "c"), ("c", "a")])
    assert graph.ancestors(["a"]) == ("b", "c")


def test_a_long_chain_does_not_exhaust_the_stack() -> None:
    graph = PrerequisiteGraph.from_edges((str(i + 1), str(i)) for i in range(5_000))
    assert len(graph.ancestors("5000")) == 5_000
    assert graph.cycles() == ()


@given(named_edges, st.sets(st.sampled_from("abcdef")))
def test_ancestors_are_what_following_the_edges_one_by_one_reaches(
    edges: list[tuple[str, str]], starts: set[str]
) -> None:
    graph = PrerequisiteGraph.from_edges(edges, ids=list("abcdef"))
    assert set(graph.ancestors(starts)) == reached_from(starts, edges) - starts


@pytest.mark.parametrize("method", ["prerequisites", "dependents", "ancestors"])
def test_asking_for_a_block_the_graph_does_not_know_suggests_the_nearest(method: str) -> None:
    graph = PrerequisiteGraph.from_edges([("plan", "rule-1")])
    with pytest.raises(
        UnknownBlockError,
        match=r"the graph refers to block 'rule-l', .* 2 blocks given\. Did you mean 'rule-1'\?",
    ) as caught:
        getattr(graph, method)("rule-l")
    assert caught.value.block_id == "rule-l"
    assert caught.value.suggestion == "rule-1"


def test_cycles_are_the_groups_that_depend_on_one_another() -> None:
    edges = [("a", "b"), ("b", "a"), ("c", "a"), ("d", "e"), ("e", "f"), ("f", "d"), ("a", "f")]
    assert PrerequisiteGraph.from_edges(edges).cycles() == (("a", "b"), ("d", "e", "f"))


def test_a_graph_without_cycles_has_none() -> None:
    assert PrerequisiteGraph.from_edges(DIAMOND, ids=["lone"]).cycles() == ()


@given(named_edges)
def test_cycles_hold_exactly_the_blocks_that_reach_themselves(
    edges: list[tuple[str, str]],
) -> None:
    graph = PrerequisiteGraph.from_edges(edges)
    behind = {name: reached_from([name], edges) for name in graph.ids}
    groups = {
        frozenset(other for other in graph.ids if other in behind[name] and name in behind[other])
        for name in graph.ids
    }
    assert set(map(frozenset, graph.cycles())) == groups - {frozenset()}


@pytest.mark.parametrize(
    ("hops", "damping", "expected"),
    [
        (1, 1.0, [0.0, 0.5, 0.25]),
        (1, 0.0, [0.0, 0.5, 0.25]),
        (2, 1.0, [0.0, 0.5, 0.75]),
        (2, 0.5, [0.0, 0.5, 0.5]),
        (3, 0.0, [0.0, 0.5, 0.25]),
        (100, 1.0, [0.0, 0.5, 0.75]),
    ],
)
def test_support_travels_down_a_chain(hops: int, damping: float, expected: list[float]) -> None:
    graph = PrerequisiteGraph.from_edges(CHAIN)  # ids: c3, c2, c1
    assert graph.support([0.5, 0.25, 0.25], hops, damping).tolist() == expected


@pytest.mark.parametrize(
    ("aggregate", "hops", "damping", "expected"),
    [
        ("sum", 1, 1.0, [0.0, 0.5, 0.5, 0.375]),
        ("sum", 2, 1.0, [0.0, 0.5, 0.5, 1.375]),  # two walks lead from d to a
        ("sum", 2, 0.5, [0.0, 0.5, 0.5, 0.875]),
        ("max", 1, 1.0, [0.0, 0.5, 0.5, 0.25]),
        ("max", 2, 1.0, [0.0, 0.5, 0.5, 0.5]),
        ("max", 2, 0.75, [0.0, 0.5, 0.5, 0.375]),
        ("max", 2, 0.25, [0.0, 0.5, 0.5, 0.25]),
    ],
)
def test_support_adds_up_or_takes_the_best_in_a_diamond(
    aggregate: Literal["sum", "max"], hops: int, damping: float, expected: list[float]
) -> None:
    graph = PrerequisiteGraph.from_edges(DIAMOND)  # ids: d, b, c, a
    support = graph.support([0.5, 0.25, 0.125, 0.125], hops, damping, aggregate=aggregate)
    assert support.tolist() == expected


@pytest.mark.parametrize(
    ("aggregate", "hops", "expected"),
    [
        ("sum", 1, [0.25, 0.75]),
        ("sum", 2, [1.0, 1.0]),
        ("sum", 3, [1.25, 1.75]),
        ("max", 1, [0.25, 0.75]),
        ("max", 2, [0.75, 0.75]),
        ("max", 10_000, [0.75, 0.75]),
    ],
)
def test_support_goes_round_a_cycle_once_a_hop(
    aggregate: Literal["sum", "max"], hops: int, expected: list[float]
) -> None:
    graph = PrerequisiteGraph.from_edges([("a", "b"), ("b", "a")])
    assert graph.support([0.75, 0.25], hops, aggregate=aggregate).tolist() == expected


@given(
    named_edges,
    st.lists(st.integers(0, 8).map(lambda eighths: eighths / 8), min_size=6, max_size=6),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_support_is_the_sum_of_matrix_powers(
    edges: list[tuple[str, str]], relevance: list[float], hops: int, damping: float
) -> None:
    graph = PrerequisiteGraph.from_edges(edges, ids=list("abcdef"))
    matrix = np.zeros((6, 6))
    for dependent, prerequisite in edges:
        matrix["abcdef".index(prerequisite), "abcdef".index(dependent)] = 1.0
    expected = sum(
        damping ** (hop - 1) * np.linalg.matrix_power(matrix, hop) @ np.array(relevance)
        for hop in range(1, hops + 1)
    )
    assert graph.support(relevance, hops, damping).tolist() == np.asarray(expected).tolist()


def test_support_leaves_the_relevance_as_it_was() -> None:
    relevance = np.array([0.5, 0.25, 0.25])
    PrerequisiteGraph.from_edges(CHAIN).support(relevance, hops=3)
    assert relevance.tolist() == [0.5, 0.25, 0.25]


@pytest.mark.parametrize("relevance", [[], [1.0], [0.5, 0.2, 0.2, 0.1], [[0.5, 0.3, 0.2]] * 3])
def test_support_wants_one_number_a_block(relevance: Any) -> None:
    with pytest.raises(InputError, match=r"relevance has the shape .* the graph knows 3 blocks"):
        PrerequisiteGraph.from_edges(CHAIN).support(relevance)


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
@pytest.mark.parametrize("aggregate", ["sum", "max"])
def test_support_refuses_a_relevance_that_is_no_number(
    wrong: float, aggregate: Literal["sum", "max"]
) -> None:
    with pytest.raises(InputError, match="relevance"):
        PrerequisiteGraph.from_edges(CHAIN).support([0.5, wrong, 0.2], aggregate=aggregate)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hops": 0}, "hops=0, .* hops must be a whole number from 1"),
        ({"hops": -1}, "hops=-1"),
        ({"damping": -0.1}, "damping=-0.1"),
        ({"damping": 1.5}, "damping=1.5, .* damping from 0 to 1"),
        ({"damping": math.nan}, "damping=nan"),
        ({"aggregate": "mean"}, "aggregate='mean': .* aggregate 'sum' or 'max'"),
    ],
)
def test_support_refuses_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PrerequisiteGraph.from_edges(CHAIN).support([0.5, 0.3, 0.2], **options)


def test_support_that_grows_without_bound_is_an_error_and_not_infinity() -> None:
    clique = [(a, b) for a in "abc" for b in "abc" if a != b]
    with pytest.raises(InputError, match="support grows beyond all numbers within 5000 hops"):
        PrerequisiteGraph.from_edges(clique).support([1.0, 1.0, 1.0], hops=5_000)


def test_a_refused_edge_leaves_the_graph_as_it_was() -> None:
    graph = PrerequisiteGraph.from_edges(CHAIN)
    before = edges_in(graph)
    with pytest.raises(SelfEdgeError, match="'new' its own prerequisite"):
        graph.add("new", "new")
    assert edges_in(graph) == before
