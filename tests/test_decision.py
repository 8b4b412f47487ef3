"""The decision on columns: similarities in, kept positions out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc import RetentionPolicy
from dsgc._activity import Standing
from dsgc._decision import Decision, cost_up_to, decide, decide_again
from dsgc._records import Verdict
from dsgc._verdicts import Verdicts
from dsgc.errors import PinsOverBudgetError
from tests import oracle
from tests.strategies import Edges, Store, adjacency_of, edges_among, policies, stores

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


def decided(store: Store, needs: Edges, budget: int, policy: RetentionPolicy) -> Decision:
    """Decide where blocks cannot be kept without others that are no prerequisites of theirs."""
    columns = store.columns._replace(needs=adjacency_of(len(store.costs), needs))
    return decide(columns, store.links, budget, policy)


def kept(decision: Decision) -> list[int]:
    return sorted(decision.fill.taken.tolist())


@pytest.mark.parametrize(
    "policy",
    [
        BY_SIMILARITY,
        RetentionPolicy(),
        BY_SIMILARITY.replace(closed=True),
        BY_SIMILARITY.replace(deduplicate=True),
        RetentionPolicy.chain_safe(),
    ],
    ids=["no graph", "dsgc", "closed", "deduplicate", "chain safe"],
)
def test_a_block_is_not_kept_without_what_it_needs_whatever_the_policy(
    policy: RetentionPolicy,
) -> None:
    store = Store([0.9, 0.1, 0.5], [1, 3, 2])
    assert kept(decided(store, [(0, 1)], 4, policy)) == [0, 1]
    assert kept(decided(store, [(0, 1)], 3, policy)) == [2]


def test_a_need_reaches_on_to_what_is_needed_by_what_is_needed() -> None:
    store = Store([0.9, 0.1, 0.2], [1, 1, 1])
    assert kept(decided(store, [(0, 1), (1, 2)], 3, BY_SIMILARITY)) == [0, 1, 2]
    assert kept(decided(store, [(0, 1), (1, 2)], 2, BY_SIMILARITY)) == [1, 2]
    assert kept(decided(store, [(0, 1), (1, 2)], 1, BY_SIMILARITY)) == [2]


def test_a_closed_policy_demands_prerequisites_beside_needs() -> None:
    store = Store([0.9, 0.1, 0.2], [1, 1, 1], edges=[(0, 1)])
    closed = BY_SIMILARITY.replace(closed=True)
    assert kept(decided(store, [(0, 2)], 2, BY_SIMILARITY)) == [0, 2]
    assert kept(decided(store, [(0, 2)], 2, closed)) == [1, 2]
    assert kept(decided(store, [(0, 2)], 3, closed)) == [0, 1, 2]
    decision = decided(store, [(0, 2), (0, 1)], 3, closed)
    assert decision.required is not None
    assert decision.required.row(0) == [1, 2]


def test_no_relevance_flows_along_a_need_and_it_is_no_use() -> None:
    policy = RetentionPolicy(recency_weight=1.0, activation_weight=1.0)
    store = Store([0.9, 0.1, 0.5], [1, 1, 1], edges=[(2, 1)])
    with_needs = decided(store, [(0, 1), (2, 0)], 3, policy).scores
    without = store.decide(3, policy).scores
    for before, after in zip(without, with_needs, strict=True):
        assert after.tolist() == before.tolist()


def test_blocks_that_need_each_other_are_kept_or_evicted_together() -> None:
    store = Store([0.9, 0.1, 0.5], [1, 3, 2])
    assert kept(decided(store, [(0, 1), (1, 0)], 5, BY_SIMILARITY)) == [0, 1]
    assert kept(decided(store, [(0, 1), (1, 0)], 3, BY_SIMILARITY)) == [2]


def test_pinned_blocks_that_do_not_fit_with_what_they_need_are_refused() -> None:
    store = Store([0.9, 0.1, 0.2], [1, 4, 3], pinned=[0])
    assert kept(decided(store, [(0, 1)], 5, BY_SIMILARITY)) == [0, 1]
    message = "'a' with their prerequisites 'b' cost 5 tokens, but the budget is 4"
    with pytest.raises(PinsOverBudgetError, match=message):
        decided(store, [(0, 1)], 4, BY_SIMILARITY)


def test_a_decision_made_again_holds_to_the_same_needs() -> None:
    first = decided(Store([0.9, 0.1, 0.5], [1, 3, 2]), [(0, 1)], 4, BY_SIMILARITY)
    assert kept(decide_again(first, 3)) == [2]
    assert kept(decide_again(first, 6)) == [0, 1, 2]


def test_the_standing_of_blocks_says_what_is_new() -> None:
    columns = Store([0.0, 0.0, 0.0], [1, 1, 1]).columns
    standing = Standing(np.array([0.0, 1.0, 2.0]), np.ones(3))
    window = RetentionPolicy.sliding_window()
    links = Store([0.0] * 3, [1] * 3).links
    assert kept(decide(columns, links, 1, window)) == [2]
    assert kept(decide(columns._replace(standing=standing), links, 1, window)) == [0]


@given(
    stores(st.lists(st.sampled_from([0.0, 0.3, 0.6]), max_size=8), pins=True),
    st.integers(0, 15),
    policies,
    st.data(),
)
def test_with_needs_blocks_are_kept_as_in_a_plain_walk(
    store: Store, spare: int, policy: RetentionPolicy, data: st.DataObject
) -> None:
    needs = data.draw(edges_among(len(store.costs)))
    rules = oracle.Rules(
        store.pinned,
        policy.overflow == "stop",
        [*needs, *store.edges] if policy.closed else needs,
        store.texts if policy.deduplicate else None,
    )
    budget = spare + oracle.price_of_pins(store.costs, rules)
    decision = decided(store, needs, budget, policy)
    order = oracle.order(decision.scores.merit.tolist(), store.similarity)
    turns = oracle.walk(order, store.costs, budget, rules)
    assert kept(decision) == sorted(block for turn in turns for block in turn.kept)
