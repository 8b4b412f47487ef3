"""The edges among the blocks of one call, by position."""

from collections import deque
from typing import Any

import numpy as np
import pytest

from dsgc._links import Links, checked_pair
from dsgc.errors import InputTypeError
from tests.strategies import NOT_PAIRS


def test_dependents_and_prerequisites_are_the_two_sides_of_the_same_edges() -> None:
    # 0 needs 2 (said twice), and 1 needs both 0 and 2.
    links = Links.from_positions(np.array([0, 1, 0, 1]), np.array([2, 2, 2, 0]), 3)
    assert [links.dependents.row(block) for block in range(3)] == [[1], [], [0, 1]]
    assert [links.prerequisites.row(block) for block in range(3)] == [[2], [0, 2], []]


def test_nothing_is_missing_unless_it_is_said() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert Links.from_positions(nothing, nothing, 2).missing == {}
    missing = {"gone": ("a", "b")}
    assert Links.from_positions(nothing, nothing, 2, missing).missing == missing


@pytest.mark.parametrize(
    "edge",
    [("b", "a"), ["b", "a"], np.array(["b", "a"]), deque("ba"), (np.str_("b"), np.str_("a"))],
    ids=["tuple", "list", "row", "deque", "strings of numpy"],
)
def test_a_sequence_of_two_ids_is_a_pair(edge: Any) -> None:
    assert checked_pair(edge) == ("b", "a")


@pytest.mark.parametrize("edge", NOT_PAIRS.values(), ids=NOT_PAIRS)
def test_what_is_no_sequence_of_two_ids_is_no_pair(edge: Any) -> None:
    with pytest.raises(InputTypeError, match=r"an edge must be a pair of ids .*, got ") as caught:
        checked_pair(edge)
    assert f"got {edge!r}. Give edges as a list of such pairs." in str(caught.value)


@pytest.mark.parametrize("edge", [np.array([["b", "a"]]), np.array([1, 2]), np.array("ba")])
def test_an_array_that_is_no_row_of_two_ids_is_no_pair(edge: Any) -> None:
    with pytest.raises(InputTypeError, match=r"an edge must be a pair of ids .*, got array"):
        checked_pair(edge)
