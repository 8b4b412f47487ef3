"""The public decision: what is kept, what it says, and what always holds."""

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dsgc import Block, PrerequisiteGraph, Retention, RetentionPolicy, retain
from dsgc.errors import NeverKeptError, PinsOverBudgetError, UnknownBlockError
from tests.strategies import CHAIN, EDGES, QUERY, GivenSimilarities, Memory, memories, policies


def kept_or_none(memory: Memory, policy: RetentionPolicy) -> Retention | None:
    try:
        return retain(*memory, policy=policy)
    except PinsOverBudgetError:
        return None


def test_the_chain_survives_where_similarity_alone_breaks_it() -> None:
    noise = Block("n2", "Alice will move the backup dashboard next sprint")
    blocks, budget = [*CHAIN, noise], 24
    by_similarity = retain(blocks, QUERY, budget, EDGES, policy=RetentionPolicy.no_graph())
    by_dsgc = retain(blocks, QUERY, budget, EDGES)
    assert by_similarity.kept_ids == ("c1", "c3", "n2")
    assert by_dsgc.kept_ids == ("c1", "c2", "c3")


def test_scores_follow_the_equations_on_a_worked_example() -> None:
    blocks = [Block("rule", "rule"), Block("decision", "decision"), Block("noise", "noise")]
    encoder = GivenSimilarities({"rule": 0.0, "decision": 0.5, "noise": 0.25})
    retention = retain(blocks, "query", 2, [("decision", "rule")], encoder=encoder)
    exponentials = {"rule": 1.0, "decision": math.e**2, "noise": math.e}
    total = sum(exponentials.values())
    for name, exponential in exponentials.items():
        assert retention.records[name].relevance == pytest.approx(exponential / total, abs=1e-12)
    assert retention.records["rule"].support == retention.records["decision"].relevance
    assert retention.records["rule"].score == pytest.approx((1 + math.e**2) / total, abs=1e-12)
    assert [retention.records[name].rank for name in exponentials] == [1, 2, 3]
    assert retention.kept_ids == ("rule", "decision")


def test_a_prerequisite_is_kept_though_nothing_in_it_looks_like_the_query() -> None:
    blocks = [Block("A", "a", cost=1), Block("noise", "n", cost=1), Block("B", "b", cost=1)]
    encoder = GivenSimilarities({"a": 0.0, "n": 0.3, "b": 0.9})
    assert retain(blocks, "q", 2, [("B", "A")], encoder=encoder).kept_ids == ("A", "B")


def test_kept_and_evicted_stand_in_input_order_and_are_the_very_blocks_given() -> None:
    retention = retain(CHAIN, QUERY, 14, EDGES)
    assert sorted((*retention.kept, *retention.evicted), key=CHAIN.index) == CHAIN
    assert all(any(block is given for given in CHAIN) for block in retention.kept)
    assert retention.kept_ids == tuple(block.id for block in retention.kept)


def test_one_block_larger_than_the_budget_is_evicted_and_the_rest_fills_it() -> None:
    blocks = [
        Block("huge", "huge", cost=10_000),
        Block("b", "b", cost=600),
        Block("c", "c", cost=400),
    ]
    retention = retain(blocks, "huge", 1_000)
    assert retention.kept_ids == ("b", "c")
    assert retention.records["huge"].reason == "over budget by 9000 tokens"


def test_blocks_that_need_each_other_are_kept_or_evicted_together() -> None:
    blocks = [
        Block("A", "backup", cost=2),
        Block("B", "unlike", cost=2),
        Block("n", "noise", cost=1),
    ]
    edges = [("A", "B"), ("B", "A")]
    policy = RetentionPolicy.chain_safe()
    assert retain(blocks, "backup", 4, edges, policy=policy).kept_ids == ("A", "B")
    assert retain(blocks, "backup", 3, edges, policy=policy).kept_ids == ("n",)


def test_without_blocks_there_is_nothing_to_keep() -> None:
    retention = retain([], "anything", 10)
    assert (retention.kept, retention.evicted, retention.used) == ((), (), 0)
    assert str(retention).startswith("Retention(kept 0 of 0 blocks, 0 of 10 tokens)")


def test_an_empty_query_leaves_the_order_to_the_input() -> None:
    blocks = [Block(name, name) for name in "abc"]
    assert retain(blocks, "", 2).kept_ids == ("a", "b")


def test_a_zero_budget_keeps_only_what_costs_nothing() -> None:
    blocks = [Block("free", "free", cost=0), Block("dear", "dear", cost=1)]
    assert retain(blocks, "dear", 0).kept_ids == ("free",)


def test_pins_that_exceed_the_budget_are_named_with_both_numbers() -> None:
    blocks = [
        Block("system", "s", cost=500, pinned=True),
        Block("task", "t", cost=400, pinned=True),
        Block("rule", "r", cost=50),
    ]
    with pytest.raises(
        PinsOverBudgetError, match=r"'system', 'task' cost 900 tokens.*is 500"
    ) as caught:
        retain(blocks, "q", 500)
    assert caught.value.block_ids == ("system", "task")
    assert (caught.value.cost, caught.value.budget) == (900, 500)
    closed = RetentionPolicy(closed=True)
    with pytest.raises(PinsOverBudgetError, match=r"with their prerequisites 'rule' cost 950"):
        retain(blocks, "q", 920, [("task", "rule")], policy=closed)
    assert retain(blocks, "q", 950, [("task", "rule")], policy=closed).evicted == ()


def test_the_error_of_an_unknown_edge_names_the_nearest_id() -> None:
    blocks = [Block("rule-1", "r"), Block("task", "t")]
    message = (
        r"edge refers to block 'rule-l', which is not among the 2 blocks given\. "
        r"Did you mean 'rule-1'\?"
    )
    with pytest.raises(UnknownBlockError, match=message) as caught:
        retain(blocks, "q", 9, [("task", "rule-l")])
    assert (caught.value.block_id, caught.value.suggestion) == ("rule-l", "rule-1")


def test_a_graph_that_outlives_its_blocks_reports_the_prerequisites_that_are_gone() -> None:
    graph = PrerequisiteGraph.from_edges([("b", "gone"), ("c", "gone"), ("gone", "d"), ("c", "b")])
    retention = retain([Block(name, name) for name in "bcd"], "c", 3, graph)
    assert dict(retention.missing_prerequisites) == {"gone": ("b", "c")}
    assert len(graph) == 4


def test_explaining_an_unknown_block_suggests_the_nearest() -> None:
    with pytest.raises(UnknownBlockError, match=r"'c33'.*not among the 4 blocks.*you mean 'c3'"):
        retain(CHAIN, QUERY, 14).explain("c33")


def test_a_retention_is_json_ready() -> None:
    retention = retain(CHAIN, QUERY, 14, EDGES, policy=RetentionPolicy.chain_safe())
    data = json.loads(json.dumps(retention.to_dict()))
    assert data["kept"] == list(retention.kept_ids)
    assert data["policy"]["aggregate"] == "max"
    by_id = {record["id"]: record for record in data["records"]}
    assert by_id["n1"]["reason"] == retention.records["n1"].reason
    assert by_id["n1"]["verdict"]["kind"] == "ranked" or not by_id["n1"]["kept"]


def test_no_budget_keeps_a_duplicate() -> None:
    blocks = [Block("a", "same text"), Block("b", "same text")]
    retention = retain(blocks, "same", 4, policy=RetentionPolicy.chain_safe())
    assert retention.records["b"].reason == "duplicate of 'a'"
    with pytest.raises(NeverKeptError, match=r"keeps block 'b': it is a duplicate of 'a'"):
        retention.budget_for(["b"])


def test_a_duplicate_survives_where_a_kept_block_needs_that_very_one() -> None:
    blocks = [Block("a", "same text"), Block("b", "same text"), Block("c", "query")]
    policy = RetentionPolicy(closed=True, deduplicate=True, prerequisite_weight=0.0)
    retention = retain(blocks, "query", 5, [("c", "b")], policy=policy)
    assert retention.kept_ids == ("b", "c")
    assert retention.records["b"].reason == "prerequisite of 'c'"
    assert retention.records["a"].reason == "duplicate of 'b'"


def test_a_twin_that_a_kept_block_needs_is_kept_beside_one_kept_for_its_rank() -> None:
    blocks = [Block("a", "query"), Block("b", "query"), Block("c", "other words")]
    policy = RetentionPolicy(closed=True, deduplicate=True, prerequisite_weight=0.0)
    retention = retain(blocks, "query", 4, [("c", "b")], policy=policy)
    assert retention.kept_ids == ("a", "b", "c")
    assert retention.records["b"].reason == "prerequisite of 'c'"


def test_what_is_kept_has_a_budget_though_its_dearer_twin_ranks_before_it() -> None:
    blocks = [Block("dear", "same text", 2), Block("cheap", "same text", 1)]
    retention = retain(blocks, "same", 1, policy=RetentionPolicy.chain_safe())
    assert retention.kept_ids == ("cheap",)
    assert retention.budget_for(["cheap"]) == 1


def test_blocks_may_come_from_a_generator() -> None:
    assert retain((block for block in CHAIN), QUERY, 21, iter(EDGES)).used == 21


@given(memory=memories(pins=True), policy=policies)
def test_kept_blocks_never_cost_more_than_the_budget(
    memory: Memory, policy: RetentionPolicy
) -> None:
    retention = kept_or_none(memory, policy)
    assume(retention is not None)
    assert retention is not None
    spent = sum(retention.records[block.id].cost for block in retention.kept)
    assert retention.used == spent <= memory.budget


@given(memory=memories(pins=True), policy=policies)
def test_pins_survive_or_the_error_says_by_how_much_they_do_not_fit(
    memory: Memory, policy: RetentionPolicy
) -> None:
    pinned = {block.id for block in memory.blocks if block.pinned}
    try:
        retention = retain(*memory, policy=policy)
    except PinsOverBudgetError as error:
        said = error
    else:
        assert pinned <= set(retention.kept_ids)
        return
    assert set(said.block_ids) == pinned
    assert said.cost > said.budget == memory.budget
    raised = retain(memory.blocks, memory.query, said.cost, memory.edges, policy=policy)
    assert pinned <= set(raised.kept_ids)


@given(memory=memories(pins=True), policy=policies)
def test_closed_results_hold_every_prerequisite_of_every_kept_block(
    memory: Memory, policy: RetentionPolicy
) -> None:
    retention = kept_or_none(memory, policy.replace(closed=True))
    assume(retention is not None)
    assert retention is not None
    kept = set(retention.kept_ids)
    assert all(needed in kept for dependent, needed in memory.edges if dependent in kept)


@given(memory=memories(pins=True), policy=policies)
def test_a_second_pass_keeps_everything(memory: Memory, policy: RetentionPolicy) -> None:
    first = kept_or_none(memory, policy)
    assume(first is not None)
    assert first is not None
    graph = PrerequisiteGraph.from_edges(memory.edges)
    again = retain(first.kept, memory.query, memory.budget, graph, policy=policy)
    if policy.closed and policy.deduplicate:
        # A twin kept for its rank may now come after one that a kept block needs, and go.
        assert {block.text for block in again.kept} == {block.text for block in first.kept}
    else:
        assert again.kept == first.kept


@given(memory=memories(pins=True), policy=policies, data=st.data())
def test_budget_for_is_sufficient(
    memory: Memory, policy: RetentionPolicy, data: st.DataObject
) -> None:
    retention = kept_or_none(memory, policy)
    assume(retention is not None)
    assert retention is not None
    assume(memory.blocks)
    wanted = data.draw(
        st.lists(st.sampled_from([block.id for block in memory.blocks]), unique=True)
    )
    try:
        budget = retention.budget_for(wanted)
    except NeverKeptError:
        assert policy.deduplicate
        return
    enough = retain(memory.blocks, memory.query, budget, memory.edges, policy=policy)
    assert set(wanted) <= set(enough.kept_ids)


@given(memory=memories(pins=True), policy=policies)
def test_inputs_are_left_as_they_were(memory: Memory, policy: RetentionPolicy) -> None:
    before = [block.model_dump() for block in memory.blocks], list(memory.edges)
    kept_or_none(memory, policy)
    assert ([block.model_dump() for block in memory.blocks], memory.edges) == before


@given(memory=memories(pins=True), policy=policies)
def test_the_same_call_gives_the_same_result(memory: Memory, policy: RetentionPolicy) -> None:
    first, second = kept_or_none(memory, policy), kept_or_none(memory, policy)
    assert (first and first.to_dict()) == (second and second.to_dict())


@given(memory=memories(pins=True), policy=policies)
def test_every_block_has_a_reason_and_an_explanation(
    memory: Memory, policy: RetentionPolicy
) -> None:
    retention = kept_or_none(memory, policy)
    assume(retention is not None)
    assert retention is not None
    kept_kinds = {"pinned", "ranked", "prerequisite"}
    assert sorted(record.rank for record in retention.records) == list(
        range(1, len(memory.blocks) + 1)
    )
    for record in retention.records:
        assert (record.verdict.kind in kept_kinds) == record.kept
        assert record.verdict.tokens is None or record.verdict.tokens > 0
        explanation = retention.explain(record.id)
        assert record.reason in str(explanation)
        assert sum(supporter.share for supporter in explanation.supporters) == pytest.approx(
            1.0 if record.support else 0.0
        )


@given(memory=memories())
def test_equal_texts_get_equal_similarity(memory: Memory) -> None:
    retention = retain(*memory)
    by_text: dict[str, set[float]] = {}
    for block in memory.blocks:
        by_text.setdefault(block.text, set()).add(retention.records[block.id].similarity)
    assert all(len(similarities) == 1 for similarities in by_text.values())


@given(memory=memories(), policy=policies, data=st.data())
def test_moving_blocks_changes_nothing_but_the_order_of_ties(
    memory: Memory, policy: RetentionPolicy, data: st.DataObject
) -> None:
    policy = policy.replace(recency_weight=0.0, activation_weight=0.0)
    moved = memory._replace(blocks=data.draw(st.permutations(memory.blocks)))
    first, second = retain(*memory, policy=policy), retain(*moved, policy=policy)
    for block in memory.blocks:
        one, other = first.records[block.id], second.records[block.id]
        assert one.similarity == other.similarity
        assert one.score == pytest.approx(other.score, rel=1e-9, abs=1e-15)
    standing = [[r.records[name].score for name in r.ranking] for r in (first, second)]
    assert standing[0] == pytest.approx(standing[1], rel=1e-9, abs=1e-15)
    similar = [[r.records[name].similarity for name in r.ranking] for r in (first, second)]
    assert similar[0] == similar[1]


def neighbouring_similarities(centre: float, steps: Sequence[int]) -> list[float]:
    return [centre + step * float(np.spacing(centre)) for step in steps]


@given(
    centre=st.floats(-0.9, 0.9).filter(bool),
    steps=st.lists(st.integers(-3, 3), min_size=2, max_size=12),
    temperature=st.sampled_from([1e-6, 1e-3, 0.25, 10.0]),
    edges=st.booleans(),
)
def test_without_prerequisite_weight_the_ranking_is_that_of_similarity_to_the_last_bit(
    centre: float, steps: list[int], temperature: float, edges: bool
) -> None:
    similarities = neighbouring_similarities(centre, steps)
    blocks = [Block(f"b{i}", f"t{i}") for i in range(len(steps))]
    encoder = GivenSimilarities({f"t{i}": s for i, s in enumerate(similarities)})
    retention = retain(
        blocks,
        "query",
        len(steps),
        [("b1", "b0")] if edges else [],
        policy=RetentionPolicy(prerequisite_weight=0.0, temperature=temperature),
        encoder=encoder,
    )
    by_similarity = sorted(range(len(steps)), key=lambda i: (-similarities[i], i))
    assert retention.ranking == tuple(f"b{i}" for i in by_similarity)


@given(memory=memories(), policy=policies, lambdas=st.tuples(st.floats(0, 5), st.floats(0, 5)))
def test_raising_lambda_never_lowers_the_score_of_a_block_with_dependents(
    memory: Memory, policy: RetentionPolicy, lambdas: tuple[float, float]
) -> None:
    low, high = sorted(lambdas)
    lower, higher = (
        retain(*memory, policy=policy.replace(prerequisite_weight=weight)) for weight in (low, high)
    )
    for prerequisite in {needed for _, needed in memory.edges}:
        assert higher.records[prerequisite].score >= lower.records[prerequisite].score
