"""What each rule keeps of a trace where that can be worked out by hand."""

from collections.abc import Sequence

import pytest

from dsgc.bench.real import Case, Trace
from dsgc.bench.real._cases import words
from dsgc.bench.real._rules import CEILING, COMPACT, RETAIN, Rule, own_rules
from tests.bench.real.tiny import SHIPPING, assistant, call, case_of, result, user, with_message

RULES = {(rule.group, rule.name): rule for rule in own_rules()}


def kept_by(rule: Rule, case: Case, budget: int) -> Sequence[str]:
    return rule.keep(case, budget)


def test_the_names_are_distinct_and_the_groups_in_one_piece_each() -> None:
    groups = [rule.group for rule in own_rules()]
    assert len(RULES) == len(groups) == 12
    assert groups == [RETAIN] * 5 + [COMPACT] * 6 + [CEILING]


@pytest.mark.parametrize(
    ("budget", "kept"),
    [
        (5, ["and the second one", "yes"]),
        (8, ["old order", "fine", "and the second one", "yes"]),
        (
            12,
            [
                'lookup\n{"user": "mia_1234"}\ncode ab-77 found',
                "fine",
                "and the second one",
                "yes",
            ],
        ),
    ],
)
@pytest.mark.parametrize("group", [RETAIN, COMPACT])
def test_newest_first_keeps_the_newest_that_fit_and_not_the_question(
    group: str, budget: int, kept: list[str]
) -> None:
    name = "newest first" if group == RETAIN else "parts, newest first"
    assert kept_by(RULES[group, name], case_of(SHIPPING), budget) == kept


def test_similarity_keeps_what_reads_like_the_question() -> None:
    trace = with_message(SHIPPING, 0, user("send something to them now"))
    kept = kept_by(RULES[RETAIN, "similarity"], case_of(trace), 5)
    assert kept == ["send something to them now"]


def test_one_hop_keeps_what_a_similar_call_depends_on() -> None:
    # m3 reads like the question and depends on m1, which does not.
    trace = with_message(SHIPPING, 3, call("send", {"it": "ab-77", "now": "zzzz"}, "c0"))
    case = case_of(trace)
    assert case.edges == (("m3", "m1"),)
    assert case.blocks[1].text in kept_by(RULES[RETAIN, "one hop"], case, budget=11)
    assert case.blocks[1].text not in kept_by(RULES[RETAIN, "similarity"], case, budget=11)


def test_the_number_of_uses_does_not_look_at_the_question() -> None:
    rule = RULES[RETAIN, "number of uses"]
    other = with_message(SHIPPING, 6, user("fine or yes 90210-1"))
    assert rule.keep(case_of(SHIPPING), 8) == rule.keep(case_of(other), 8)
    similarity = RULES[RETAIN, "similarity"]
    assert similarity.keep(case_of(SHIPPING), 2) == ["old order"]
    assert similarity.keep(case_of(other), 2) == ["fine", "yes"]


LONG = Trace(
    "long",
    [
        user("list the users"),
        call("list_users", {}),
        result(
            "["
            + ", ".join(
                f'{{"id": "user_{n:04}", "about": "{"plain words about somebody " * 5}"}}'
                for n in range(6)
            )
            + "]"
        ),
        assistant("one"),
        assistant("two"),
        assistant("three"),
        user("mail the fourth"),
        call("mail", {"to": "user_0003"}, "c2"),
    ],
)


def test_parts_of_a_long_result_survive_where_the_whole_does_not_fit() -> None:
    case = case_of(LONG)
    budget = case.budget(60)
    whole = kept_by(RULES[COMPACT, "whole units, agent"], case, budget)
    parts = kept_by(RULES[COMPACT, "parts, agent"], case, budget)
    assert not any("user_0" in text for text in whole)
    assert any("user_0" in text and "left out" in text for text in parts)


@pytest.mark.parametrize("share", [0, 10, 25, 40, 60, 90, 100])
@pytest.mark.parametrize("trace", [SHIPPING, LONG], ids=lambda trace: trace.id)
@pytest.mark.parametrize("rule", list(own_rules()), ids=lambda rule: f"{rule.group}: {rule.name}")
def test_what_is_kept_fits_the_budget_in_words_and_leaves_the_question_out(
    rule: Rule, trace: Trace, share: int
) -> None:
    case = case_of(trace)
    kept = rule.keep(case, case.budget(share))
    assert sum(map(words, kept)) <= case.budget(share)
    assert case.query not in kept


@pytest.mark.parametrize("rule", list(own_rules()), ids=lambda rule: f"{rule.group}: {rule.name}")
def test_all_survives_where_all_fits(rule: Rule) -> None:
    for trace in (SHIPPING, LONG):
        case = case_of(trace)
        assert case.survives(rule.keep(case, case.words))


def test_compact_keeps_nothing_where_what_it_must_keep_does_not_fit() -> None:
    rules = {"role": "system", "content": "be careful with every single thing you do"}
    case = case_of(Trace("system", [rules, *SHIPPING.messages[1:]]))
    assert kept_by(RULES[COMPACT, "parts, agent"], case, 4) == []


def test_the_ceiling_is_the_cheapest_set_of_units_that_holds_all_values() -> None:
    rule = RULES[CEILING, "cheapest whole units that hold the values"]
    case = case_of(SHIPPING)
    assert kept_by(rule, case, 5) == []
    assert kept_by(rule, case, 6) == ['lookup\n{"user": "mia_1234"}\ncode ab-77 found']
    cheaper = case_of(with_message(SHIPPING, 3, assistant("it is ab-77")))
    assert kept_by(rule, cheaper, 3) == ["it is ab-77"]


def test_the_ceiling_takes_one_dear_unit_or_two_cheap_ones_whichever_costs_less() -> None:
    rule = RULES[CEILING, "cheapest whole units that hold the values"]
    trace = with_message(SHIPPING, 7, call("ship", {"code": "ab-77", "user": "mia_1234"}, "c2"))
    trace = with_message(trace, 3, assistant("ab-77 then"))
    trace = with_message(trace, 5, assistant("for mia_1234 then"))
    assert kept_by(rule, case_of(trace), 14) == ["ab-77 then", "for mia_1234 then"]
    trace = with_message(trace, 5, assistant("for mia_1234 and for all of the others"))
    assert kept_by(rule, case_of(trace), 14) == ['lookup\n{"user": "mia_1234"}\ncode ab-77 found']
