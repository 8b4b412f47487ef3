"""From a transcript to the messages that fit."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc import RetentionPolicy
from dsgc._tokens import TokenCounter
from dsgc.errors import PinsOverBudgetError
from dsgc.messages._candidates import candidates_of
from dsgc.messages._fitting import Fitted, fit
from dsgc.messages._limits import Limits
from dsgc.messages._pinning import Pins
from dsgc.messages._selecting import Competition, Wish
from dsgc.messages._transcript import read_transcript
from tests.messages.results import json_texts, long_texts


class Words:
    """Counts words, and one more token a message."""

    framing = 1

    def __call__(self, text: str) -> int:
        return len(text.split())


def fitted(
    messages: Sequence[Any],
    low: int,
    most: int | None = None,
    *,
    pins: Pins | None = None,
    query: str = "key",
    keep_first_user: bool | None = None,
    count_tokens: TokenCounter | None = None,
    form: str = "openai-chat",
    policy: RetentionPolicy | None = None,
) -> Fitted:
    transcript = read_transcript(messages, form, count_tokens or Words())
    candidates = candidates_of(transcript.units, transcript.pricing, (), split_results=True)
    wish = Wish(query, policy or RetentionPolicy.no_graph(), None)
    competition = Competition(transcript.units, candidates, wish)
    limits = Limits(low if most is None else most, low if most is None else most, low)
    return fit(transcript, competition, pins or pinned(), limits, keep_first_user)


def pinned(*required: int, first_user: int | None = None) -> Pins:
    return Pins(frozenset(required), frozenset(), first_user)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def turn(result: str, key: str = "c1") -> list[dict[str, Any]]:
    call = {"id": key, "function": {"name": "look", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": key, "content": result},
    ]


def positions(result: Fitted) -> list[int]:
    return [position for position, _ in result.messages]


CHAT = [user("one two"), user("key three"), user("four five"), user("key six")]
LINES = [f"line {n}{' word' * 23}\n" for n in range(4)]  # parts of 25 words each
FOUND = turn("".join(LINES))
CALL_AND_STUB = 2 + 4 + 2  # name and arguments, the mark, and two messages


def test_what_fits_is_kept_as_it_was_and_costs_what_it_did() -> None:
    result = fitted(CHAT, 6)
    assert positions(result) == [1, 3]
    assert all(message is CHAT[position] for position, message in result.messages)
    assert (result.tokens, result.texts, result.decision.budget) == (6, {}, 6)


def test_nothing_may_be_left() -> None:
    result = fitted(CHAT, 2)
    assert (positions(result), result.tokens) == ([], 0)
    assert positions(fitted([], 0)) == []


def test_it_goes_down_to_the_low_limit_although_more_would_be_allowed() -> None:
    assert positions(fitted(CHAT, 3, 99)) == [1]


def test_what_must_stay_may_be_more_than_the_low_limit_but_then_nothing_else_stays() -> None:
    result = fitted(CHAT, 5, 99, pins=pinned(0, 2))
    assert positions(result) == [0, 2]
    assert (result.tokens, result.decision.budget) == (6, 6)


def test_what_must_stay_and_is_more_than_the_highest_limit_is_an_error_with_that_limit() -> None:
    message = r"pinned blocks 'm0', 'm2' cost 6 tokens, but the budget is 5"
    with pytest.raises(PinsOverBudgetError, match=message) as caught:
        fitted(CHAT, 2, 5, pins=pinned(0, 2))
    assert (caught.value.block_ids, caught.value.cost, caught.value.budget) == (("m0", "m2"), 6, 5)


def test_the_first_user_turn_stays_if_it_fits_beside_what_must() -> None:
    pins = pinned(2, first_user=0)
    assert positions(fitted(CHAT, 6, pins=pins)) == [0, 2]
    assert positions(fitted(CHAT, 3, 6, pins=pins)) == [0, 2]
    assert positions(fitted(CHAT, 5, pins=pins)) == [2]


def test_the_first_user_turn_may_be_a_must_or_compete_like_any_other() -> None:
    pins = pinned(2, first_user=0)
    assert positions(fitted(CHAT, 6, pins=pins, keep_first_user=True)) == [0, 2]
    with pytest.raises(PinsOverBudgetError, match="'m0', 'm2' cost 6 tokens, but the budget is 5"):
        fitted(CHAT, 5, pins=pins, keep_first_user=True)
    assert positions(fitted(CHAT, 6, pins=pins, keep_first_user=False)) == [1, 2]


def test_of_a_long_result_the_parts_that_fit_are_kept_and_the_rest_is_marked() -> None:
    text = f"[left out: 50 tokens]\n{LINES[2]}[left out: 25 tokens]\n"
    enough = CALL_AND_STUB + 25 + 4  # for a second mark
    result = fitted(FOUND, enough, query="line 2")
    assert positions(result) == [0, 1]
    assert (result.texts, result.tokens) == ({2: text}, enough)
    assert fitted(FOUND, enough - 1, query="line 2").texts == {2: "[left out: 100 tokens]"}


def test_a_result_of_which_nothing_fits_is_a_stub_beside_its_call() -> None:
    result = fitted(FOUND, CALL_AND_STUB)
    assert result.texts == {2: "[left out: 100 tokens]"}
    (_, call), (_, stub) = result.messages
    assert call is FOUND[0]
    assert stub == {**FOUND[1], "content": "[left out: 100 tokens]"}
    assert result.tokens == CALL_AND_STUB
    assert positions(fitted(FOUND, CALL_AND_STUB - 1)) == []


def test_the_given_messages_are_not_changed_when_one_is_cut() -> None:
    messages = turn("".join(LINES))
    fitted(messages, CALL_AND_STUB)
    assert messages == FOUND


def test_a_result_of_which_all_fits_is_the_very_object() -> None:
    result = fitted([*FOUND, user("no " * 50)], CALL_AND_STUB + 100)
    assert (result.texts, result.tokens) == ({}, 104)
    assert result.messages[1].message is FOUND[1]


def test_what_further_marks_cost_is_charged_to_the_parts_so_that_the_limit_holds() -> None:
    lines = [f"{'key' if n % 2 else 'no'} {n}{' word' * 23}\n" for n in range(8)]
    enough_for_one_mark = CALL_AND_STUB + 4 * 25
    result = fitted(turn("".join(lines)), enough_for_one_mark)
    assert result.tokens <= enough_for_one_mark
    assert result.decision.budget == enough_for_one_mark
    (text,) = result.texts.values()
    kept = [line for line in lines if line in text]
    assert len(kept) == 3
    assert text.count("[left out: ") > 1


def test_where_marks_cost_as_much_as_what_they_stand_for_nothing_is_left_out() -> None:
    def count_brackets(text: str) -> int:
        return len(text.split()) + 30 * text.count("[")

    result = fitted(FOUND, 120, count_tokens=count_brackets)
    assert result.decision.fill.taken.size == 1 + 3  # of the four parts
    assert (result.texts, result.tokens) == ({}, 102)


def test_a_unit_needs_what_the_order_of_its_format_demands() -> None:
    messages = [
        {"role": "user", "content": "one two"},
        {"role": "assistant", "content": "key"},
        {"role": "user", "content": "three"},
    ]
    assert positions(fitted(messages, 4)) == [1, 2]
    assert positions(fitted(messages, 4, form="anthropic")) == [0]
    assert positions(fitted(messages, 5, form="anthropic")) == [0, 1]


def test_what_must_stay_begins_with_the_nearest_user_turn_for_which_there_is_room() -> None:
    messages = [user("one"), user("a b c"), {"role": "assistant", "content": "key"}, user("on")]
    pins = pinned(2, 3)
    assert positions(fitted(messages, 8, form="anthropic", pins=pins)) == [1, 2, 3]
    assert positions(fitted(messages, 7, form="anthropic", pins=pins)) == [0, 2, 3]
    assert positions(fitted(messages, 6, form="anthropic", pins=pins)) == [0, 2, 3]
    with pytest.raises(PinsOverBudgetError, match="'m0' cost 6 tokens, but the budget is 5"):
        fitted(messages, 5, form="anthropic", pins=pins)


def price_of(messages: Sequence[Any], count_tokens: TokenCounter) -> int:
    framing = getattr(count_tokens, "framing", 0)
    tokens = 0
    for message in messages:
        calls = [call["function"] for call in message.get("tool_calls", ())]
        texts = [message["content"], *(f"{call['name']}\n{call['arguments']}" for call in calls)]
        tokens += framing + sum(count_tokens(text) for text in texts if text)
    return tokens


def outcome(run: Callable[[], Fitted]) -> Fitted | PinsOverBudgetError:
    try:
        return run()
    except PinsOverBudgetError as error:
        return error


COUNTERS: dict[str, Callable[[str], int]] = {
    "words": Words(),
    "characters": len,
    "one": lambda _: 1,
    "tens": lambda text: len(text) // 10,
    "square": lambda text: len(text) ** 2,
    "root": lambda text: int(len(text) ** 0.5),
    "letters": lambda text: sum(each.isalpha() for each in text),
}


@pytest.mark.parametrize("counter", COUNTERS)
@given(
    st.lists(json_texts | long_texts, max_size=3),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sets(st.integers(0, 3), max_size=2),
    st.sampled_from([RetentionPolicy.agent(), RetentionPolicy.chain_safe()]),
)
def test_what_comes_out_fits_by_any_count_and_costs_what_it_says(
    counter: str,
    results: list[str],
    share: float,
    low_share: float,
    wanted: set[int],
    policy: RetentionPolicy,
) -> None:
    count_tokens = COUNTERS[counter]
    messages = [user("key")]
    for number, text in enumerate(results):
        messages += turn(text, f"c{number}")
    most = int(share * price_of(messages, count_tokens))
    low = int(low_share * most)
    pins = pinned(*(number for number in wanted if number <= len(results)))
    result = outcome(
        lambda: fitted(messages, low, most, pins=pins, count_tokens=count_tokens, policy=policy)
    )
    if isinstance(result, PinsOverBudgetError):
        assert (result.budget, bool(pins.required)) == (most, True)
        assert result.cost > most
        return
    rebuilt = [message for _, message in result.messages]
    assert result.tokens == price_of(rebuilt, count_tokens)
    assert result.tokens <= most
    assert result.tokens <= low or pins.required
    ids = {message["tool_call_id"] for message in rebuilt if message["role"] == "tool"}
    calls = [call["id"] for message in rebuilt for call in message.get("tool_calls", ())]
    assert sorted(ids) == sorted(calls)
    json.dumps(rebuilt)
