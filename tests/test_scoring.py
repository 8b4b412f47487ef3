"""The score of each block, and the order that it makes."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc import RetentionPolicy
from dsgc._activity import Standing
from dsgc._relevance import similarities
from dsgc._scoring import Scores, score_blocks
from dsgc._selection import FillRules, fill, ranked
from tests import oracle
from tests.strategies import Edges, Store, close_numbers, dependents_of, lists_of, stores

SIMILARITIES = (
    st.lists(close_numbers, max_size=12)
    | st.lists(st.just(0.3), max_size=12)
    | st.lists(st.floats(-1, 1), max_size=12)
)
TEMPERATURES = st.sampled_from([1e-300, 1e-20, 1e-3, 0.25, 1.0, 1e300])


def scored(
    similarity: list[float], edges: Edges, policy: RetentionPolicy, costs: list[int] | None = None
) -> Scores:
    cost = np.array([1] * len(similarity) if costs is None else costs, dtype=np.int64)
    dependents = dependents_of(len(similarity), edges)
    return score_blocks(np.array(similarity, dtype=np.float64), cost, dependents, policy)


def order_of(scores: Scores) -> list[int]:
    order: list[int] = ranked(scores.merit, scores.similarity).tolist()
    return order


@st.composite
def policies(draw: st.DrawFn) -> RetentionPolicy:
    weights = st.sampled_from([0.0, 0.5, 1.0, 2.0])
    return RetentionPolicy(
        temperature=draw(TEMPERATURES),
        relevance_weight=draw(weights),
        prerequisite_weight=draw(weights),
        hops=draw(st.integers(1, 4)),
        damping=draw(st.sampled_from([0.0, 0.5, 1.0])),
        aggregate=draw(st.sampled_from(["sum", "max"])),
        recency_weight=draw(weights),
        recency_exponent=draw(st.sampled_from([0.0, 1.0, 3.0])),
        activation_weight=draw(weights),
        activation_decay=draw(st.sampled_from([0.0, 0.5, 1.0])),
        density_exponent=draw(st.sampled_from([0.0, 0.5, 1.0])),
    )


LN3 = 0.25 * float(np.log(3))  # at the temperature 0.25, three times the relevance


def test_the_papers_score_is_relevance_plus_weighted_support() -> None:
    scores = scored([LN3, 0.0], [(0, 1)], RetentionPolicy(prerequisite_weight=2.0))
    assert scores.relevance.tolist() == pytest.approx([0.75, 0.25])
    assert scores.support.tolist() == pytest.approx([0.0, 0.75])
    assert scores.score.tolist() == pytest.approx([0.75, 0.25 + 2 * 0.75])
    assert order_of(scores) == [1, 0]


def test_by_maximum_a_block_is_worth_its_own_relevance_or_its_support() -> None:
    policy = RetentionPolicy(aggregate="max", relevance_weight=2.0)
    scores = scored([LN3, 0.0, 0.0, LN3], [(0, 1), (2, 3), (3, 1)], policy)
    assert scores.score.tolist() == pytest.approx([0.75, 0.375, 0.25, 0.75])


def test_recency_and_activation_are_added_by_their_weights() -> None:
    policy = RetentionPolicy(
        prerequisite_weight=0.0, recency_weight=2.0, recency_exponent=1.0, activation_weight=3.0
    )
    scores = scored([0.0, 0.0], [(1, 0)], policy)
    assert scores.recency.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert scores.activation.tolist() == pytest.approx([0.6, 0.4])
    assert scores.score.tolist() == pytest.approx([0.5 + 2 / 3 + 1.8, 0.5 + 4 / 3 + 1.2])


def test_a_term_without_weight_is_zero() -> None:
    scores = scored([0.1, 0.2], [(0, 1)], RetentionPolicy(prerequisite_weight=0.0))
    terms = (scores.support, scores.recency, scores.activation)
    assert [term.tolist() for term in terms] == [[0.0, 0.0]] * 3


def test_density_divides_by_cost_and_what_is_free_counts_as_one_token() -> None:
    policy = RetentionPolicy(density_exponent=2.0)
    scores = scored([0.0] * 4, [], policy, costs=[0, 1, 2, 4])
    assert scores.score.tolist() == [0.25, 0.25, 0.0625, 0.015625]
    assert order_of(scores) == [0, 1, 2, 3]


def test_a_density_beyond_all_numbers_leaves_a_score_of_zero() -> None:
    policy = RetentionPolicy(density_exponent=60.0)
    scores = scored([0.0, 0.0], [], policy, costs=[10**6, 1])
    assert scores.score.tolist() == [0.0, 0.5]


def test_no_blocks_have_no_scores() -> None:
    for policy in (RetentionPolicy(), RetentionPolicy.agent(), RetentionPolicy.chain_safe()):
        assert [term.size for term in scored([], [], policy)] == [0] * 7


@given(stores(SIMILARITIES), policies())
def test_each_term_of_the_score_equals_its_oracle(store: Store, policy: RetentionPolicy) -> None:
    similarity, costs, edges, *_ = store
    scores = scored(similarity, edges, policy, costs)
    expected = oracle.score(similarity, costs, edges, policy)
    for name, values in expected._asdict().items():
        assert getattr(scores, name).tolist() == pytest.approx(values, rel=1e-9, abs=1e-12), name
    assert scores.similarity.tolist() == similarity


@given(SIMILARITIES, TEMPERATURES, st.sampled_from([0.5, 1.0, 3.0]), stores(SIMILARITIES))
def test_without_prerequisite_weight_the_order_is_exactly_that_of_similarity(
    similarity: list[float],
    temperature: float,
    weight: float,
    store: Store,
) -> None:
    n_blocks = len(similarity)
    edges = [(a, b) for a, b in store.edges if max(a, b) < n_blocks]
    for aggregate in ("sum", "max"):
        policy = RetentionPolicy(
            temperature=temperature,
            relevance_weight=weight,
            prerequisite_weight=0.0,
            aggregate=aggregate,
        )
        scores = scored(similarity, edges, policy)
        assert order_of(scores) == oracle.order(similarity, similarity)
        assert scores.merit.tolist() == similarity


@given(SIMILARITIES, TEMPERATURES)
def test_without_edges_the_order_is_exactly_that_of_similarity(
    similarity: list[float], temperature: float
) -> None:
    scores = scored(similarity, [], RetentionPolicy(temperature=temperature))
    assert order_of(scores) == oracle.order(similarity, similarity)
    assert scores.merit.tolist() == similarity


@given(stores(SIMILARITIES), policies())
def test_otherwise_the_order_is_that_of_the_score(store: Store, policy: RetentionPolicy) -> None:
    similarity, costs, edges, *_ = store
    scores = scored(similarity, edges, policy, costs)
    value = oracle.score(similarity, costs, edges, policy).score
    in_order = [value[block] for block in order_of(scores)]
    assert in_order == pytest.approx(sorted(in_order, reverse=True), rel=1e-9, abs=1e-12)
    others = policy.recency_weight or policy.activation_weight or policy.density_exponent
    if others or scores.support.any():
        assert order_of(scores) == oracle.order(scores.score.tolist(), similarity)


@pytest.mark.parametrize("temperature", [1e-300, 1e-3])
def test_at_a_temperature_near_zero_support_still_reaches_what_the_best_block_needs(
    temperature: float,
) -> None:
    scores = scored([0.9, -0.5, 0.1, 0.2], [(0, 1)], RetentionPolicy(temperature=temperature))
    assert scores.score.tolist() == [1.0, 1.0, 0.0, 0.0]
    assert order_of(scores) == [0, 1, 3, 2]


@pytest.mark.parametrize("similarity", [[0.9, 0.1, 0.5], [0.3, 0.3, 0.3]])
def test_a_sliding_window_keeps_the_newest_whatever_it_says(similarity: list[float]) -> None:
    scores = scored(similarity, [(2, 0)], RetentionPolicy.sliding_window())
    assert order_of(scores) == [2, 1, 0]


@pytest.mark.parametrize("term", ["recency_weight", "activation_weight"])
def test_a_weight_for_activity_can_outweigh_similarity(term: str) -> None:
    light = RetentionPolicy.model_validate({"prerequisite_weight": 0.0, term: 0.01})
    assert order_of(scored([0.9, 0.5, 0.1], [], light)) == [0, 1, 2]
    heavy = RetentionPolicy.model_validate({"prerequisite_weight": 0.0, term: 9.0})
    assert order_of(scored([0.9, 0.5, 0.1], [], heavy)) == [2, 1, 0]


def test_inputs_are_left_as_they_were() -> None:
    similarity, cost = np.array([0.1, 0.9]), np.array([3, 4])
    policy = RetentionPolicy(recency_weight=1.0, activation_weight=1.0, density_exponent=1.0)
    score_blocks(similarity, cost, dependents_of(2, [(0, 1)]), policy)
    assert (similarity.tolist(), cost.tolist()) == ([0.1, 0.9], [3, 4])


@given(stores(SIMILARITIES), st.data())
def test_permuting_blocks_permutes_relevance_support_and_score(
    store: Store, data: st.DataObject
) -> None:
    similarity, costs, edges, *_ = store
    place = data.draw(st.permutations(range(len(similarity))))
    source = sorted(range(len(place)), key=place.__getitem__)
    policy = RetentionPolicy(density_exponent=0.5)
    scores = scored(similarity, edges, policy, costs)
    moved = scored(
        [similarity[block] for block in source],
        [(place[a], place[b]) for a, b in edges],
        policy,
        [costs[block] for block in source],
    )
    for before, after in zip(scores, moved, strict=True):
        assert after.tolist() == pytest.approx(before[source].tolist(), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("seed", range(12))
def test_the_papers_rule_keeps_what_the_plain_loop_keeps(seed: int) -> None:
    rng = random.Random(seed)
    n_blocks = rng.choice([1, 30, 300])
    embeddings = [[rng.gauss(0, 0.2) for _ in range(16)] for _ in range(n_blocks)]
    query = [rng.gauss(0, 0.2) for _ in range(16)]
    costs = [rng.randrange(0, 30) for _ in range(n_blocks)]
    # A block needs older ones: without cycles, only equal blocks have equal scores.
    pairs = [sorted(rng.choices(range(n_blocks), k=2)) for _ in range(2 * n_blocks)]
    edges = [(newer, older) for older, newer in pairs if older < newer]
    budget, weight = rng.randrange(0, 15 * n_blocks), rng.choice([0.0, 0.5, 1.0])
    similarity = similarities(np.array(embeddings), np.array(query))
    policy = RetentionPolicy(temperature=0.5, prerequisite_weight=weight)
    scores = score_blocks(similarity, np.array(costs), dependents_of(n_blocks, edges), policy)
    no_pins = np.zeros(0, dtype=np.int64)
    result = fill(scores.merit, similarity, np.array(costs), budget, no_pins, FillRules())
    assert sorted(result.taken.tolist()) == oracle.retain_plainly(
        embeddings, query, costs, edges, budget, temperature=0.5, prerequisite_weight=weight
    )


def test_the_plain_loop_keeps_a_prerequisite_that_looks_unlike_the_query() -> None:
    embeddings, costs, edges = [[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]], [2, 2, 2], [(0, 1)]
    assert oracle.retain_plainly(embeddings, [1.0, 0.0], costs, edges, 4) == [0, 1]
    alone = oracle.retain_plainly(embeddings, [1.0, 0.0], costs, edges, 5, prerequisite_weight=0.0)
    assert alone == [0, 2]


def scored_in_place(
    similarity: list[float], edges: Edges, policy: RetentionPolicy, standing: Standing
) -> Scores:
    n_blocks = len(similarity)
    cost = np.ones(n_blocks, dtype=np.int64)
    dependents = dependents_of(n_blocks, edges)
    return score_blocks(np.array(similarity), cost, dependents, policy, standing)


@given(stores(SIMILARITIES), policies())
def test_units_of_one_block_score_what_blocks_without_a_standing_do(
    store: Store, policy: RetentionPolicy
) -> None:
    similarity, _, edges, *_ = store
    standing = Standing.of_single_blocks(len(similarity))
    placed = scored_in_place(similarity, edges, policy, standing)
    for before, after in zip(scored(similarity, edges, policy), placed, strict=True):
        assert after.tolist() == before.tolist()


def test_the_parts_of_a_unit_share_recency_and_activation_by_the_measure_of_relevance() -> None:
    # A unit of one block, then a unit of two parts: two units for three blocks.
    standing = Standing(np.array([1.0, 0, 0]), np.array([1, 0.5, 0.5]))
    policy = RetentionPolicy(recency_weight=1.0, recency_exponent=1.0, activation_weight=1.0)
    scores = scored_in_place([0.0, 0.0, 0.0], [(1, 0)], policy, standing)
    assert scores.recency.tolist() == pytest.approx([2 / 9, 2 / 9, 2 / 9])
    assert scores.activation.tolist() == pytest.approx([2 / 3 * 0.6, 2 / 3 * 0.2, 2 / 3 * 0.2])
    assert scores.relevance.tolist() == pytest.approx([1 / 3] * 3)
    assert scores.support.tolist() == pytest.approx([1 / 3, 0, 0])
    expected = [1 / 3 + 1 / 3 + 2 / 9 + 0.4, 1 / 3 + 2 / 9 + 0.4 / 3, 1 / 3 + 2 / 9 + 0.4 / 3]
    assert scores.score.tolist() == pytest.approx(expected)


def test_recency_and_activation_weigh_as_much_per_block_however_far_units_are_split() -> None:
    policy = RetentionPolicy(
        prerequisite_weight=0.0, recency_weight=1.0, recency_exponent=0.0, activation_weight=1.0
    )
    for n_parts in (1, 4, 100):
        standing = Standing(np.zeros(2 * n_parts), np.full(2 * n_parts, 1 / n_parts))
        scores = scored_in_place([0.0] * 2 * n_parts, [], policy, standing)
        share = pytest.approx([1 / (2 * n_parts)] * 2 * n_parts)
        assert scores.relevance.tolist() == share
        per_unit = pytest.approx([1 / (2 * n_parts) / n_parts] * 2 * n_parts)
        assert scores.recency.tolist() == scores.activation.tolist() == per_unit


@given(stores(SIMILARITIES), policies(), st.data())
def test_what_does_not_compete_changes_nothing_for_those_that_do(
    store: Store, policy: RetentionPolicy, data: st.DataObject
) -> None:
    similarity = store.similarity
    n_blocks = len(similarity)
    competes = np.array(data.draw(lists_of(st.booleans(), n_blocks)), dtype=np.bool_)
    age = np.array(data.draw(lists_of(st.integers(0, 5), n_blocks)), dtype=np.float64)
    mixed = scored_in_place(similarity, [], policy, Standing(age, competes.astype(np.float64)))
    rivals = np.array(similarity, dtype=np.float64)[competes].tolist()
    alone = scored_in_place(rivals, [], policy, Standing(age[competes], np.ones(len(rivals))))
    for name, values in alone._asdict().items():
        assert getattr(mixed, name)[competes].tolist() == pytest.approx(values.tolist()), name
    assert not mixed.recency[~competes].any()
    assert not mixed.activation[~competes].any()
    assert (mixed.relevance <= 1.0).all()


def test_support_flows_from_what_does_not_compete() -> None:
    standing = Standing(np.array([1.0, 0, 0]), np.array([1.0, 1, 0]))
    scores = scored_in_place([0.0, LN3, LN3], [(2, 0)], RetentionPolicy(), standing)
    assert scores.relevance.tolist() == pytest.approx([0.25, 0.75, 0.75])
    assert scores.support.tolist() == pytest.approx([0.75, 0, 0])
