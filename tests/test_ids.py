"""Ids that callers give are looked up, or refused by name."""

from collections.abc import Callable

import pytest

from dsgc import Block, PrerequisiteGraph, diagnose, retain
from dsgc._ids import listed, position_of
from dsgc.errors import InputTypeError, UnknownBlockError

RETENTION = retain([Block("rule", "x"), Block("act", "y")], "x", 2)
GRAPH = PrerequisiteGraph.from_edges([("act", "rule")])


def test_an_id_is_found_at_its_position() -> None:
    assert position_of("b", {"a": 0, "b": 1}, "here") == 1


def test_an_unknown_id_is_refused_with_where_it_was_given() -> None:
    with pytest.raises(UnknownBlockError, match=r"^here refers to block 'rul'.* 'rule'\?$"):
        position_of("rul", {"rule": 0}, "here")


def test_one_id_by_itself_is_a_list_of_one() -> None:
    assert listed("abc", "here") == ["abc"]
    assert listed(iter(["a", "b"]), "here") == ["a", "b"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: RETENTION.explain(1),  # type: ignore[arg-type]  # the point of the test
        lambda: RETENTION.explain(["rule"]),  # type: ignore[arg-type]
        lambda: RETENTION.budget_for([1]),  # type: ignore[list-item]
        lambda: RETENTION.budget_for([["rule"]]),  # type: ignore[list-item]
        lambda: RETENTION.budget_for(None),  # type: ignore[arg-type]
        lambda: diagnose(RETENTION, [1]),  # type: ignore[list-item]
        lambda: diagnose(RETENTION, None),  # type: ignore[arg-type]
        lambda: diagnose(None, ["rule"]),  # type: ignore[arg-type]
        lambda: GRAPH.prerequisites(1),  # type: ignore[arg-type]
        lambda: GRAPH.ancestors([1]),  # type: ignore[list-item]
        lambda: GRAPH.ancestors(None),  # type: ignore[arg-type]
        lambda: GRAPH.add("a", 1),  # type: ignore[arg-type]
        lambda: PrerequisiteGraph([1]),  # type: ignore[list-item]
    ],
)
def test_what_is_no_id_is_refused_wherever_one_is_asked_for(ask: Callable[[], object]) -> None:
    with pytest.raises(InputTypeError, match=r"id of the type|ids|retention is of the type"):
        ask()
