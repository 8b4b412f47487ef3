"""Units: what is kept or evicted together, by id and never by neighbourhood."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.messages import Unit, read_units
from dsgc.messages._pieces import Kind, Piece
from dsgc.messages._units import Conversation, units_of
from dsgc.messages.formats import FORMATS as READERS
from tests.messages.conversations import Conversation as Drawn
from tests.messages.conversations import conversations
from tests.messages.renderings import FORMATS, RENDERERS


def piece(message: int, kind: Kind, text: str = "", *, part: int = 0, **more: Any) -> Piece:
    return Piece(message, part, more.pop("turn", message), kind, text, **more)


def shape(conversation: Conversation) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(unit.id, unit.side, unit.members) for unit in conversation.units]


def test_a_message_that_stands_alone_is_a_unit() -> None:
    pieces = [piece(0, "system", "s"), piece(1, "user", "u"), piece(2, "assistant", "a")]
    assert shape(units_of(pieces)) == [
        ("m0", "system", (0,)),
        ("m1", "user", (1,)),
        ("m2", "assistant", (2,)),
    ]


def test_a_turn_is_one_unit_with_all_its_results_wherever_they_stand() -> None:
    pieces = [
        piece(0, "user", "do both"),
        piece(1, "reasoning", "hm"),
        piece(1, "call", "one", key="a", part=1),
        piece(1, "call", "two", key="b", part=2),
        piece(2, "result", "second", key="b"),
        piece(3, "user", "and then?"),
        piece(4, "assistant", "wait"),
        piece(5, "result", "first", key="a"),
    ]
    conversation = units_of(pieces)
    assert shape(conversation) == [
        ("m0", "user", (0,)),
        ("m1", "assistant", (1, 2, 3, 4, 7)),
        ("m3", "user", (5,)),
        ("m4", "assistant", (6,)),
    ]
    turn = conversation.units[1]
    assert [call.text for call in turn.calls] == ["one", "two"]
    assert [result.text for result in turn.results] == ["second", "first"]
    assert turn.positions == (1, 2, 5)
    assert turn.text == "hm\none\ntwo\nsecond\nfirst"
    assert not turn.is_pending


def test_items_of_one_response_are_one_unit() -> None:
    pieces = [
        piece(0, "reasoning", turn=0),
        piece(1, "call", key="a", turn=0),
        piece(2, "result", key="a"),
        piece(3, "reasoning", turn=3),
        piece(4, "assistant", turn=3),
    ]
    assert shape(units_of(pieces)) == [
        ("m0", "assistant", (0, 1, 2)),
        ("m3", "assistant", (3, 4)),
    ]


def test_a_message_with_results_and_a_text_is_of_two_units() -> None:
    pieces = [
        piece(0, "call", key="a"),
        piece(1, "result", key="a"),
        piece(1, "user", "and?", part=1),
    ]
    units = units_of(pieces).units
    assert [(unit.id, unit.positions) for unit in units] == [("m0", (0, 1)), ("m1", (1,))]


def test_a_second_unit_that_begins_in_a_message_is_named_after_its_part() -> None:
    pieces = [piece(3, "system"), piece(3, "user", part=1), piece(3, "user", part=2)]
    assert shape(units_of(pieces)) == [("m3", "system", (0,)), ("m3.1", "user", (1, 2))]


def test_results_without_a_call_belong_to_no_unit_and_are_told() -> None:
    pieces = [piece(0, "user", "hello"), piece(1, "result", key="a"), piece(2, "call", key="a")]
    conversation = units_of(pieces)
    assert conversation.orphans == (pieces[1],)
    assert shape(conversation) == [("m0", "user", (0,)), ("m2", "assistant", (2,))]


def test_a_unit_is_pending_as_long_as_one_of_its_calls_waits() -> None:
    pieces = [
        piece(0, "call", key="a"),
        piece(0, "call", key="b", part=1),
        piece(1, "result", key="a"),
        piece(2, "call", key="c"),
        piece(3, "result", key="c"),
    ]
    conversation = units_of(pieces)
    assert [unit.is_pending for unit in conversation.units] == [True, False]
    assert conversation.unanswered == (pieces[1],)


def test_what_says_nothing_takes_no_line_of_the_text() -> None:
    unit = Unit("m0", "user", (piece(0, "user"), piece(0, "user", "a"), piece(0, "user", "b")), ())
    assert unit.text == "a\nb"


def test_no_pieces_are_no_units() -> None:
    assert units_of([]) == Conversation((), (), ())


@pytest.mark.parametrize("name", FORMATS)
@given(drawn=conversations())
def test_every_piece_is_in_one_unit_or_an_orphan_and_ids_are_distinct(
    name: str, drawn: Drawn
) -> None:
    pieces = READERS[name].read(RENDERERS[name](drawn))
    conversation = units_of(pieces)
    members = [member for unit in conversation.units for member in unit.members]
    assert len(set(members)) == len(members)
    left = [pieces[place] for place in range(len(pieces)) if place not in members]
    assert left == list(conversation.orphans)
    ids = [unit.id for unit in conversation.units]
    assert len(set(ids)) == len(ids)
    begins = [unit.members[0] for unit in conversation.units]
    assert begins == sorted(begins)
    for unit in conversation.units:
        assert unit.pieces == tuple(pieces[member] for member in unit.members)
        assert list(unit.members) == sorted(unit.members)
        assert {result.key for result in unit.results} <= {call.key for call in unit.calls}


@given(st.integers(0, 6), st.integers(0, 6))
def test_pending_are_the_units_whose_calls_outnumber_their_results(asked: int, told: int) -> None:
    calls = [piece(0, "call", key=f"c{number}", part=number) for number in range(asked)]
    results = [piece(1 + number, "result", key=f"c{number}") for number in range(told)]
    conversation = units_of([*calls, *results])
    assert [unit.is_pending for unit in conversation.units] == [asked > told] * (asked > 0)
    assert len(conversation.unanswered) == max(asked - told, 0)
    assert len(conversation.orphans) == max(told - asked, 0)


def test_thousands_of_calls_that_wait_are_read_in_time_linear_in_their_number() -> None:
    calls = [
        {"role": "assistant", "tool_calls": [{"id": f"c{number}", "function": {"name": "f"}}]}
        for number in range(20_000)
    ]
    began = time.perf_counter()
    assert sum(unit.is_pending for unit in read_units(calls)) == 20_000
    assert time.perf_counter() - began < 6.0
