"""Edges given to `retain`: pairs are checked in full, a graph may outlive its blocks."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from dsgc import Block, PrerequisiteGraph, RetentionPolicy, retain
from dsgc._linking import link
from dsgc._links import Links
from dsgc.errors import InputTypeError, SelfEdgeError, UnknownBlockError
from tests.strategies import NOT_PAIRS, named_edges

BLOCKS = [
    Block("rule-1", "never delete a locked backup"),
    Block("role-a", "Alice is on call"),
    Block("plan", "delete the old backup"),
]
IDS = ["a", "b", "c"]


def rows_of(links: Links) -> list[list[int]]:
    """Return the dependents of each block."""
    return [links.dependents.row(block) for block in range(links.dependents.n_blocks)]


@pytest.mark.parametrize(
    "edges",
    [
        [("b", "a"), ("c", "a"), ("b", "a")],
        [["b", "a"], ["c", "a"]],
        [("b", "a"), ["c", "a"]],
        np.array([["b", "a"], ["c", "a"]]),
        list(np.array([["b", "a"], ["c", "a"]])),
        [("b", "a"), np.array(["c", "a"])],
        {("b", "a"), ("c", "a")},
        iter([("b", "a"), ("c", "a")]),
        PrerequisiteGraph.from_edges([("c", "a"), ("b", "a")]),
    ],
    ids=[
        "tuples",
        "lists",
        "tuples and lists",
        "array",
        "rows",
        "tuples and rows",
        "set of tuples",
        "iterator",
        "graph",
    ],
)
def test_each_block_gets_the_positions_of_its_dependents_once(edges: Any) -> None:
    links = link(edges, IDS)
    assert rows_of(links) == [[1, 2], [], []]
    assert links.missing == {}


@pytest.mark.parametrize("edges", [(), [], PrerequisiteGraph()], ids=["tuple", "list", "graph"])
def test_without_edges_nothing_depends_on_anything(edges: Any) -> None:
    assert rows_of(link(edges, IDS)) == [[], [], []]
    assert rows_of(link(edges, [])) == []


def test_an_unknown_block_is_named_before_a_self_edge() -> None:
    with pytest.raises(UnknownBlockError, match="edge refers to block 'gone'"):
        link([("a", "a"), ("b", "gone")], IDS)
    with pytest.raises(SelfEdgeError, match="an edge makes block 'b' its own prerequisite"):
        link([("b", "a"), ("b", "b"), ("c", "c")], IDS)


def test_a_graph_skips_the_edges_of_what_is_gone_and_says_who_needs_it() -> None:
    graph = PrerequisiteGraph.from_edges(
        [("b", "gone"), ("gone", "a"), ("c", "a"), ("c", "gone"), ("old", "older")]
    )
    links = link(graph, IDS)
    assert rows_of(links) == [[2], [], []]
    assert links.missing == {"gone": ("b", "c")}


def test_a_graph_asked_twice_about_the_same_blocks_answers_from_memory() -> None:
    graph = PrerequisiteGraph.from_edges([("b", "a")])
    assert link(graph, list(IDS)) is link(graph, list(IDS))


def test_what_a_graph_remembers_is_forgotten_when_an_edge_is_added() -> None:
    graph = PrerequisiteGraph.from_edges([("b", "a")])
    assert rows_of(link(graph, IDS)) == [[1], [], []]
    graph.add("c", "a")
    assert rows_of(link(graph, IDS)) == [[1, 2], [], []]
    graph.add("c", "gone")
    assert link(graph, IDS).missing == {"gone": ("c",)}


def test_what_a_graph_remembers_serves_no_other_list_of_blocks() -> None:
    graph = PrerequisiteGraph.from_edges([("b", "a"), ("c", "b")])
    assert rows_of(link(graph, IDS)) == [[1], [2], []]
    assert rows_of(link(graph, ["c", "b", "a"])) == [[], [0], [1]]
    fewer = link(graph, ["a", "c"])
    assert (rows_of(fewer), fewer.missing) == ([[], []], {"b": ("c",)})
    more = link(graph, [*IDS, "d"])
    assert (rows_of(more), more.missing) == ([[1], [2], [], []], {})
    assert rows_of(link(graph, IDS)) == [[1], [2], []]


def test_what_a_graph_remembers_does_not_change_with_the_list_it_was_asked_with() -> None:
    graph = PrerequisiteGraph.from_edges([("b", "a"), ("c", "a")])
    ids = ["a", "b"]
    assert rows_of(link(graph, ids)) == [[1], []]
    ids.append("c")
    assert rows_of(link(graph, ids)) == [[1, 2], [], []]


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
    before = graph.ids, list(graph)
    first = retain(BLOCKS, "delete", 9, graph)
    retain(BLOCKS[::-1], "role", 3, graph, policy=RetentionPolicy.chain_safe())
    assert (graph.ids, list(graph)) == before
    assert retain(BLOCKS, "delete", 9, graph).to_dict() == first.to_dict()


@given(named_edges)
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


def test_duplicate_edges_count_once_in_retain() -> None:
    once = retain(BLOCKS, "delete", 9, [("plan", "rule-1")])
    thrice = retain(BLOCKS, "delete", 9, [("plan", "rule-1")] * 3)
    assert thrice.to_dict() == once.to_dict()
    assert once.records["rule-1"].support == once.records["plan"].relevance
