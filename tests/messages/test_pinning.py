"""What stays whatever its score: system messages, the latest user turn, open calls, pins."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.errors import InputTypeError
from dsgc.messages._pieces import Kind, Piece
from dsgc.messages._pinning import Pins, pins_of
from dsgc.messages._pricing import Pricing
from dsgc.messages._transcript import Transcript, read_transcript
from dsgc.messages._units import units_of
from dsgc.messages.formats import FORMATS

CALL = {"id": "c1", "function": {"name": "read", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "milk"}
HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Read it."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    RESULT,
    {"role": "assistant", "content": "Milk."},
    {"role": "user", "content": "And now?"},
    {"role": "assistant", "content": "Nothing."},
]


def pins(messages: Sequence[Any], pin: Any = None) -> Pins:
    return pins_of(read_transcript(messages, "openai-chat", len), pin, split_results=False)


def transcript_of(pieces: Sequence[Piece]) -> Transcript:
    n_messages = len({piece.message for piece in pieces})
    return Transcript(
        list(range(n_messages)),
        FORMATS["openai-chat"],
        pieces,
        units_of(pieces),
        Pricing(len),
        [0] * n_messages,
    )


def test_system_messages_and_the_latest_user_turn_stay_and_the_first_is_named() -> None:
    assert pins(HISTORY) == Pins(frozenset({0, 4}), frozenset(), first_user=1)


def test_a_first_user_turn_that_is_also_the_latest_is_required() -> None:
    assert pins(HISTORY[:5]) == Pins(frozenset({0, 1}), frozenset(), first_user=None)


def test_without_a_user_turn_there_is_none_to_keep() -> None:
    assert pins(HISTORY[2:5]) == Pins(frozenset(), frozenset(), first_user=None)
    assert pins([]) == Pins(frozenset(), frozenset(), first_user=None)


def test_a_call_that_waits_stays() -> None:
    assert pins([HISTORY[1], HISTORY[2], HISTORY[5]]).required == {1, 2}
    assert pins([HISTORY[1], HISTORY[2], RESULT, HISTORY[5]]).required == {2}


def test_what_the_caller_pins_stays_whole_with_its_unit() -> None:
    by_result = pins(HISTORY, lambda message: message is RESULT)
    by_call = pins(HISTORY, lambda message: "tool_calls" in message)
    assert by_result == by_call == Pins(frozenset({0, 2, 4}), frozenset({2}), first_user=1)


def test_a_first_user_turn_that_the_caller_pins_is_required() -> None:
    assert pins(HISTORY, lambda message: message is HISTORY[1]).first_user is None


def test_the_answer_of_a_pin_may_be_anything_true_or_false() -> None:
    assert pins(HISTORY, lambda message: message.get("tool_calls")).whole == {2}
    assert pins(HISTORY, lambda _message: 1).whole == {0, 1, 2, 3, 4, 5}
    assert pins(HISTORY, lambda _message: "").whole == frozenset()


def test_a_pin_on_a_result_without_a_call_saves_nothing() -> None:
    assert pins([RESULT, HISTORY[1]], lambda _message: True).whole == {0}


def test_what_the_format_pins_stays_but_its_results_may_be_cut() -> None:
    pieces = [
        Piece(0, 0, 0, "assistant", "a summary", pinned=True),
        Piece(1, 0, 1, "assistant", "an answer"),
        Piece(1, 1, 1, "reasoning", "hm", pinned=True),
        Piece(2, 0, 2, "assistant", "more"),
    ]
    assert pins_of(transcript_of(pieces), None, split_results=False) == Pins(
        frozenset({0, 1}), frozenset(), None
    )


kinds: st.SearchStrategy[Kind] = st.sampled_from(["system", "user", "assistant", "call"])
pieces_of_messages = st.lists(st.tuples(kinds, st.booleans(), st.booleans())).map(
    lambda drawn: [
        Piece(number, 0, number, kind, "", str(number), awaits_result=waits, pinned=pinned)
        for number, (kind, waits, pinned) in enumerate(drawn)
    ]
)


@given(pieces_of_messages, st.sets(st.integers(0, 30)))
def test_pins_are_those_that_a_look_at_each_message_finds(
    pieces: list[Piece], wanted: set[int]
) -> None:
    required, users = set(), []
    for number, piece in enumerate(pieces):
        if piece.kind == "user":
            users.append(number)
        if (
            piece.kind == "system"
            or piece.pinned
            or (piece.kind == "call" and piece.awaits_result)
            or number in wanted
        ):
            required.add(number)
    if users:
        required.add(users[-1])
    first = users[0] if users and users[0] not in required else None
    found = pins_of(transcript_of(pieces), lambda message: message in wanted, split_results=False)
    assert found == Pins(
        frozenset(required), frozenset(wanted & set(range(len(pieces)))), first_user=first
    )


@pytest.mark.parametrize("pin", [3, "system", HISTORY[0], [0]])
def test_a_pin_that_is_no_function_is_refused(pin: Any) -> None:
    with pytest.raises(InputTypeError, match=r"pin is of the type \w+. Give a function from a"):
        pins(HISTORY, pin)


def unread(messages: Sequence[Any], *, split_results: bool = True) -> int | None:
    transcript = read_transcript(messages, "openai-chat", len)
    return pins_of(transcript, None, split_results=split_results).unread


def test_results_at_the_end_are_unread() -> None:
    assert unread(HISTORY[:4]) == 2


def test_results_that_a_message_follows_have_been_read() -> None:
    assert unread(HISTORY[:5]) is None
    assert unread(HISTORY) is None
    assert unread([]) is None


def test_results_that_may_not_be_cut_compete_like_all_others() -> None:
    assert unread(HISTORY[:4], split_results=False) is None


def test_what_is_wished_for_gives_way_before_what_has_to_be() -> None:
    found = Pins(frozenset({0}), frozenset(), first_user=1, unread=5)
    assert found.choices(None) == [{0, 1, 5}, {0, 5}, {0, 1}, {0}]
    assert found.choices(True) == [{0, 1, 5}, {0, 1}]
    assert found.choices(False) == [{0, 5}, {0}]


def test_where_nothing_is_wished_for_there_is_one_choice() -> None:
    found = Pins(frozenset({0}), frozenset(), first_user=None)
    assert [found.choices(keep) for keep in (None, True, False)] == [[{0}], [{0}], [{0}]]
