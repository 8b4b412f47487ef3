"""Which calls count, what they need, and what a budget is a share of."""

import pytest

from dsgc.bench.real import Trace, cases_of
from dsgc.bench.real._cases import words
from tests.bench.real.tiny import SHIPPING, assistant, call, case_of, result, user, with_message


def test_a_call_needs_the_specific_values_that_a_block_holds_and_the_question_does_not() -> None:
    case = case_of(SHIPPING)
    assert case.id == "shipping@7"
    assert case.needed == ("ab-77",)


def test_the_question_is_the_latest_user_message_and_no_block() -> None:
    case = case_of(SHIPPING)
    assert case.query == "send it to 90210-1 now"
    assert [unit.id for unit in case.blocks] == ["m0", "m1", "m3", "m4", "m5"]


def test_the_budget_is_a_share_of_the_words_of_the_blocks_without_the_question() -> None:
    case = case_of(SHIPPING)
    assert case.words == 14
    assert [case.budget(share) for share in (25, 40, 60, 100)] == [3, 5, 8, 14]


def test_a_value_that_the_question_holds_too_is_not_needed() -> None:
    trace = with_message(SHIPPING, 6, user("send ab-77 to 90210-1 now"))
    assert list(cases_of(trace)) == []


def test_a_value_that_no_block_holds_is_not_needed() -> None:
    trace = with_message(SHIPPING, 2, result("code ab-770 found"))
    assert list(cases_of(trace)) == []


def test_a_value_that_an_earlier_user_turn_holds_is_needed() -> None:
    trace = with_message(SHIPPING, 4, user("to 90210-1, the second one"))
    trace = with_message(trace, 6, user("send it now"))
    assert case_of(trace).needed == ("ab-77", "90210-1")


def test_with_fewer_than_four_blocks_there_is_nothing_to_choose() -> None:
    messages = list(SHIPPING.messages)
    assert [c.id for c in cases_of(Trace("four", messages[:4] + messages[5:]))] == ["four@6"]
    assert list(cases_of(Trace("three", messages[:3] + messages[5:]))) == []


def test_calls_and_their_results_are_one_block() -> None:
    unit = case_of(SHIPPING).blocks[1]
    assert unit.positions == (1, 2)
    assert words(unit.text) == 6


def test_a_first_message_that_calls_is_no_case() -> None:
    assert list(cases_of(Trace("first", [call("ship", {"code": "ab-77"})]))) == []


def test_every_message_with_calls_is_a_case_of_its_own() -> None:
    again = [*SHIPPING.messages, call("track", {"code": "ab-77"}, "c3")]
    assert [case.id for case in cases_of(Trace("again", again))] == ["again@7", "again@9"]


def test_several_calls_in_one_message_are_one_case_that_needs_the_values_of_all() -> None:
    both = call("ship", {"code": "ab-77"}, "c2")
    both["tool_calls"] += call("greet", {"user": "mia_1234", "code": "ab-77"}, "c3")["tool_calls"]
    assert case_of(with_message(SHIPPING, 7, both)).needed == ("ab-77", "mia_1234")


def test_without_a_user_message_everything_is_a_block() -> None:
    messages = [assistant("hello") if m["role"] == "user" else m for m in SHIPPING.messages]
    case = case_of(Trace("alone", messages))
    assert (case.query, len(case.blocks)) == ("", 6)
    assert case.needed == ("ab-77",)


def test_edges_are_among_blocks_and_say_where_a_value_is_from() -> None:
    trace = with_message(SHIPPING, 3, call("price", {"code": "ab-77"}, "c0"))
    assert case_of(trace).edges == (("m3", "m1"),)


def test_what_a_block_has_from_the_question_is_no_edge() -> None:
    trace = with_message(SHIPPING, 4, assistant("a second one"))
    trace = with_message(trace, 0, user("order #W555"))
    trace = with_message(trace, 6, call("price", {"order": "#W555"}, "c0"))
    case = case_of(trace)
    assert case.question is not None
    assert case.question.id == "m0"
    assert case.edges == ()


@pytest.mark.parametrize(
    ("kept", "survives"),
    [
        (["the code is ab-77"], True),
        (["nothing", '{"code":"ab-77"}'], True),
        (["the code is ab-770"], False),
        (["the code is ab", "-77"], False),
        ([], False),
    ],
)
def test_it_survives_if_what_was_kept_holds_each_value_as_a_whole(
    kept: list[str], survives: bool
) -> None:
    assert case_of(SHIPPING).survives(kept) is survives


def test_all_values_must_survive_not_some() -> None:
    trace = with_message(SHIPPING, 7, call("ship", {"code": "ab-77", "user": "mia_1234"}))
    case = case_of(trace)
    assert case.survives(["ab-77"]) is False
    assert case.survives(["ab-77", "mia_1234"]) is True


def test_an_empty_text_has_no_words() -> None:
    assert words("") == 0
