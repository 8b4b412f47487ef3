"""An explanation in words, sentence by sentence."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc import Block, RetentionPolicy, retain
from dsgc._explanation import explain_record
from dsgc._records import BlockRecord, Explanation, Verdict
from tests.strategies import RECORD, GivenSimilarities, Store, policies, stores


def explained(
    store: Store, block: int, policy: RetentionPolicy | None = None, record: BlockRecord = RECORD
) -> Explanation:
    """Explain the numbers of a record by the dependents that a block has in a store."""
    decision = store.decide(sum(store.costs), policy or RetentionPolicy())
    return explain_record(record, block, decision)


def fan(n_dependents: int) -> Store:
    """Return a store in which all other blocks, equally relevant, depend on the first."""
    edges = [(dependent, 0) for dependent in range(1, n_dependents + 1)]
    return Store([0.0] * (n_dependents + 1), [1] * (n_dependents + 1), edges)


def test_all_sentences_stand_in_their_order() -> None:
    assert str(explained(fan(1), 0)) == (
        "Block 'a' was kept (ranked): it ranks 1 of 2 with score 0.3750 and costs 7 tokens. "
        "Its similarity to the query is 0.5000, its relevance 0.2500. "
        "1 block directly depends on it; support 0.1250 comes from 'b' (100%). "
        "Score: 1 * 0.2500 + 1 * 0.1250 = 0.3750."
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"cost": 1},
            "Block 'a' was kept (ranked): it ranks 1 of 3 with score 0.3750 and costs 1 token.",
        ),
        (
            {"cost": 0},
            "Block 'a' was kept (ranked): it ranks 1 of 3 with score 0.3750 and costs 0 tokens.",
        ),
        (
            {"kept": False, "rank": 3, "verdict": Verdict("over_budget", tokens=1)},
            "Block 'a' was evicted (over budget by 1 token): it ranks 3 of 3 with score 0.3750 "
            "and costs 7 tokens.",
        ),
    ],
    ids=["one token", "no tokens", "evicted"],
)
def test_the_first_sentence_says_what_became_of_the_block(
    changes: dict[str, Any], sentence: str
) -> None:
    text = str(explained(fan(2), 0, record=replace(RECORD, **changes)))
    assert text.startswith(sentence + " Its similarity to the query is 0.5000, ")


def test_it_is_said_if_nothing_depends_on_a_block() -> None:
    explanation = explained(fan(1), 1, record=replace(RECORD, id="b", support=0.0))
    assert explanation.supporters == ()
    assert ", its relevance 0.2500. Nothing depends on it. Score: " in str(explanation)


@pytest.mark.parametrize(
    ("n_dependents", "count"),
    [(1, "1 block directly depends on it"), (2, "2 blocks directly depend on it")],
)
def test_dependents_that_the_policy_does_not_count_are_counted_in_the_words(
    n_dependents: int, count: str
) -> None:
    record = replace(RECORD, support=0.0)
    explanation = explained(fan(n_dependents), 0, RetentionPolicy.no_graph(), record)
    assert explanation.supporters == ()
    assert f". {count}, which this policy does not count. Score: " in str(explanation)


@pytest.mark.parametrize(
    ("n_dependents", "count"),
    [(1, "1 block directly depends on it"), (2, "2 blocks directly depend on it")],
)
def test_it_is_said_if_no_relevance_reaches_a_block(n_dependents: int, count: str) -> None:
    store = fan(n_dependents)._replace(similarity=[1.0] + [-1.0] * n_dependents)
    policy = RetentionPolicy(temperature=1e-3)
    assert store.decide(9, policy).scores.support.tolist()[0] == 0.0
    explanation = explained(store, 0, policy, replace(RECORD, support=0.0))
    assert explanation.supporters == ()
    assert f". {count}, but no relevance reaches it from there. Score: " in str(explanation)


def test_five_supporters_are_all_named() -> None:
    sentence = (
        "5 blocks directly depend on it; support 0.1250 comes from "
        "'b' (20%), 'c' (20%), 'd' (20%), 'e' (20%), 'f' (20%). Score: "
    )
    assert sentence in str(explained(fan(5), 0))


@pytest.mark.parametrize(
    ("n_dependents", "shown"),
    [
        (6, "'b' (17%), 'c' (17%), 'd' (17%), 'e' (17%), 'f' (17%) and 1 more. Score: "),
        (10, "'b' (10%), 'c' (10%), 'd' (10%), 'e' (10%), 'f' (10%) and 5 more. Score: "),
    ],
)
def test_of_more_supporters_five_are_named_and_all_are_data(n_dependents: int, shown: str) -> None:
    explanation = explained(fan(n_dependents), 0)
    assert f"{n_dependents} blocks directly depend on it; support 0.1250 comes from {shown}" in str(
        explanation
    )
    assert [supporter.id for supporter in explanation.supporters] == list("bcdefghijk")[
        :n_dependents
    ]
    shares = [supporter.share for supporter in explanation.supporters]
    assert shares == pytest.approx([1 / n_dependents] * n_dependents)


def test_supporters_stand_with_the_largest_share_first_and_may_be_several_hops_away() -> None:
    # 'b' needs 'a', and 'c', twice as relevant, needs 'b': at half the weight they are equal;
    # 'd' is four times as relevant as 'b' and needs 'a' itself.
    ln2 = 0.25 * math.log(2)
    store = Store([0.0, 0.0, ln2, 2 * ln2], [1] * 4, edges=[(1, 0), (2, 1), (3, 0)])
    explanation = explained(store, 0, RetentionPolicy(hops=2, damping=0.5))
    assert [supporter.id for supporter in explanation.supporters] == ["d", "b", "c"]
    shares = [supporter.share for supporter in explanation.supporters]
    assert shares == pytest.approx([4 / 6, 1 / 6, 1 / 6])
    sentence = "2 blocks directly depend on it; support 0.1250 comes from 'd' (67%), 'b' (17%)"
    assert sentence in str(explanation)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ({"recency_weight": 0.5}, "It has recency 0.0625."),
        ({"activation_weight": 2.0}, "It has activation 0.7500."),
        (
            {"recency_weight": 0.5, "activation_weight": 2.0},
            "It has recency 0.0625 and activation 0.7500.",
        ),
    ],
    ids=["recency", "activation", "both"],
)
def test_recency_and_activation_are_shown_where_they_count(
    weights: dict[str, float], sentence: str
) -> None:
    record = replace(RECORD, recency=0.0625, activation=0.75)
    policy = RetentionPolicy.model_validate(weights)
    assert f" comes from 'b' (100%). {sentence} Score: " in str(
        explained(fan(1), 0, policy, record)
    )
    assert "It has" not in str(explained(fan(1), 0, RetentionPolicy(), record))


@pytest.mark.parametrize(
    ("fields", "score"),
    [
        ({}, "1 * 0.2500 + 1 * 0.1250 = 0.3750."),
        (
            {"relevance_weight": 0.5, "prerequisite_weight": 3},
            "0.5 * 0.2500 + 3 * 0.1250 = 0.3750.",
        ),
        ({"aggregate": "max"}, "max(1 * 0.2500, 1 * 0.1250) = 0.3750."),
        ({"recency_weight": 0.5}, "1 * 0.2500 + 1 * 0.1250 + 0.5 * 0.0625 = 0.3750."),
        (
            {"aggregate": "max", "recency_weight": 0.5, "activation_weight": 2},
            "max(1 * 0.2500, 1 * 0.1250) + 0.5 * 0.0625 + 2 * 0.7500 = 0.3750.",
        ),
        ({"density_exponent": 1}, "(1 * 0.2500 + 1 * 0.1250) / 7 ** 1 = 0.3750."),
        (
            {"density_exponent": 0.5, "aggregate": "max"},
            "(max(1 * 0.2500, 1 * 0.1250)) / 7 ** 0.5 = 0.3750.",
        ),
    ],
    ids=["sum", "weights", "max", "recency", "max and all terms", "density", "density of max"],
)
def test_the_last_sentence_shows_how_the_score_comes_about(
    fields: dict[str, Any], score: str
) -> None:
    record = replace(RECORD, recency=0.0625, activation=0.75)
    policy = RetentionPolicy.model_validate(fields)
    assert str(explained(fan(1), 0, policy, record)).endswith(f". Score: {score}")


def test_what_is_free_counts_as_one_token_in_the_density() -> None:
    policy = RetentionPolicy(density_exponent=1.0)
    text = str(explained(fan(1), 0, policy, replace(RECORD, cost=0)))
    assert text.endswith("Score: (1 * 0.2500 + 1 * 0.1250) / 1 ** 1 = 0.3750.")


@given(stores(st.lists(st.floats(-1, 1), min_size=1, max_size=6)), policies)
def test_the_sum_in_the_words_is_the_score_of_the_decision(
    store: Store, policy: RetentionPolicy
) -> None:
    decision = store.decide(sum(store.costs), policy)
    for block in range(len(store.costs)):
        scores = decision.scores
        record = replace(
            RECORD,
            relevance=float(scores.relevance[block]),
            support=float(scores.support[block]),
            recency=float(scores.recency[block]),
            activation=float(scores.activation[block]),
            score=float(scores.score[block]),
            cost=store.costs[block],
        )
        last = str(explain_record(record, block, decision)).rsplit("Score: ", 1)[1]
        formula, _, score = last.removesuffix(".").rpartition(" = ")
        value = eval(formula, {"max": max})  # noqa: S307  # written by the library
        assert value == pytest.approx(float(score), abs=1e-3)


def test_explanations_name_the_dependents_that_support_came_from_with_their_shares() -> None:
    blocks = [Block("rule", "r"), Block("x", "x"), Block("y", "y")]
    encoder = GivenSimilarities({"r": 0.0, "x": 0.5, "y": 0.25})
    explanation = retain(blocks, "q", 3, [("x", "rule"), ("y", "rule")], encoder=encoder).explain(
        "rule"
    )
    shares = {supporter.id: supporter.share for supporter in explanation.supporters}
    assert shares == {
        "x": pytest.approx(math.e / (1 + math.e)),
        "y": pytest.approx(1 / (1 + math.e)),
    }
    assert "2 blocks directly depend on it; support" in str(explanation)
    assert "comes from 'x' (73%), 'y' (27%)" in str(explanation)
    assert str(explanation).startswith("Block 'rule' was kept (ranked): it ranks 1 of 3 with score")


def test_the_best_dependent_alone_supports_under_the_maximum() -> None:
    blocks = [Block("rule", "r"), Block("x", "x"), Block("y", "y")]
    encoder = GivenSimilarities({"r": 0.0, "x": 0.5, "y": 0.25})
    retention = retain(
        blocks,
        "q",
        3,
        [("x", "rule"), ("y", "rule")],
        encoder=encoder,
        policy=RetentionPolicy.chain_safe(),
    )
    assert [(s.id, s.share) for s in retention.explain("rule").supporters] == [("x", 1.0)]
