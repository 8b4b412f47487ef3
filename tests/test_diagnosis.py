"""Why a chain was lost: definitions, margins and causes on memories checked by hand."""

import json

import pytest

from dsgc import Block, Retention, RetentionPolicy, diagnose, retain
from dsgc.errors import UnknownBlockError
from tests.strategies import GivenSimilarities

SIMILARITY = {"c1": 0.1, "c2": 0.0, "c3": 0.8, "n1": 0.5, "n2": 0.2}
EDGES = [("c3", "c2"), ("c2", "c1")]
CHAIN = ["c1", "c2", "c3"]


def retention(budget: int, policy: RetentionPolicy, **cost: int) -> Retention:
    blocks = [Block(name, name, cost=cost.get(name, 1)) for name in SIMILARITY]
    encoder = GivenSimilarities(SIMILARITY)
    return retain(blocks, "query", budget, EDGES, policy=policy, encoder=encoder)


def test_a_chain_that_survives_has_no_cause() -> None:
    diagnosis = diagnose(retention(3, RetentionPolicy(hops=2)), CHAIN)
    assert diagnosis.survived
    assert (diagnosis.displaced, diagnosis.failures, diagnosis.cause) == ((), (), None)
    assert diagnosis.ranks == {"c1": 1, "c2": 2, "c3": 3}


def test_indirect_is_what_a_more_similar_chain_block_depends_on() -> None:
    diagnosis = diagnose(retention(3, RetentionPolicy(hops=2)), CHAIN)
    assert [(found.id, found.witnesses) for found in diagnosis.indirect] == [("c2", ("c3",))]


def test_dropping_it_while_keeping_its_witness_is_a_failure() -> None:
    diagnosis = diagnose(retention(3, RetentionPolicy.no_graph()), CHAIN)
    (failure,) = diagnosis.failures
    assert (failure.id, failure.kept, failure.kept_witnesses) == ("c2", False, ("c3",))


def test_dropping_both_is_no_retention_stage_failure() -> None:
    diagnosis = diagnose(retention(1, RetentionPolicy.no_graph(), c3=9, c1=9), ["c2", "c3"])
    assert [found.id for found in diagnosis.indirect] == ["c2"]
    assert diagnosis.failures == ()


def test_both_margins_are_measured_against_blocks_outside_the_chain() -> None:
    retained = retention(3, RetentionPolicy.no_graph())
    assert retained.kept_ids == ("c3", "n1", "n2")
    lost = diagnose(retained, CHAIN).displaced
    assert [(one.id, one.rank, one.competitor, one.top_competitor) for one in lost] == [
        ("c1", 4, "n2", "n1"),
        ("c2", 5, "n2", "n1"),
    ]
    score = {record.id: record.score for record in retained.records}
    assert lost[0].margin == pytest.approx(score["n2"] - score["c1"])
    assert lost[0].top_margin == pytest.approx(score["n1"] - score["c1"])


def test_without_a_kept_competitor_there_is_no_margin() -> None:
    retained = retention(1, RetentionPolicy.no_graph(), n1=9, n2=9)
    assert retained.kept_ids == ("c3",)
    lost = diagnose(retained, CHAIN).displaced[0]
    assert (lost.competitor, lost.margin, lost.top_competitor) == (None, None, "n1")


def test_a_chain_that_costs_more_than_the_budget_is_lost_to_the_budget() -> None:
    assert diagnose(retention(2, RetentionPolicy(hops=2)), CHAIN).cause == "budget"


def test_pins_count_against_what_is_left_for_the_chain() -> None:
    blocks = [Block("a", "a", cost=2), Block("p", "p", cost=2, pinned=True)]
    assert diagnose(retain(blocks, "q", 3), ["a"]).cause == "budget"


def test_a_block_two_hops_from_the_query_is_out_of_reach_of_one() -> None:
    diagnosis = diagnose(retention(3, RetentionPolicy(), n1=1), CHAIN)
    assert [(lost.id, lost.cause) for lost in diagnosis.displaced] == [("c1", "reach")]
    assert diagnosis.cause == "reach"


def test_without_propagation_only_ranking_is_to_blame() -> None:
    assert diagnose(retention(3, RetentionPolicy.no_graph()), CHAIN).cause == "ranking"


def test_a_block_that_nothing_in_the_chain_needs_is_lost_by_ranking() -> None:
    assert diagnose(retention(2, RetentionPolicy()), ["n2"]).cause == "ranking"


def test_a_diagnosis_is_json_ready() -> None:
    data = diagnose(retention(3, RetentionPolicy.no_graph()), CHAIN).to_dict()
    assert json.loads(json.dumps(data))["displaced"][0]["competitor"] == "n2"


def test_a_chain_that_names_an_unknown_block_is_refused() -> None:
    with pytest.raises(UnknownBlockError, match=r"the chain refers to block 'c33'.*you mean 'c3'"):
        diagnose(retention(3, RetentionPolicy()), ["c3", "c33"])
