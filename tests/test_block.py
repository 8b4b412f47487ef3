"""The unit of memory and what it costs."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from dsgc import Block, retain
from dsgc._tokens import LARGEST_COST
from dsgc.errors import InvalidCostError
from tests.strategies import NO_COSTS

WHAT_A_COST_IS = "the cost of block 'rule' must be a whole number of tokens from 0 to 1099511627776"


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
        Block("rule", "text", tokens=3)  # type: ignore[call-arg]  # the point of the test
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


def in_a_list(blocks: list[Block]) -> object:
    return blocks


@pytest.mark.parametrize("shape", [tuple, iter, in_a_list], ids=["tuple", "iterator", "list"])
def test_blocks_may_come_in_any_iterable(shape: Callable[[list[Block]], Any]) -> None:
    blocks = [Block("a", "x"), Block("b", "y")]
    assert retain(shape(blocks), "y", 1).kept_ids == ("b",)


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


def test_a_subclass_has_its_own_defaults() -> None:
    class Note(Block):
        cost: int | None = 7
        pinned: bool = True

    note = Note(id="a", text="x")
    assert (note.cost, note.pinned) == (7, True)
    assert Note(id="a", text="x", cost=2).cost == 2


def test_what_was_not_said_counts_as_unset() -> None:
    assert Block("a", "x").model_dump(exclude_unset=True) == {"id": "a", "text": "x"}


def test_a_block_without_text_is_refused_like_any_pydantic_model() -> None:
    with pytest.raises(ValidationError, match="text\n  Field required"):
        Block.model_validate({"id": "a"})
    with pytest.raises(ValidationError, match="self\n  Extra inputs are not permitted"):
        Block.model_validate({"id": "a", "text": "x", "self": 1})


def test_too_many_values_and_values_given_twice_are_refused() -> None:
    with pytest.raises(TypeError, match="a block has 5 fields, got 6 values"):
        Block("a", "x", 1, False, {}, 6)  # type: ignore[call-arg]  # the point of the test
    with pytest.raises(TypeError, match=r"more than one value for \['id'\]"):
        Block("a", id="b")  # type: ignore[call-arg, misc]  # the point of the test
