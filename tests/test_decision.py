"""The decision on columns: similarities in, kept positions out."""

import numpy as np
import pytest

from dsgc import RetentionPolicy
from dsgc._decision import cost_up_to, decide_again
from dsgc._records import Verdict
from dsgc._verdicts import Verdicts
from dsgc.errors import PinsOverBudgetError
from tests.strategies import Store

LN3 = 0.25 * float(np.log(3))  # at the temperature 0.25, three times the relevance
BY_SIMILARITY = RetentionPolicy.no_graph()


def test_blocks_are_scored_and_the_budget_is_filled_along_the_scores() -> None:
    # 'a' is three times as relevant as 'b', which it needs: 3/4, and 1/4 + 3/4.
    decision = Store([LN3, 0.0], [2, 1], edges=[(0, 1)]).decide(3, RetentionPolicy())
    assert decision.scores.relevance.tolist() == pytest.approx([0.75, 0.25])
    assert decision.scores.support.tolist() == pytest.approx([0.0, 0.75])
    assert decision.scores.score.tolist() == pytest.approx([0.75, 1.0])
    assert decision.fill.taken.tolist() == [1, 0]
    assert decision.fill.taken_for.tolist() == [1, 0]
    assert (decision.budget, decision.policy) == (3, RetentionPolicy())


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        (BY_SIMILARITY, [0, 1, 3]),
        (BY_SIMILARITY.replace(deduplicate=True), [0, 3]),
        (BY_SIMILARITY.replace(closed=True), [1, 3]),
        (BY_SIMILARITY.replace(overflow="stop"), [0, 1]),
    ],
    ids=["plain", "deduplicate", "closed", "stop"],
)
def test_the_policy_says_by_which_rules_the_budget_is_filled(
    policy: RetentionPolicy, kept: list[int]
) -> None:
    # 'a' and 'b' say the same, and 'a' needs 'c', which costs more than the whole budget.
    store = Store([0.9, 0.8, 0.7, 0.6], [1, 1, 9, 1], edges=[(0, 2)], texts=[0, 0, 1, 2])
    assert sorted(store.decide(3, policy).fill.taken.tolist()) == kept


def test_a_decision_is_made_again_on_the_same_scores_under_another_budget() -> None:
    first = Store([0.9, 0.8, 0.7], [1, 2, 4]).decide(3, BY_SIMILARITY)
    again = decide_again(first, 7)
    assert (first.budget, first.fill.taken.tolist()) == (3, [0, 1])
    assert (again.budget, again.fill.taken.tolist()) == (7, [0, 1, 2])
    assert again.scores is first.scores
    assert again.columns is first.columns
    assert again.links is first.links
    assert again.policy is first.policy


def test_the_cost_up_to_some_blocks_is_that_of_all_taken_until_the_last_of_them() -> None:
    decision = Store([0.7, 0.9, 0.8], [4, 1, 2]).decide(9, BY_SIMILARITY)
    assert decision.fill.taken.tolist() == [1, 2, 0]
    assert [cost_up_to(decision, blocks) for blocks in ([1], [2], [0], [1, 2], [0, 1])] == [
        1,
        3,
        7,
        3,
        7,
    ]


def test_up_to_no_block_only_the_pinned_are_paid() -> None:
    store = Store([0.9, 0.8, 0.1], [1, 2, 4])
    assert cost_up_to(store.decide(7, BY_SIMILARITY), []) == 0
    pinned = store._replace(pinned=[2]).decide(7, BY_SIMILARITY)
    assert cost_up_to(pinned, []) == 4
    assert cost_up_to(pinned, [0]) == 5
    assert cost_up_to(pinned, [1]) == 7


def test_a_block_taken_for_anothers_sake_is_paid_with_all_that_was_taken_for_it() -> None:
    # 'a' needs 'c', which needs 'd'; the three are taken together, then 'b'.
    store = Store([0.9, 0.5, 0.1, 0.2], [1, 2, 4, 8], edges=[(0, 2), (2, 3)])
    decision = store.decide(15, BY_SIMILARITY.replace(closed=True))
    assert [cost_up_to(decision, [block]) for block in range(4)] == [13, 15, 13, 13]


def test_a_block_that_was_not_taken_adds_nothing() -> None:
    decision = Store([0.9, 0.8], [1, 9]).decide(3, BY_SIMILARITY)
    assert cost_up_to(decision, [1]) == 0
    assert cost_up_to(decision, [0, 1]) == 1


def test_pinned_blocks_that_do_not_fit_are_refused_with_what_they_need() -> None:
    store = Store([0.9, 0.1, 0.2], [1, 4, 3], edges=[(2, 1)], pinned=[0, 2])
    by_similarity = RetentionPolicy.no_graph()
    assert Verdicts(store.decide(4, by_similarity)).of(1) == Verdict("over_budget", tokens=4)
    with pytest.raises(PinsOverBudgetError, match="'a', 'c' cost 4 tokens, but the budget is 3"):
        store.decide(3, by_similarity)
    with pytest.raises(PinsOverBudgetError, match="prerequisites 'b' cost 8 tokens, but the bud"):
        store.decide(7, by_similarity.replace(closed=True))
