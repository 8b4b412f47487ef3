"""Recency and activation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc import _activity
from dsgc._activity import Standing
from dsgc._adjacency import Adjacency
from dsgc._arrays import PerBlock
from tests import oracle
from tests.strategies import Graph, dependents_of, graphs, lists_of

EXPONENTS = st.sampled_from([0.0, 0.5, 1.0, 3.0, 1e3]) | st.floats(0, 10)


def recency(n_blocks: int, exponent: float) -> PerBlock:
    return _activity.recency(Standing.of_single_blocks(n_blocks), exponent)


def activation(dependents: Adjacency, decay: float) -> PerBlock:
    standing = Standing.of_single_blocks(dependents.n_blocks)
    return _activity.activation(dependents, standing, decay)


def test_recency_fades_with_age_and_adds_up_to_one() -> None:
    assert recency(3, 1.0).tolist() == pytest.approx([2 / 11, 3 / 11, 6 / 11])


def test_recency_without_fading_is_the_same_for_all() -> None:
    assert recency(4, 0.0).tolist() == [0.25] * 4


def test_recency_that_fades_at_once_leaves_only_the_newest() -> None:
    assert recency(3, 1e4).tolist() == [0.0, 0.0, 1.0]


@given(st.integers(0, 30), EXPONENTS)
def test_recency_equals_its_oracle(n_blocks: int, exponent: float) -> None:
    expected = oracle.recency(n_blocks, exponent)
    assert recency(n_blocks, exponent).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_activation_counts_a_blocks_own_place_and_those_of_its_dependents() -> None:
    # Uses fade to 1/3, 1/2 and 1; block 0 is used by 1 and 2, block 1 by 2.
    dependents = dependents_of(3, [(1, 0), (2, 0), (2, 1)])
    expected = np.array([1 / 3 + 1 / 2 + 1, 1 / 2 + 1, 1.0])
    assert activation(dependents, 1.0).tolist() == pytest.approx(expected / expected.sum())


def test_a_block_is_used_once_by_each_dependent_however_often_the_edge_is_given() -> None:
    once, often = dependents_of(3, [(2, 0)]), dependents_of(3, [(2, 0)] * 5)
    assert activation(often, 1.0).tolist() == activation(once, 1.0).tolist()


@given(graphs(), EXPONENTS)
def test_activation_equals_its_oracle(graph: Graph, decay: float) -> None:
    n_blocks, edges = graph
    expected = oracle.activation(n_blocks, edges, decay)
    actual = activation(dependents_of(n_blocks, edges), decay).tolist()
    assert actual == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(graphs(), EXPONENTS)
def test_recency_and_activation_add_up_to_one(graph: Graph, exponent: float) -> None:
    n_blocks, edges = graph
    total = 1.0 if n_blocks else 0.0
    assert recency(n_blocks, exponent).sum() == pytest.approx(total)
    assert activation(dependents_of(n_blocks, edges), exponent).sum() == pytest.approx(total)


@given(st.integers(0, 12), EXPONENTS)
def test_without_edges_activation_is_recency(n_blocks: int, exponent: float) -> None:
    used = activation(dependents_of(n_blocks, []), exponent)
    assert used.tolist() == recency(n_blocks, exponent).tolist()


# A unit of one block, then a unit of a call and three parts of its result.
IN_PARTS = Standing(np.array([1.0, 0, 0, 0, 0]), np.array([1, 0.25, 0.25, 0.25, 0.25]))


def test_the_parts_of_a_unit_share_its_recency() -> None:
    expected = [1 / 3, 1 / 6, 1 / 6, 1 / 6, 1 / 6]
    assert _activity.recency(IN_PARTS, 1.0).tolist() == pytest.approx(expected)


def test_the_parts_of_a_unit_share_its_own_use_but_not_what_uses_them() -> None:
    used = _activity.activation(dependents_of(5, [(1, 0)]), IN_PARTS, 1.0)
    expected = np.array([0.5 + 1, 0.25, 0.25, 0.25, 0.25])
    assert used.tolist() == pytest.approx(expected / expected.sum())


def test_splitting_units_lowers_how_many_of_them_there_are_for_each_block() -> None:
    assert IN_PARTS.units_per_block == pytest.approx(2 / 5)
    assert Standing.of_single_blocks(3).units_per_block == 1.0
    assert Standing.of_single_blocks(0).units_per_block == 1.0


# Two units that compete, and between them one that is kept in any case.
BESIDE_A_PIN = Standing(np.array([1.0, 0, 0]), np.array([1.0, 0, 1]))


def test_what_does_not_compete_is_neither_new_nor_used_and_takes_nothing_from_others() -> None:
    assert BESIDE_A_PIN.competing.tolist() == [True, False, True]
    assert BESIDE_A_PIN.units_per_block == 1.0
    assert _activity.recency(BESIDE_A_PIN, 1.0).tolist() == pytest.approx([1 / 3, 0, 2 / 3])
    used = _activity.activation(dependents_of(3, [(2, 1)]), BESIDE_A_PIN, 1.0)
    assert used.tolist() == pytest.approx([1 / 3, 0, 2 / 3])


def test_what_does_not_compete_is_a_use_of_what_it_depends_on_all_the_same() -> None:
    used = _activity.activation(dependents_of(3, [(1, 0)]), BESIDE_A_PIN, 1.0)
    assert used.tolist() == pytest.approx([1.5 / 2.5, 0, 1 / 2.5])


def test_where_nothing_competes_nothing_is_new_or_used() -> None:
    nothing = Standing(np.zeros(2), np.zeros(2))
    assert nothing.competing.tolist() == [False, False]
    assert nothing.units_per_block == 1.0
    assert _activity.recency(nothing, 1.0).tolist() == [0.0, 0.0]
    assert _activity.activation(dependents_of(2, [(1, 0)]), nothing, 1.0).tolist() == [0.0, 0.0]


def test_what_competes_beside_a_part_of_a_unit_counts_as_units_per_block() -> None:
    standing = Standing(np.zeros(4), np.array([0, 0.5, 0.5, 1]))
    assert standing.units_per_block == pytest.approx(2 / 3)


@given(graphs(), EXPONENTS, st.data())
def test_recency_and_activation_of_any_standing_equal_a_plain_loop(
    graph: Graph, exponent: float, data: st.DataObject
) -> None:
    n_blocks, edges = graph
    age = data.draw(lists_of(st.integers(0, 9), n_blocks))
    share = data.draw(lists_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), n_blocks))
    standing = Standing(np.array(age, dtype=np.float64), np.array(share, dtype=np.float64))
    faded = [(1.0 + each) ** -exponent for each in age]
    new = [part * use for part, use in zip(share, faded, strict=True)]
    used = [
        (new[block] + sum(faded[j] for j, i in set(edges) if i == block)) * (share[block] > 0)
        for block in range(n_blocks)
    ]
    for plain, actual in (
        (new, _activity.recency(standing, exponent)),
        (used, _activity.activation(dependents_of(n_blocks, edges), standing, exponent)),
    ):
        total = sum(plain)
        expected = [value / total if total else 0.0 for value in plain]
        assert actual.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-300)
