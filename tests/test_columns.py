"""Blocks read into columns: costs, ids and texts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dsgc import Block, LexicalEncoder, count_words, retain
from dsgc._columns import check_unique, distinct_texts, read_columns
from dsgc._tokens import LARGEST_COST
from dsgc.errors import DuplicateBlockError, InputTypeError, InvalidCostError
from tests.strategies import NO_COSTS

WHAT_A_COST_IS = "the cost of block 'rule' must be a whole number of tokens from 0 to 1099511627776"


class RecordingEncoder:
    """A lexical encoder that remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.floating[Any]]:
        self.asked.append(list(texts))
        return LexicalEncoder().encode(texts)


def copied(cost: object) -> Block:
    """Return a block whose cost was never checked."""
    return Block("rule", "y", 1).model_copy(update={"cost": cost})


def test_blocks_are_read_in_input_order() -> None:
    blocks = [Block("b", "two words"), Block("a", "", 7, pinned=True), Block("c", "x", 0)]
    columns = read_columns(blocks, count_words)
    assert (columns.ids, columns.texts) == (["b", "a", "c"], ["two words", "", "x"])
    assert columns.cost.tolist() == [2, 7, 0]
    assert columns.cost.dtype == np.int64
    assert columns.pinned.tolist() == [False, True, False]
    assert columns.pinned.dtype == np.bool_


def test_no_blocks_make_empty_columns_of_the_same_types() -> None:
    columns = read_columns((), count_words)
    assert (columns.ids, columns.texts) == ([], [])
    assert columns.cost.shape == (0,)
    assert columns.cost.dtype == np.int64
    assert columns.pinned.shape == (0,)
    assert columns.pinned.dtype == np.bool_


def test_the_largest_cost_is_read_as_it_is() -> None:
    columns = read_columns([Block("a", "x", LARGEST_COST), Block("b", "y", 0)], count_words)
    assert columns.cost.tolist() == [2**40, 0]


def test_a_cost_of_numpy_that_came_in_by_copying_is_read() -> None:
    for cost in (np.int32(5), np.uint64(5)):
        columns = read_columns([Block("a", "x", 1), copied(cost)], count_words)
        assert columns.cost.tolist() == [1, 5]
    assert columns.cost.dtype == np.int64


@pytest.mark.parametrize("cost", NO_COSTS, ids=repr)
def test_a_wrong_cost_that_came_in_by_copying_is_refused_where_it_is_the_only_one(
    cost: Any,
) -> None:
    with pytest.raises(InvalidCostError, match=WHAT_A_COST_IS):
        read_columns([copied(cost)], count_words)


def test_ids_that_all_differ_pass() -> None:
    for ids in ([], [""], ["b", "a", "", "B", " a"]):
        check_unique(ids)


def test_an_id_that_recurs_at_the_very_end_of_a_large_memory_is_found() -> None:
    blocks = [Block(f"b{position}", "x", 1) for position in range(19_999)]
    with pytest.raises(
        DuplicateBlockError, match="blocks 12345 and 19999 both have the id 'b12345'"
    ) as caught:
        retain([*blocks, Block("b12345", "y")], "x", 1)
    assert caught.value.positions == (12_345, 19_999)


def test_texts_that_all_differ_are_their_own_owners() -> None:
    distinct = distinct_texts(["a", "b"], ["x", "y"])
    assert (distinct.texts, distinct.owners) == (["x", "y"], ["a", "b"])
    assert distinct.of_block.tolist() == [0, 1]


def test_a_text_that_recurs_is_owned_by_the_first_block_that_has_it() -> None:
    distinct = distinct_texts(["a", "b", "c", "d", "e"], ["y", "x", "y", "", "x"])
    assert (distinct.texts, distinct.owners) == (["y", "x", ""], ["a", "b", "d"])
    assert distinct.of_block.tolist() == [0, 1, 0, 2, 1]
    assert distinct.of_block.dtype == np.int64


@given(st.lists(st.sampled_from(["", "x", "y", "z"]), max_size=8))
def test_every_block_finds_its_own_text_among_the_distinct_ones(texts: list[str]) -> None:
    ids = [str(position) for position in range(len(texts))]
    distinct = distinct_texts(ids, texts)
    assert len(set(distinct.texts)) == len(distinct.texts)
    assert [distinct.texts[number] for number in distinct.of_block.tolist()] == texts
    assert list(distinct.owners) == [str(texts.index(text)) for text in distinct.texts]


@pytest.mark.parametrize("cost", NO_COSTS, ids=repr)
def test_a_cost_that_came_in_by_copying_is_checked_by_retain(cost: Any) -> None:
    blocks = [Block("a", "x", 1), Block("rule", "y", 1).model_copy(update={"cost": cost})]
    with pytest.raises(InvalidCostError, match=WHAT_A_COST_IS) as caught:
        retain(blocks, "x", 1)
    assert caught.value.block_id == "rule"
    assert caught.value.cost is cost


@pytest.mark.parametrize("cost", [*NO_COSTS, None], ids=repr)
def test_what_count_tokens_returns_must_be_a_cost(cost: Any) -> None:
    blocks = [Block("a", "x", cost=1), Block("rule", "y"), Block("c", "z", cost=1)]
    with pytest.raises(InvalidCostError, match=WHAT_A_COST_IS) as caught:
        retain(blocks, "x", 3, count_tokens=lambda _: cost)
    assert caught.value.block_id == "rule"
    assert caught.value.cost is cost


def test_count_tokens_may_return_a_number_of_numpy() -> None:
    def count(text: str) -> int:
        return np.int32(len(text))  # type: ignore[return-value]  # what a tokenizer might do

    retention = retain([Block("a", "four"), Block("b", "by")], "x", 6, count_tokens=count)
    assert [record.cost for record in retention.records] == [4, 2]
    assert type(retention.records["a"].cost) is int


def test_count_tokens_is_asked_only_where_a_block_has_no_cost_of_its_own() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return 5

    blocks = [Block("a", "x", cost=2), Block("b", "y"), Block("c", "z", cost=0)]
    retention = retain(blocks, "x", 7, count_tokens=count)
    assert asked == ["y"]
    assert [record.cost for record in retention.records] == [2, 5, 0]


def test_ids_that_recur_are_refused() -> None:
    blocks = [Block("a", "x"), Block("b", "y"), Block("c", "z"), Block("b", "other")]
    with pytest.raises(
        DuplicateBlockError, match=r"blocks 1 and 3 both have the id 'b'\. Ids must be unique"
    ) as caught:
        retain(blocks, "x", 2)
    assert caught.value.block_id == "b"
    assert caught.value.positions == (1, 3)


def test_the_first_recurrence_is_the_one_that_is_named() -> None:
    blocks = [Block(name, "x") for name in ("a", "b", "b", "a", "a")]
    with pytest.raises(DuplicateBlockError, match="blocks 1 and 2 both have the id 'b'") as caught:
        retain(blocks, "x", 2)
    assert caught.value.positions == (1, 2)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (["text"], r"blocks\[0\] is a str, not a Block\. Wrap it"),
        ("text", r"blocks\[0\] is a str, not a Block"),
        ([Block("a", "x"), {"id": "b", "text": "y"}], r"blocks\[1\] is a dict, not a Block"),
        ([Block("a", "x"), Block("b", "x"), None], r"blocks\[2\] is a NoneType, not a Block"),
        (Block("a", "x"), r"blocks is of the type Block\. Give a list of blocks"),
        (None, r"blocks is of the type NoneType"),
        ([Block], r"blocks\[0\] is a .*, not a Block"),
    ],
)
def test_what_is_not_a_block_is_refused_with_its_place(blocks: Any, message: str) -> None:
    with pytest.raises(InputTypeError, match=message):
        retain(blocks, "x", 2)


def test_a_subclass_of_block_is_a_block() -> None:
    class Turn(Block):
        speaker: str = "user"

    turn = Turn(id="a", text="x", speaker="agent")
    assert retain([turn, Block("b", "y")], "x", 1).kept == (turn,)


def test_each_distinct_text_is_encoded_once() -> None:
    encoder = RecordingEncoder()
    texts = ["delete", "backup", "delete", "", "backup", ""]
    blocks = [Block(str(position), text) for position, text in enumerate(texts)]
    retention = retain(blocks, "delete", 3, encoder=encoder)
    assert encoder.asked == [["delete", "backup", ""], ["delete"]]
    assert [record.similarity for record in retention.records] == [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]
