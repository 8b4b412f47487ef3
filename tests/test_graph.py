"""Which block depends on which: queries of a graph, and edges given to `retain`."""

import math
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc import Block, PrerequisiteGraph, RetentionPolicy, retain
from dsgc.errors import InputError, InputTypeError, SelfEdgeError, UnknownBlockError

BLOCKS = [
    Block("rule-1", "never delete a locked backup"),
    Block("role-a", "Alice is on call"),
    Block("plan", "delete the old backup"),
]
CHAIN = [("c3", "c2"), ("c2", "c1")]
DIAMOND = [("d", "b"), ("d", "c"), ("b", "a"), ("c", "a")]

edge_lists = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")).filter(
        lambda pair: pair[0] != pair[1]
    ),
    max_size=14,
)


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


def test_duplicate_edges_count_once_in_retain() -> None:
    once = retain(BLOCKS, "delete", 9, [("plan", "rule-1")])
    thrice = retain(BLOCKS, "delete", 9, [("plan", "rule-1")] * 3)
    assert thrice.to_dict() == once.to_dict()
    assert once.records["rule-1"].support == once.records["plan"].relevance


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


@given(edge_lists, st.sets(st.sampled_from("abcdef")))
def test_ancestors_are_what_following_the_edges_one_by_one_reaches(
    edges: list[tuple[str, str]], starts: set[str]
) -> None:
    graph = PrerequisiteGraph.from_edges(edges, ids="abcdef")
    assert set(graph.ancestors(starts)) == reached_from(starts, edges) - starts


@pytest.mark.parametrize("method", ["prerequisites", "dependents", "ancestors"])
def test_asking_for_a_block_the_graph_does_not_know_suggests_the_nearest(method: str) -> None:
    graph = PrerequisiteGraph.from_edges([("plan", "rule-1")])
    with pytest.raises(
        UnknownBlockError,
        match=r"the question refers to block 'rule-l', .* 2 blocks given\. Did you mean 'rule-1'\?",
    ) as caught:
        getattr(graph, method)("rule-l")
    assert caught.value.block_id == "rule-l"
    assert caught.value.suggestion == "rule-1"


def test_cycles_are_the_groups_that_depend_on_one_another() -> None:
    edges = [("a", "b"), ("b", "a"), ("c", "a"), ("d", "e"), ("e", "f"), ("f", "d"), ("a", "f")]
    assert PrerequisiteGraph.from_edges(edges).cycles() == (("a", "b"), ("d", "e", "f"))


def test_a_graph_without_cycles_has_none() -> None:
    assert PrerequisiteGraph.from_edges(DIAMOND, ids=["lone"]).cycles() == ()


@given(edge_lists)
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
        ("max", 1_000_000, [0.75, 0.75]),
    ],
)
def test_support_goes_round_a_cycle_once_a_hop(
    aggregate: Literal["sum", "max"], hops: int, expected: list[float]
) -> None:
    graph = PrerequisiteGraph.from_edges([("a", "b"), ("b", "a")])
    assert graph.support([0.75, 0.25], hops, aggregate=aggregate).tolist() == expected


@given(
    edge_lists,
    st.lists(st.integers(0, 8).map(lambda eighths: eighths / 8), min_size=6, max_size=6),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_support_is_the_sum_of_matrix_powers(
    edges: list[tuple[str, str]], relevance: list[float], hops: int, damping: float
) -> None:
    graph = PrerequisiteGraph.from_edges(edges, ids="abcdef")
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


NOT_PAIRS = {
    "an id": "rule-1",
    "two characters": "ab",
    "a triple": ("plan", "rule-1", "role-a"),
    "one id": ("plan",),
    "nothing": (),
    "None": None,
    "a number": 7,
    "bytes": b"ab",
    "a number and an id": (1, "plan"),
    "an id and None": ("plan", None),
    "a list and an id": (["plan"], "rule-1"),
    "a set, which has no order": {"plan", "rule-1"},
    "a dict of two ids": {"plan": 1, "rule-1": 2},
    "a dict of two roles": {"dependent": "plan", "prerequisite": "rule-1"},
    "an iterator": iter(["plan", "rule-1"]),
}


@pytest.mark.parametrize("edge", NOT_PAIRS.values(), ids=NOT_PAIRS)
def test_an_edge_that_is_no_pair_of_ids_is_refused(edge: Any) -> None:
    message = r"an edge must be a pair of ids \(dependent_id, prerequisite_id\), got "
    with pytest.raises(InputTypeError, match=message):
        retain(BLOCKS, "delete", 5, [("plan", "role-a"), edge])
    with pytest.raises(InputTypeError, match=message):
        PrerequisiteGraph.from_edges([("plan", "role-a"), edge])


def test_a_string_of_two_characters_is_no_pair_even_where_both_are_ids() -> None:
    blocks = [Block("a", "x"), Block("b", "y")]
    for edge in ("ba", np.str_("ba")):
        with pytest.raises(InputTypeError, match=r"an edge must be a pair of ids .*, got .*'ba'"):
            retain(blocks, "x", 1, [edge])


@pytest.mark.parametrize(
    ("edges", "shown"),
    [
        (("plan", "rule-1"), "'plan'"),
        ("plan", "'p'"),
        ({"plan": "rule-1"}, "'plan'"),
        ({"plan": ["rule-1", "role-a"]}, "'plan'"),
    ],
    ids=["a flat pair", "a string", "a dict", "a dict of lists"],
)
def test_edges_that_are_no_list_of_pairs_are_refused(edges: Any, shown: str) -> None:
    message = f"got {shown}. Give edges as a list of such pairs."
    with pytest.raises(InputTypeError, match=message):
        retain(BLOCKS, "delete", 5, edges)
    with pytest.raises(InputTypeError, match=message):
        PrerequisiteGraph.from_edges(edges)


@pytest.mark.parametrize(
    "edges",
    [
        [("plan", "rule-1")],
        [["plan", "rule-1"]],
        (("plan", "rule-1"),),
        iter([("plan", "rule-1")]),
        {("plan", "rule-1")},
        PrerequisiteGraph.from_edges([("plan", "rule-1")]),
    ],
    ids=["tuples", "lists", "tuple", "iterator", "set", "graph"],
)
def test_pairs_may_come_in_any_iterable(edges: Any) -> None:
    retention = retain(BLOCKS, "delete", 9, edges)
    assert retention.records["rule-1"].support == retention.records["plan"].relevance
    assert retention.records["plan"].support == 0.0


def test_an_edge_to_an_unknown_block_suggests_the_nearest() -> None:
    with pytest.raises(
        UnknownBlockError,
        match=r"edge refers to block 'rule-l', which is not among the 3 blocks given\. "
        r"Did you mean 'rule-1'\?",
    ) as caught:
        retain(BLOCKS, "delete", 5, [("plan", "role-a"), ("plan", "rule-l")])
    assert caught.value.block_id == "rule-l"
    assert caught.value.block_ids == ("rule-l",)
    assert caught.value.suggestion == "rule-1"


def test_an_edge_from_an_unknown_block_is_refused_too() -> None:
    with pytest.raises(
        UnknownBlockError, match=r"to block 'lure 2'.* The nearest id is 'rule-1'\."
    ) as caught:
        retain(BLOCKS, "delete", 5, [("lure 2", "plan")])
    assert caught.value.block_id == "lure 2"
    assert caught.value.suggestion == "rule-1"


def test_all_unknown_ids_are_named_in_the_order_of_the_edges() -> None:
    edges = [("plan", "gone"), ("lost", "rule-1"), ("gone", "lost")]
    with pytest.raises(
        UnknownBlockError, match="edges refer to blocks 'gone', 'lost', which are not among the 3"
    ) as caught:
        retain(BLOCKS, "delete", 5, edges)
    assert caught.value.block_ids == ("gone", "lost")


def test_one_unknown_id_in_several_edges_is_named_once() -> None:
    with pytest.raises(
        UnknownBlockError, match="edge refers to block 'gone', which is not among the 3"
    ) as caught:
        retain(BLOCKS, "delete", 5, [("plan", "gone"), ("role-a", "gone")])
    assert caught.value.block_ids == ("gone",)


def test_ids_are_compared_to_the_letter() -> None:
    with pytest.raises(UnknownBlockError, match=r"'Plan'.* Did you mean 'plan'\?") as caught:
        retain(BLOCKS, "delete", 5, [("Plan", "rule-1")])
    assert caught.value.suggestion == "plan"


def test_edges_among_no_blocks_name_unknown_blocks() -> None:
    with pytest.raises(UnknownBlockError, match="'a', 'b', which are not among the 0 blocks"):
        retain([], "delete", 5, [("a", "b")])


def test_a_self_edge_is_refused() -> None:
    message = "an edge makes block 'plan' its own prerequisite. Remove that edge"
    with pytest.raises(SelfEdgeError, match=message) as caught:
        retain(BLOCKS, "delete", 5, [("plan", "rule-1"), ("plan", "plan")])
    assert caught.value.block_id == "plan"
    with pytest.raises(SelfEdgeError, match=message):
        PrerequisiteGraph.from_edges([("plan", "rule-1"), ("plan", "plan")])


def test_a_refused_edge_leaves_the_graph_as_it_was() -> None:
    graph = PrerequisiteGraph.from_edges(CHAIN)
    before = edges_in(graph)
    with pytest.raises(SelfEdgeError, match="'new' its own prerequisite"):
        graph.add("new", "new")
    assert edges_in(graph) == before


def test_a_graph_may_outlive_its_blocks_and_says_who_needs_what_is_gone() -> None:
    graph = PrerequisiteGraph.from_edges(
        [("plan", "rule-1"), ("plan", "gone"), ("role-a", "gone"), ("gone", "older"), ("x", "plan")]
    )
    retention = retain(BLOCKS, "delete", 9, graph)
    assert retention.missing_prerequisites == {"gone": ("plan", "role-a")}
    assert retention.records["rule-1"].support == retention.records["plan"].relevance
    assert retention.records["plan"].support == 0.0
    assert retention.to_dict()["missing_prerequisites"] == {"gone": ["plan", "role-a"]}


def test_a_graph_whose_blocks_are_all_there_misses_nothing() -> None:
    graph = PrerequisiteGraph.from_edges([("plan", "rule-1"), ("unheard", "of")])
    assert retain(BLOCKS, "delete", 9, graph).missing_prerequisites == {}


def test_a_missing_prerequisite_does_not_keep_a_closed_selection_from_its_dependent() -> None:
    graph = PrerequisiteGraph.from_edges([("plan", "gone")])
    retention = retain(BLOCKS, "delete", 4, graph, policy=RetentionPolicy.chain_safe())
    assert retention.kept_ids == ("plan",)
    assert retention.missing_prerequisites == {"gone": ("plan",)}


def test_what_was_evicted_is_missing_in_the_next_retention() -> None:
    graph = PrerequisiteGraph.from_edges([("plan", "rule-1"), ("rule-1", "role-a")])
    first = retain(BLOCKS, "delete the old backup", 9, graph)
    assert first.kept_ids == ("rule-1", "plan")
    second = retain(first.kept, "delete the old backup", 4, graph)
    assert second.kept_ids == ("plan",)
    assert second.missing_prerequisites == {"role-a": ("rule-1",)}
    assert retain(second.kept, "x", 4, graph).missing_prerequisites == {"rule-1": ("plan",)}


def test_retain_leaves_the_graph_as_it_was() -> None:
    graph = PrerequisiteGraph.from_edges([("plan", "rule-1"), ("plan", "gone")])
    before = edges_in(graph)
    first = retain(BLOCKS, "delete", 9, graph)
    retain(BLOCKS[::-1], "role", 3, graph, policy=RetentionPolicy.chain_safe())
    assert edges_in(graph) == before
    assert retain(BLOCKS, "delete", 9, graph).to_dict() == first.to_dict()


@given(edge_lists)
def test_a_graph_and_its_pairs_give_the_same_retention(edges: list[tuple[str, str]]) -> None:
    blocks = [Block(name, f"text {name}", 1) for name in "abcdef"]
    graph = PrerequisiteGraph.from_edges(edges)
    for policy in (RetentionPolicy(hops=2), RetentionPolicy.chain_safe(), RetentionPolicy.agent()):
        by_graph = retain(blocks, "text b", 3, graph, policy=policy)
        by_pairs = retain(blocks, "text b", 3, edges, policy=policy)
        assert by_graph.to_dict() == by_pairs.to_dict()


@pytest.mark.parametrize("budget", [0, 1, 2])
def test_blocks_in_a_cycle_are_kept_or_evicted_together_when_closed(budget: int) -> None:
    blocks = [Block("A", "delete the backup", 1), Block("B", "weather", 1)]
    retention = retain(
        blocks,
        "delete the backup",
        budget,
        [("A", "B"), ("B", "A")],
        policy=RetentionPolicy(closed=True),
    )
    assert retention.kept_ids == (("A", "B") if budget == 2 else ())
