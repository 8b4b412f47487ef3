"""The blocks that compete for the budget: units, and the parts of their long results."""

import json
from collections.abc import Collection, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc import Block
from dsgc.messages import read_units
from dsgc.messages._candidates import (
    LONG,
    Blocks,
    Candidates,
    candidates_of,
    needs_of_parts,
)
from dsgc.messages._pieces import Piece
from dsgc.messages._pricing import Pricing
from dsgc.messages._splitting import Node, leaves_of, split
from dsgc.messages._units import Unit, units_of
from tests.messages.results import json_texts, long_texts

LINES = "".join(f"line {n}{' word' * 23}\n" for n in range(3))  # three parts of 25 words
RECORDS = json.dumps([{"id": n, "text": "word " * 20} for n in range(3)])


class Words:
    """Counts words, and two more tokens a message."""

    framing = 2

    def __call__(self, text: str) -> int:
        return len(text.split())


def asked(*results: str) -> list[Unit]:
    """Return a question and a unit of calls with these results."""
    calls = [{"id": f"c{n}", "function": {"name": "look", "arguments": "{}"}} for n in range(9)]
    messages: list[Any] = [
        {"role": "user", "content": "What is there?"},
        {"role": "assistant", "content": "I look.", "tool_calls": calls[: len(results)]},
    ]
    for n, result in enumerate(results):
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": result})
    return list(read_units(messages))


def blocks_of(
    units: Sequence[Unit], whole: Collection[int] = (), *, split_results: bool = True
) -> Candidates:
    return candidates_of(units, Pricing(Words()), whole, split_results=split_results)


def test_a_unit_is_one_block_that_says_and_costs_all_of_it() -> None:
    found = blocks_of(asked("a lamp"))
    assert found == Candidates(
        ids=["m0", "m1"],
        texts=["What is there?", "I look.\nlook\n{}\na lamp"],
        costs=[3 + 2, 6 + 2 * 2],
        unit=[0, 1],
        own=[0, 1],
        long_results=[],
    )


def test_no_units_have_no_blocks() -> None:
    assert blocks_of([]) == Candidates([], [], [], [], [], [])


def test_the_parts_of_a_long_result_are_blocks_of_their_own() -> None:
    found = blocks_of(asked(LINES))
    assert found.ids == ["m0", "m1", "m1#1", "m1#2", "m1#3"]
    assert found.texts[1] == "I look.\nlook\n{}"
    assert "".join(found.texts[2:]) == LINES
    assert found.unit == [0, 1, 1, 1, 1]
    assert found.own == [0, 1]
    (long,) = found.long_results
    assert (long.member, long.first, long.n_parts) == (3, 2, 3)


def test_the_own_block_of_a_unit_pays_for_what_marks_its_parts() -> None:
    found = blocks_of(asked(LINES))
    assert found.costs == [5, 2 + 1 + 1 + len(("[left", "out:", "75", "tokens]")) + 4, 25, 25, 25]


def test_a_part_says_the_keys_on_the_way_to_it_and_costs_its_own_with_its_value() -> None:
    text = json.dumps({"orders": [{"id": 1, "note": "word " * 60}], "n": 2})
    found = blocks_of(asked(text))
    assert found.texts[2:] == [
        '"orders" "id" 1',
        '"orders" "note" ' + "word " * 25,
        '"orders" "note" ' + "word " * 25,
        '"orders" "note" ' + "word " * 10,
        '"n" 2',
    ]
    assert found.costs[2:] == [1, 25, 25, 10, 1]


def test_a_part_costs_at_least_a_token() -> None:
    found = candidates_of(
        asked("[" + "0, " * 60 + "0]"), Pricing(lambda text: len(text) // 9), (), split_results=True
    )
    assert set(found.costs[2:]) == {1}


def test_the_parts_of_several_results_are_numbered_through_and_short_ones_stay_in_the_unit() -> (
    None
):
    found = blocks_of(asked(LINES, "a lamp", RECORDS))
    assert found.ids[1:] == [f"m1{number}" for number in ("", "#1", "#2", "#3", "#4", "#5", "#6")]
    assert found.texts[1] == "I look.\nlook\n{}\nlook\n{}\nlook\n{}\na lamp"
    assert [(long.member, long.first, long.n_parts) for long in found.long_results] == [
        (5, 2, 3),
        (7, 5, 3),
    ]


def test_a_result_is_long_beyond_two_parts() -> None:
    assert LONG == 50
    assert blocks_of(asked("word " * 50)).ids == ["m0", "m1"]
    assert blocks_of(asked("word " * 51)).ids == ["m0", "m1", "m1#1", "m1#2", "m1#3"]


def test_what_is_long_but_cannot_be_split_is_one_part() -> None:
    empty = f"[{' ' * 700}]"
    found = blocks_of(asked(empty))
    assert found.ids == ["m0", "m1", "m1#1"]
    (long,) = found.long_results
    assert long[:4] == (3, Node("leaf", empty), 2, 1)


@pytest.mark.parametrize(("whole", "split_results"), [((1,), True), ((0, 1), True), ((), False)])
def test_results_that_must_not_be_cut_are_not_split(
    whole: tuple[int, ...], split_results: bool
) -> None:
    found = blocks_of(asked(LINES), whole, split_results=split_results)
    assert found.ids == ["m0", "m1"]
    assert found.texts[1] == f"I look.\nlook\n{{}}\n{LINES}"
    assert found.costs[1] == 4 + 75 + 2 * 2


def test_only_the_units_named_are_whole() -> None:
    assert blocks_of(asked(LINES), (0,)).ids == ["m0", "m1", "m1#1", "m1#2", "m1#3"]


def result(text: str, *, media: int = 0, replaceable: bool = True) -> list[Unit]:
    pieces = [
        Piece(0, 0, 0, "call", "look", key="c1"),
        Piece(1, 0, 1, "result", text, key="c1", media=media, replaceable=replaceable),
    ]
    return list(units_of(pieces).units)


def test_a_result_that_the_format_cannot_replace_is_not_split() -> None:
    assert blocks_of(result(LINES, replaceable=False)).ids == ["m0"]


def test_a_result_with_an_image_is_one_part_however_short_and_pays_for_it() -> None:
    for text in ("a map", LINES):
        found = blocks_of(result(text, media=1_000))
        n_words = len(text.split())
        assert found.ids == ["m0", "m0#1"]
        assert found.costs == [1 + 4 + 2 * 2, n_words + 1_000]
        (long,) = found.long_results
        assert long[:4] == (1, Node("leaf", text), 1, 1)


def test_a_long_text_that_is_no_result_is_not_split() -> None:
    units = read_units(
        [{"role": "user", "content": LINES}, {"role": "assistant", "content": LINES}]
    )
    assert blocks_of(units).ids == ["m0", "m1"]


def test_a_stub_marks_everything_as_left_out() -> None:
    assert [long.stub for long in blocks_of(asked(LINES)).long_results] == ["[left out: 75 tokens]"]
    (long,) = blocks_of(asked(RECORDS)).long_results
    assert long.stub == '["[left out: 3 of 3, 72 tokens]"]'
    (long,) = blocks_of(result("a map", media=1_000)).long_results
    assert long.stub == "[left out: 1002 tokens]"


def test_each_part_needs_the_own_block_of_its_unit() -> None:
    found = blocks_of([*asked(LINES), *asked(RECORDS)])
    assert list(needs_of_parts(found)) == [(2, 1), (3, 1), (4, 1), (7, 6), (8, 6), (9, 6)]
    assert list(needs_of_parts(blocks_of(asked("a lamp")))) == []


@given(st.lists(json_texts | long_texts, max_size=4), st.booleans())
def test_blocks_say_all_that_units_say_and_cost_what_is_said(
    results: list[str], split_results: bool
) -> None:
    pricing = Pricing(len)
    units = asked(*results)
    found = candidates_of(units, pricing, (), split_results=split_results)
    n_blocks = len(found.ids)
    assert {len(column) for column in (found.texts, found.costs, found.unit)} == {n_blocks}
    assert len(set(found.ids)) == n_blocks
    assert [found.ids[own] for own in found.own] == [unit.id for unit in units]
    assert found.unit == sorted(found.unit)
    paid = sum(pricing.pieces(unit.pieces) for unit in units)
    for long in found.long_results:
        text = results[long.member - 2 - len(results)]
        leaves = list(leaves_of(split(text)))
        parts = range(long.first, long.first + long.n_parts)
        assert long.n_parts == len(leaves)
        assert [found.costs[part] for part in parts] == [
            max(len(leaf.key + leaf.text), 1) for leaf, _ in leaves
        ]
        assert all(
            found.texts[part].endswith(leaf.text)
            for part, (leaf, _) in zip(parts, leaves, strict=True)
        )
        paid += len(long.stub) - len(text)
    assert sum(found.costs[own] for own in found.own) == paid
    n_parts = sum(long.n_parts for long in found.long_results)
    assert n_blocks == len(units) + (n_parts if split_results else 0)


def test_blocks_are_made_when_they_are_asked_for() -> None:
    blocks = Blocks(blocks_of(asked(LINES)))
    assert len(blocks) == 5
    assert blocks[0] == Block("m0", "What is there?", 5)
    assert blocks[-1] == Block("m1#3", LINES[-len(LINES) // 3 :], 25)
    assert [block.id for block in blocks] == ["m0", "m1", "m1#1", "m1#2", "m1#3"]
    assert blocks[1:4:2] == [blocks[1], blocks[3]]
    assert blocks[5:] == []
    with pytest.raises(IndexError, match="out of range"):
        blocks[5]
