"""The unit of memory and what it costs."""

import math
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from pydantic import ValidationError

from dsgc import Block, LexicalEncoder, count_words, retain
from dsgc._tokens import LARGEST_COST
from dsgc.errors import DuplicateBlockError, InputTypeError, InvalidCostError

WHAT_A_COST_IS = "the cost of block 'rule' must be a whole number of tokens from 0 to 1099511627776"

NO_COSTS = [
    -1,
    -(10**30),
    LARGEST_COST + 1,
    10**30,
    2.5,
    3.0,
    math.nan,
    math.inf,
    "7",
    [7],
    np.int64(-2),
    np.float64(3.0),
    True,  # most likely meant as `pinned`
    np.True_,
]


class RecordingEncoder:
    """A lexical encoder that remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.floating[Any]]:
        self.asked.append(list(texts))
        return LexicalEncoder().encode(texts)


def test_a_block_needs_only_an_id_and_a_text() -> None:
    block = Block("rule", "never delete backups")
    assert (block.id, block.text) == ("rule", "never delete backups")
    assert (block.cost, block.pinned, block.metadata) == (None, False, {})


def test_the_fields_of_a_block_are_given_in_the_documented_order() -> None:
    by_position = Block("rule", "text", 7, True, {"turn": 3})
    assert by_position == Block(id="rule", text="text", cost=7, pinned=True, metadata={"turn": 3})


def test_a_block_is_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Block("rule", "text").text = "other"  # type: ignore[misc]


def test_a_block_refuses_fields_it_does_not_know() -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted") as caught:
        Block("rule", "text", tokens=3)
    assert [error["loc"] for error in caught.value.errors()] == [("tokens",)]


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("id", {"id": 1, "text": "x"}),
        ("id", {"id": None, "text": "x"}),
        ("text", {"id": "a", "text": None}),
        ("text", {"id": "a", "text": b"x"[0]}),
    ],
)
def test_an_id_and_a_text_must_be_strings(field: str, fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="valid string") as caught:
        Block(**fields)
    assert [error["loc"] for error in caught.value.errors()] == [(field,)]


def test_blocks_do_not_share_their_metadata() -> None:
    first, second = Block("a", "x"), Block("b", "y")
    first.metadata["turn"] = 1
    assert second.metadata == {}


def test_metadata_is_left_out_of_the_representation() -> None:
    block = Block("a", "x", 2, metadata={"secret": 1})
    assert repr(block) == "Block(id='a', text='x', cost=2, pinned=False)"


def test_a_block_survives_json_and_pickle() -> None:
    block = Block("rule", "备份 \U0001f600", 7, True, {"turn": 3, "tags": ["x"]})
    assert Block.model_validate_json(block.model_dump_json()) == block
    assert pickle.loads(pickle.dumps(block)) == block


@pytest.mark.parametrize("text", ["", " ", "\ud800 lone", "\x00", "备份规则", "x" * 100_000])
def test_any_text_is_a_text(text: str) -> None:
    retention = retain([Block("odd", text, cost=1), Block("rule", "delete")], text, 2)
    assert retention.kept_ids == ("odd", "rule")
    assert retention.kept[0].text == text


@pytest.mark.parametrize(
    ("cost", "tokens"),
    [
        (0, 0),
        (7, 7),
        (LARGEST_COST, 2**40),
        (np.int64(7), 7),
        (np.uint8(255), 255),
    ],
)
def test_a_whole_number_of_any_kind_is_a_cost(cost: Any, tokens: int) -> None:
    block = Block("rule", "text", cost)
    assert block.cost == tokens
    assert type(block.cost) is int


@pytest.mark.parametrize("cost", NO_COSTS, ids=repr)
def test_what_is_no_whole_number_of_tokens_is_no_cost(cost: Any) -> None:
    with pytest.raises(InvalidCostError, match=WHAT_A_COST_IS) as caught:
        Block("rule", "text", cost)
    assert caught.value.block_id == "rule"
    assert caught.value.cost is cost


def test_a_cost_from_json_is_checked_too() -> None:
    with pytest.raises(ValidationError, match=f"{WHAT_A_COST_IS}, got -1"):
        Block.model_validate_json('{"id": "rule", "text": "x", "cost": -1}')


@pytest.mark.parametrize("cost", [-5, 2.5, LARGEST_COST + 1])
def test_a_cost_that_came_in_by_copying_is_checked_by_retain(cost: Any) -> None:
    blocks = [Block("a", "x", 1), Block("rule", "y", 1).model_copy(update={"cost": cost})]
    with pytest.raises(InvalidCostError, match=WHAT_A_COST_IS) as caught:
        retain(blocks, "x", 1)
    assert caught.value.block_id == "rule"
    assert caught.value.cost == cost


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


def test_the_largest_costs_add_up_exactly() -> None:
    blocks = [Block(str(number), f"text {number}", LARGEST_COST) for number in range(1_000)]
    retention = retain(blocks, "text", 1_000 * LARGEST_COST)
    assert retention.used == 1_000 * 2**40
    assert len(retention.kept) == 1_000


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


def in_a_list(blocks: list[Block]) -> object:
    return blocks


@pytest.mark.parametrize("shape", [tuple, iter, in_a_list], ids=["tuple", "iterator", "list"])
def test_blocks_may_come_in_any_iterable(shape: Callable[[list[Block]], Any]) -> None:
    blocks = [Block("a", "x"), Block("b", "y")]
    assert retain(shape(blocks), "y", 1).kept_ids == ("b",)


def test_each_distinct_text_is_encoded_once() -> None:
    encoder = RecordingEncoder()
    texts = ["delete", "backup", "delete", "", "backup", ""]
    blocks = [Block(str(position), text) for position, text in enumerate(texts)]
    retention = retain(blocks, "delete", 3, encoder=encoder)
    assert encoder.asked == [["delete", "backup", ""], ["delete"]]
    assert [record.similarity for record in retention.records] == [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def test_retain_leaves_the_blocks_as_they_were() -> None:
    blocks = [Block("a", "x", metadata={"k": [1]}), Block("b", "y", 3, True)]
    before = [block.model_copy(deep=True) for block in blocks]
    retention = retain(blocks, "x", 4)
    assert blocks == before
    assert retention.kept[0] is blocks[0]


def test_blocks_can_be_put_into_a_set_whatever_their_metadata() -> None:
    blocks = [Block("a", "x", metadata={"k": [1]}), Block("b", "y"), Block("c", "x")]
    kept = set(retain(blocks, "x", 2).kept)
    assert kept == {blocks[0], blocks[2]}
    assert hash(Block("a", "x")) == hash(Block("a", "x"))
