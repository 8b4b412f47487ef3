"""How many tokens there are for messages, and at which marks compaction begins and ends."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from dsgc.errors import InputError, InputTypeError, InvalidBudgetError
from dsgc.messages._limits import Limits, limits_of
from dsgc.messages._pricing import Pricing

NONE = (None, None)


class Weather(BaseModel):
    """Tell the weather."""

    city: str


def limits(
    budget: Any = 1_000, reserve: Any = 0, tools: Any = (), high: Any = None, low: Any = None
) -> Limits:
    return limits_of(budget, reserve, tools, (high, low), Pricing(len))


def test_without_more_all_of_the_budget_is_for_messages() -> None:
    assert limits(1_000) == Limits(1_000, 1_000, 1_000)
    assert limits(0) == Limits(0, 0, 0)
    assert limits(np.int64(7)) == limits(7.0) == Limits(7, 7, 7)


def test_the_reserve_and_the_tools_are_taken_off() -> None:
    tools = [{"name": "a"}, {"name": "bc"}]
    cost = len('{"name": "a"}') + len('{"name": "bc"}')
    assert cost == 27
    assert limits(1_000, 100, tools).most == 1_000 - 100 - 27
    assert limits(1_000, 100, iter(tools)).most == 873
    assert limits(127, 100, tools) == Limits(0, 0, 0)


def test_each_tool_counts_even_where_two_are_alike() -> None:
    assert limits(100, tools=[{"name": "a"}] * 3).most == 100 - 39


def test_a_tool_that_is_a_class_of_models_costs_what_its_schema_does() -> None:
    schema = (
        '{"description": "Tell the weather.", "properties": {"city": {"title": "City", '
        '"type": "string"}}, "required": ["city"], "title": "Weather", "type": "object"}'
    )
    assert limits(1_000, tools=[Weather]).most == 1_000 - len(schema)


@pytest.mark.parametrize(
    ("mark", "tokens"),
    [
        (0.8, 800),
        (1.0, 1_000),
        (0.0, 0),
        (0.3337, 333),
        (1, 1),
        (800, 800),
        (800.0, 800),
        (np.float32(0.5), 500),
        (np.float64(0.8), 800),
        (np.int64(800), 800),
    ],
    ids=repr,
)
def test_a_mark_is_a_share_or_a_number_of_tokens(mark: Any, tokens: int) -> None:
    assert limits(high=mark) == Limits(1_000, tokens, tokens)
    assert limits(low=mark) == Limits(1_000, 1_000, tokens)


def test_a_share_is_one_of_what_is_left_for_messages() -> None:
    assert limits(1_000, 200, high=0.5, low=0.25) == Limits(800, 400, 200)


def test_both_marks_may_be_one() -> None:
    assert limits(high=0.5, low=500) == Limits(1_000, 500, 500)


marks = st.none() | st.floats(0, 1) | st.integers(0, 10_000)


def tokens_of(mark: float | None, most: int, default: int) -> int:
    """Return what a mark stands for: shares are floats."""
    if mark is None:
        return default
    return mark if isinstance(mark, int) else math.floor(mark * most)


@given(st.integers(0, 10_000), marks, marks)
def test_limits_are_in_order_or_refused(budget: int, high: Any, low: Any) -> None:
    upper = tokens_of(high, budget, budget)
    lower = tokens_of(low, budget, upper)
    if lower <= upper <= budget:
        assert limits(budget, high=high, low=low) == Limits(budget, upper, lower)
    else:
        with pytest.raises(InputError, match=r"must lie between|is above high_water"):
            limits(budget, high=high, low=low)


def test_a_reserve_and_tools_beyond_the_budget_are_refused_with_all_three_numbers() -> None:
    message = r"reserve \(90 tokens\) and tools \(13 tokens\) exceed the budget of 100 tokens"
    with pytest.raises(InputError, match=message):
        limits(100, 90, [{"name": "a"}])


@pytest.mark.parametrize("number", [-1, 2.5, "100", None, True, math.nan])
def test_a_budget_or_reserve_that_is_no_number_of_tokens_is_refused_by_its_name(
    number: Any,
) -> None:
    with pytest.raises(InvalidBudgetError, match=f"budget must be a whole number .*{number!r}"):
        limits(number)
    with pytest.raises(InputError, match=f"reserve must be a whole number .*{number!r}") as caught:
        limits(1_000, number)
    assert type(caught.value) is InputError


@pytest.mark.parametrize(
    ("tools", "kind"),
    [
        ("search", "str"),
        (b"search", "bytes"),
        (None, "NoneType"),
        (3, "int"),
        ({"name": "search"}, "dict"),
    ],
)
def test_tools_that_are_no_list_are_refused(tools: Any, kind: str) -> None:
    with pytest.raises(InputTypeError, match=f"tools is of the type {kind}. Give a list of tool"):
        limits(tools=tools)


@pytest.mark.parametrize("mark", [-1, -0.1, 1_001, 1.5, 2_000.0, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["high", "low"])
def test_a_mark_outside_the_room_there_is_is_refused(name: str, mark: float) -> None:
    message = f"{name}_water must lie between 0 and the 1000 tokens .*got {mark!r}. Give a share"
    with pytest.raises(InputError, match=message):
        limits(**{name: mark})


@pytest.mark.parametrize("mark", ["0.8", True, [1], Fraction(1, 2)])
@pytest.mark.parametrize("name", ["high", "low"])
def test_a_mark_of_another_kind_is_refused(name: str, mark: Any) -> None:
    message = f"{name}_water is of the type {type(mark).__name__}. Give a share of the budget"
    with pytest.raises(InputTypeError, match=message):
        limits(**{name: mark})


def test_a_low_mark_above_the_high_one_is_refused_with_both() -> None:
    message = r"low_water \(600 tokens\) is above high_water \(500 tokens\).*exchange them"
    with pytest.raises(InputError, match=message):
        limits(high=0.5, low=0.6)
