"""What costs and budgets are counted in."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc import Block, count_words, retain
from dsgc._tokens import LARGEST_COST, checked_budget, checked_cost
from dsgc.errors import InvalidBudgetError, InvalidCostError
from tests.strategies import NO_COSTS

BLOCKS = [Block("first", "one", 1), Block("second", "two", 1), Block("third", "three", 1)]


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 1), (" \n\t", 1), ("one", 1), ("  a\n\tb  c ", 3), ("备份规则", 1), ("a\u00a0b", 2)],
)
def test_words_are_what_stands_between_white_space(text: str, words: int) -> None:
    assert count_words(text) == words


@given(st.text())
def test_every_text_counts_as_one_word_at_least(text: str) -> None:
    assert count_words(text) == max(len(text.split()), 1)


def test_words_are_the_unit_where_nothing_else_is_said() -> None:
    retention = retain([Block("a", "one two three"), Block("b", "")], "one", 4)
    assert [record.cost for record in retention.records] == [3, 1]


def test_the_largest_costs_add_up_exactly() -> None:
    blocks = [Block(str(number), f"text {number}", LARGEST_COST) for number in range(1_000)]
    retention = retain(blocks, "text", 1_000 * LARGEST_COST)
    assert retention.used == 1_000 * 2**40
    assert len(retention.kept) == 1_000


@pytest.mark.parametrize(
    ("cost", "tokens"), [(0, 0), (LARGEST_COST, 2**40), (np.int64(7), 7), (np.uint8(255), 255)]
)
def test_a_checked_cost_is_a_plain_int(cost: Any, tokens: int) -> None:
    assert checked_cost("rule", cost) == tokens
    assert type(checked_cost("rule", cost)) is int


@pytest.mark.parametrize("cost", [*NO_COSTS, None], ids=repr)
def test_a_wrong_cost_is_refused_in_the_name_of_its_block(cost: Any) -> None:
    message = "the cost of block 'rule' must be a whole number of tokens from 0 to 1099511627776"
    with pytest.raises(InvalidCostError, match=message) as caught:
        checked_cost("rule", cost)
    assert (caught.value.block_id, caught.value.cost) == ("rule", pytest.approx(cost, nan_ok=True))


@pytest.mark.parametrize(
    ("budget", "tokens"),
    [
        (0, 0),
        (10**30, 10**30),
        (1e6, 1_000_000),
        (-0.0, 0),
        (np.float32(2.0), 2),
        (np.uint64(2**64 - 1), 2**64 - 1),
    ],
)
def test_a_checked_budget_is_a_plain_int(budget: Any, tokens: int) -> None:
    assert checked_budget(budget) == tokens
    assert type(checked_budget(budget)) is int


@pytest.mark.parametrize(
    "budget",
    [2, 2.0, np.int64(2), np.uint8(2), np.float64(2.0), np.float32(2.0)],
    ids=lambda budget: type(budget).__name__ + str(budget),
)
def test_a_whole_number_of_any_kind_is_a_budget(budget: Any) -> None:
    retention = retain(BLOCKS, "one", budget)
    assert retention.kept_ids == ("first", "second")
    assert retention.budget == 2
    assert type(retention.budget) is int


def test_a_budget_beyond_64_bits_keeps_everything() -> None:
    assert retain(BLOCKS, "one", 10**30).kept_ids == ("first", "second", "third")


@pytest.mark.parametrize(
    "budget",
    [
        -1,
        -1.0,
        2.5,
        math.nan,
        math.inf,
        -math.inf,
        "2",
        None,
        [2],
        np.int64(-1),
        np.float64(2.5),
        True,
        np.True_,
    ],
    ids=repr,
)
def test_what_is_no_whole_number_of_tokens_is_no_budget(budget: Any) -> None:
    with pytest.raises(
        InvalidBudgetError, match="budget must be a whole number of tokens, 0 or more, got "
    ) as caught:
        retain(BLOCKS, "one", budget)
    assert caught.value.budget is budget


def test_a_budget_of_zero_keeps_only_what_costs_nothing() -> None:
    blocks = [*BLOCKS, Block("free", "four", 0)]
    retention = retain(blocks, "one", 0)
    assert (retention.kept_ids, retention.used, retention.budget) == (("free",), 0, 0)
