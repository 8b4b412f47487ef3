"""Calls and results: paired by key with the nearest earlier call, wherever they stand."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dsgc.messages._pairing import Pairing, pair
from dsgc.messages._pieces import Kind, Piece


def piece(kind: Kind, key: str = "", turn: int = 0, **more: Any) -> Piece:
    return Piece(0, 0, turn, kind, "", key=key, **more)


def call(key: str, turn: int = 0, **more: Any) -> Piece:
    return piece("call", key, turn, **more)


def result(key: str, **more: Any) -> Piece:
    return piece("result", key, 99, **more)


def by_search(pieces: Sequence[Piece]) -> Pairing:
    """Pair by looking back from each result over all that came before."""
    call_of: dict[int, int] = {}
    orphans = []
    for position, one in enumerate(pieces):
        if one.kind != "result":
            continue
        free = [
            earlier
            for earlier in range(position)
            if pieces[earlier].kind == "call"
            and pieces[earlier].key == one.key
            and earlier not in call_of.values()
        ]
        if not free:
            orphans.append(position)
        elif one.by_order:
            turn = pieces[free[-1]].turn
            call_of[position] = next(each for each in free if pieces[each].turn == turn)
        else:
            call_of[position] = free[-1]
    unanswered = [
        position
        for position, one in enumerate(pieces)
        if one.kind == "call" and one.awaits_result and position not in call_of.values()
    ]
    return Pairing(call_of, orphans, unanswered)


@st.composite
def sequences(draw: st.DrawFn) -> list[Piece]:
    """Draw pieces of turns that follow each other; keys recur, also within a turn."""
    pieces, turn = [], 0
    for _ in range(draw(st.integers(0, 14))):
        turn += draw(st.integers(0, 1))
        kind: Kind = draw(st.sampled_from(["call", "call", "result", "result", "assistant"]))
        pieces.append(
            piece(
                kind,
                draw(st.sampled_from(["", "a", "b"])),
                turn,
                awaits_result=draw(st.booleans()),
                by_order=draw(st.booleans()),
            )
        )
    return pieces


@given(sequences())
def test_results_go_where_a_search_over_all_earlier_calls_sends_them(pieces: list[Piece]) -> None:
    assert pair(pieces) == by_search(pieces)


def test_results_find_their_calls_in_any_order_and_at_any_distance() -> None:
    pieces = [call("a"), call("b"), piece("user"), result("b"), piece("assistant"), result("a")]
    assert pair(pieces) == Pairing({3: 1, 5: 0}, [], [])


def test_a_key_that_recurs_belongs_to_the_nearest_call_that_is_unanswered() -> None:
    pieces = [call("a", 0), result("a"), call("a", 1), result("a")]
    assert pair(pieces).call_of == {1: 0, 3: 2}
    late = [call("a", 0), call("a", 1), result("a"), result("a"), result("a")]
    assert pair(late) == Pairing({2: 1, 3: 0}, [4], [])


def test_calls_of_one_turn_are_answered_in_their_order_where_the_key_is_a_mere_name() -> None:
    calls = [call("search", 0), call("search", 1), call("search", 1)]
    answers = [result("search", by_order=True)] * 3
    assert pair([*calls, *answers]).call_of == {3: 1, 4: 2, 5: 0}


def test_a_result_never_belongs_to_a_later_call() -> None:
    assert pair([result("a"), call("a")]) == Pairing({}, [0], [1])


def test_a_call_that_is_complete_in_itself_waits_for_nothing_but_may_have_a_result() -> None:
    alone = call("a", awaits_result=False)
    assert pair([alone]) == Pairing({}, [], [])
    assert pair([alone, result("a")]) == Pairing({1: 0}, [], [])


def test_keys_of_other_pieces_pair_nothing() -> None:
    pieces = [piece("assistant", "a"), piece("user", "a"), piece("reasoning", "a"), result("a")]
    assert pair(pieces) == Pairing({}, [3], [])
    assert pair([]) == Pairing({}, [], [])
