"""What pieces cost: each distinct text is counted once, media have their fixed price."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.errors import InvalidCostError
from dsgc.messages._pieces import Piece
from dsgc.messages._pricing import Pricing
from tests.strategies import NO_COSTS

pieces = st.builds(
    lambda message, text, media: Piece(message, 0, 0, "user", text, media=media),
    st.integers(0, 3),
    st.sampled_from(["", "a", "bb", "a longer one"]),
    st.sampled_from([0, 0, 1_000]),
)


class Counting:
    """Count characters, and how often each text comes."""

    framing = 3

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def __call__(self, text: str) -> int:
        self.asked[text] += 1
        return len(text)


def said(text: str, message: int = 0, media: int = 0) -> Piece:
    return Piece(message, 0, message, "user", text, media=media)


def test_each_distinct_text_is_counted_once() -> None:
    counter = Counting()
    pricing = Pricing(counter)
    assert [pricing.text(text) for text in ("ab", "abc", "ab", "abc", "ab")] == [2, 3, 2, 3, 2]
    assert counter.asked == {"ab": 1, "abc": 1}


def test_no_text_costs_nothing_and_is_not_counted() -> None:
    pricing = Pricing(lambda _text: 7)
    assert pricing.text("") == 0
    assert pricing.piece(said("")) == 0
    assert pricing.piece(said(" ")) == 7


def test_media_cost_their_price_beside_the_text() -> None:
    pricing = Pricing(len)
    assert pricing.piece(said("abc", media=1_000)) == 1_003
    assert pricing.piece(said("", media=1_000)) == 1_000


def test_each_message_is_framed_once_however_many_pieces_are_of_it() -> None:
    pricing = Pricing(Counting())
    assert pricing.pieces([]) == 0
    assert pricing.pieces([said("ab", 4), said("c", 4)]) == 3 + 3
    assert pricing.pieces([said("ab", 4), said("c", 9), said("d", 4)]) == 4 + 6


def test_a_counter_without_framing_has_none() -> None:
    assert Pricing(len).framing == 0
    assert Pricing(len).pieces([said("ab")]) == 2


@given(st.lists(pieces))
def test_pieces_cost_what_is_said_and_shown_and_the_frames(given_pieces: list[Piece]) -> None:
    cost = 0
    for piece in given_pieces:
        cost += len(piece.text) + piece.media
    for position in range(4):
        if any(piece.message == position for piece in given_pieces):
            cost += 3
    assert Pricing(Counting()).pieces(given_pieces) == cost


@pytest.mark.parametrize("cost", NO_COSTS, ids=repr)
def test_a_counter_that_returns_no_count_is_refused_without_quoting_the_text(
    cost: Any,
) -> None:
    text = "0123456789" * 5
    with pytest.raises(
        InvalidCostError, match=f"the cost of block 'a text of {len(text)} characters' must be"
    ) as caught:
        Pricing(lambda _text: cost).text(text)
    assert caught.value.cost is cost


def test_a_framing_that_is_no_count_is_refused_by_name() -> None:
    counter = Counting()
    counter.framing = -1
    with pytest.raises(InvalidCostError, match=r"the cost of block 'framing' must be .*got -1"):
        Pricing(counter)
