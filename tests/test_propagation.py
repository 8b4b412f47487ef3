"""Support by sum and by maximum."""

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc._propagation import additive_support, liveness, propagate, support_sources
from dsgc._relevance import softmax
from dsgc.errors import InputError
from tests import oracle
from tests.strategies import Edges, dependents_of, edges_among

STEP = 2.0**-52  # relevance comes in multiples of it, and each hop is rounded to them
ROUNDING = 1e-10
HOPS = st.integers(1, 6)
DAMPING = st.sampled_from([0.0, 1e-300, 0.5, 1.0]) | st.floats(0, 1)
AGGREGATES: list[Literal["sum", "max"]] = ["sum", "max"]
ORACLES = {"sum": oracle.additive_support, "max": oracle.liveness}
CHAIN = [(0, 1), (1, 2), (2, 3)]  # 0 needs 1, which needs 2, which needs 3
TRIANGLE = [(i, j) for i in range(3) for j in range(3) if i != j]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[float], Edges]:
    """Return the relevance of some blocks and edges among them, which may form cycles."""
    steps = st.sampled_from([0, 1, 2**52]) | st.integers(0, 2**52)
    relevance = draw(st.lists(steps.map(lambda count: count * STEP), max_size=7))
    return relevance, draw(edges_among(len(relevance), loops=True))


def test_support_is_the_relevance_of_the_direct_dependents() -> None:
    dependents = dependents_of(4, [(0, 3), (1, 3), (2, 1), (0, 3)])
    relevance = np.array([0.5, 0.25, 0.125, 0.125])
    assert additive_support(dependents, relevance, 1, 1.0).tolist() == [0.0, 0.125, 0.0, 0.75]
    assert liveness(dependents, relevance, 1, 1.0).tolist() == [0.0, 0.125, 0.0, 0.5]


def test_support_travels_as_many_hops_as_it_may_and_fades_after_the_first() -> None:
    dependents = dependents_of(4, CHAIN)
    relevance = np.array([0.8, 0.1, 0.1, 0.0])
    support = additive_support(dependents, relevance, 2, 0.5)
    assert support.tolist() == pytest.approx([0.0, 0.8, 0.1 + 0.4, 0.1 + 0.05])
    support = additive_support(dependents, relevance, 3, 0.5)
    assert support.tolist() == pytest.approx([0.0, 0.8, 0.1 + 0.4, 0.1 + 0.05 + 0.2])
    assert liveness(dependents, relevance, 2, 0.5).tolist() == pytest.approx([0, 0.8, 0.4, 0.1])
    assert liveness(dependents, relevance, 3, 0.5).tolist() == pytest.approx([0, 0.8, 0.4, 0.2])


def test_in_a_cycle_a_block_supports_itself() -> None:
    dependents = dependents_of(2, [(0, 1), (1, 0)])
    relevance = np.array([0.75, 0.25])
    assert additive_support(dependents, relevance, 3, 1.0).tolist() == [1.25, 1.75]
    assert liveness(dependents, relevance, 2, 1.0).tolist() == [0.75, 0.75]
    assert liveness(dependents, relevance, 1, 1.0).tolist() == [0.25, 0.75]


@given(graphs(), HOPS, DAMPING)
def test_additive_support_equals_its_oracle(
    graph: tuple[list[float], Edges], hops: int, damping: float
) -> None:
    relevance, edges = graph
    dependents = dependents_of(len(relevance), edges)
    expected = oracle.additive_support(relevance, edges, hops, damping)
    actual = additive_support(dependents, np.array(relevance), hops, damping).tolist()
    assert actual == pytest.approx(expected, rel=1e-12, abs=ROUNDING)


@given(graphs(), HOPS, DAMPING)
def test_liveness_equals_its_oracle(
    graph: tuple[list[float], Edges], hops: int, damping: float
) -> None:
    relevance, edges = graph
    dependents = dependents_of(len(relevance), edges)
    expected = oracle.liveness(relevance, edges, hops, damping)
    actual = liveness(dependents, np.array(relevance), hops, damping).tolist()
    assert actual == pytest.approx(expected, rel=1e-12, abs=1e-300)


@given(graphs(), HOPS, DAMPING)
def test_propagate_applies_the_rule_it_is_asked_for(
    graph: tuple[list[float], Edges], hops: int, damping: float
) -> None:
    relevance, edges = np.array(graph[0]), graph[1]
    dependents = dependents_of(relevance.size, edges)
    added = propagate(dependents, relevance, hops, damping, "sum")
    assert added.tolist() == additive_support(dependents, relevance, hops, damping).tolist()
    best = propagate(dependents, relevance, hops, damping, "max")
    assert best.tolist() == liveness(dependents, relevance, hops, damping).tolist()


@given(graphs(), HOPS)
def test_liveness_is_never_more_than_the_best_relevance_or_the_sum(
    graph: tuple[list[float], Edges], hops: int
) -> None:
    relevance, edges = np.array(graph[0]), graph[1]
    dependents = dependents_of(relevance.size, edges)
    alive = liveness(dependents, relevance, hops, 1.0)
    assert (alive <= relevance.max(initial=0.0)).all()
    assert (alive <= additive_support(dependents, relevance, hops, 1.0) * (1 + 1e-12)).all()


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_without_edges_there_is_no_support(aggregate: Literal["sum", "max"]) -> None:
    for n_blocks in (0, 1, 3):
        nothing = propagate(dependents_of(n_blocks, []), np.ones(n_blocks), 3, 1.0, aggregate)
        assert nothing.tolist() == [0.0] * n_blocks


@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize(("hops", "n_edges"), [(1, 600), (3, 90)])
@given(seed=st.integers(0, 999))
def test_support_does_not_depend_on_the_order_in_which_dependents_stand(
    aggregate: Literal["sum", "max"], hops: int, n_edges: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    n_blocks = 60
    relevance = softmax(rng.uniform(-1, 1, size=n_blocks), 0.25)
    edges = rng.integers(0, n_blocks, size=(n_edges, 2))
    place = rng.permutation(n_blocks)
    support = propagate(dependents_of(n_blocks, edges.tolist()), relevance, hops, 0.7, aggregate)
    moved = np.empty(n_blocks)
    moved[place] = relevance
    dependents = dependents_of(n_blocks, place[edges].tolist())
    moved_support = propagate(dependents, moved, hops, 0.7, aggregate)
    assert moved_support[place].tolist() == support.tolist()


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_relevance_is_left_as_it_was(aggregate: Literal["sum", "max"]) -> None:
    relevance = np.array([0.5, 0.25, 0.25, 0.0])
    dependents = dependents_of(4, CHAIN)
    propagate(dependents, relevance, 3, 0.5, aggregate)
    support_sources(dependents.transposed, relevance, 3, 0.5, aggregate, 3)
    assert relevance.tolist() == [0.5, 0.25, 0.25, 0.0]


def test_any_number_of_hops_ends_where_the_graph_ends() -> None:
    dependents = dependents_of(4, CHAIN)
    relevance = np.array([0.5, 0.25, 0.25, 0.0])
    assert additive_support(dependents, relevance, 10**9, 1.0).tolist() == [0, 0.5, 0.75, 1.0]
    assert liveness(dependents, relevance, 10**9, 1.0).tolist() == [0, 0.5, 0.5, 0.5]
    from_above = support_sources(dependents.transposed, relevance, 10**9, 1.0, "sum", 3)
    assert from_above.tolist() == [0.5, 0.25, 0.25, 0.0]


def test_liveness_settles_in_a_cycle_however_many_hops_are_asked_for() -> None:
    dependents = dependents_of(3, TRIANGLE)
    alive = liveness(dependents, np.array([0.5, 0.25, 0.25]), 10**9, 1.0)
    assert alive.tolist() == [0.5, 0.5, 0.5]


def test_support_that_outgrows_all_numbers_in_a_cycle_is_refused() -> None:
    dependents = dependents_of(3, TRIANGLE)
    with pytest.raises(InputError, match="grows beyond all numbers within 2000 hops"):
        additive_support(dependents, np.full(3, 0.25), 2000, 1.0)


def test_support_that_damping_keeps_small_is_not_refused() -> None:
    # Each hop doubles the number of walks and halves their weight: 2/3 a hop.
    support = additive_support(dependents_of(3, TRIANGLE), np.full(3, 1 / 3), 1500, 0.5)
    assert support.tolist() == pytest.approx([1000.0] * 3)


@pytest.mark.parametrize("aggregate", AGGREGATES)
@given(graphs().filter(lambda graph: bool(graph[0])), HOPS, DAMPING)
def test_the_source_of_support_is_what_is_left_when_all_others_have_no_relevance(
    aggregate: Literal["sum", "max"], graph: tuple[list[float], Edges], hops: int, damping: float
) -> None:
    relevance, edges = graph
    prerequisites = dependents_of(len(relevance), edges).transposed
    expected = []
    for source, own in enumerate(relevance):
        alone = [0.0] * len(relevance)
        alone[source] = own
        expected.append(ORACLES[aggregate](alone, edges, hops, damping))
    for block in range(len(relevance)):
        sources = support_sources(
            prerequisites, np.array(relevance), hops, damping, aggregate, block
        )
        from_each = [support[block] for support in expected]
        assert sources.tolist() == pytest.approx(from_each, rel=1e-12, abs=ROUNDING)


@given(graphs().filter(lambda graph: bool(graph[0])), HOPS, DAMPING)
def test_sources_add_up_to_the_support_or_have_it_as_their_maximum(
    graph: tuple[list[float], Edges], hops: int, damping: float
) -> None:
    relevance, edges = np.array(graph[0]), graph[1]
    dependents = dependents_of(relevance.size, edges)
    added = additive_support(dependents, relevance, hops, damping)
    best = liveness(dependents, relevance, hops, damping)
    for block in range(relevance.size):
        sources = support_sources(dependents.transposed, relevance, hops, damping, "sum", block)
        assert sources.sum() == pytest.approx(added[block], rel=1e-12, abs=ROUNDING)
        sources = support_sources(dependents.transposed, relevance, hops, damping, "max", block)
        assert sources.max() == pytest.approx(best[block], rel=1e-12, abs=ROUNDING)


def test_countless_walks_from_blocks_without_relevance_contribute_nothing() -> None:
    dependents = dependents_of(4, TRIANGLE)
    relevance = np.array([0.0, 0.0, 0.0, 1.0])
    assert additive_support(dependents, relevance, 1500, 1.0).tolist() == [0.0] * 4
    sources = support_sources(dependents.transposed, relevance, 1500, 1.0, "sum", 0)
    assert sources.tolist() == [0.0] * 4
