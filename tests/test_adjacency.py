"""The sparse matrix of edges and its product with a vector."""

import concurrent.futures
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc._adjacency import Adjacency
from dsgc._arrays import Indices
from tests.strategies import Graph, adjacency_of, edges_among, graphs

matrices = graphs(loops=True, per_block=3)  # an entry is as good as an edge


def test_a_row_holds_its_columns_once_and_ascending() -> None:
    adjacency = adjacency_of(4, [(1, 3), (1, 0), (2, 2), (1, 3), (1, 1)])
    assert [adjacency.row(block) for block in range(4)] == [[], [0, 1, 3], [2], []]


def test_the_product_counts_an_entry_that_is_given_twice_once() -> None:
    adjacency = adjacency_of(2, [(0, 1), (0, 1), (0, 1)])
    assert (adjacency @ np.array([5.0, 7.0])).tolist() == [7.0, 0.0]


def test_a_matrix_of_no_blocks_multiplies_nothing() -> None:
    adjacency = adjacency_of(0, [])
    assert (adjacency @ np.zeros(0)).shape == (0,)
    assert (adjacency.transposed @ np.zeros(0)).shape == (0,)


@given(matrices, st.data())
def test_rows_and_product_equal_a_double_loop_over_the_entries(
    matrix: Graph, data: st.DataObject
) -> None:
    n_blocks, entries = matrix
    numbers = st.integers(-9, 9).map(float)
    vector = data.draw(st.lists(numbers, min_size=n_blocks, max_size=n_blocks))
    adjacency = adjacency_of(n_blocks, entries)
    columns = [[c for c in range(n_blocks) if (r, c) in entries] for r in range(n_blocks)]
    rows = [[r for r in range(n_blocks) if (r, c) in entries] for c in range(n_blocks)]
    assert list(map(adjacency.row, range(n_blocks))) == columns
    assert list(map(adjacency.transposed.row, range(n_blocks))) == rows
    expected = [sum(vector[column] for column in row) for row in columns]
    assert (adjacency @ np.array(vector)).tolist() == expected
    transposed = [sum(vector[row] for row in column) for column in rows]
    assert (adjacency.transposed @ np.array(vector)).tolist() == transposed


@given(matrices)
def test_the_scipy_matrix_holds_a_one_at_each_entry(
    matrix: Graph,
) -> None:
    n_blocks, entries = matrix
    adjacency = adjacency_of(n_blocks, entries)
    expected = np.zeros((n_blocks, n_blocks))
    for row, column in entries:
        expected[row, column] = 1.0
    assert adjacency.to_scipy().toarray().tolist() == expected.tolist()
    assert adjacency.transposed.transposed.to_scipy().toarray().tolist() == expected.tolist()


def _scattered() -> tuple[int, Indices, Indices]:
    rng = np.random.default_rng(0)
    n_blocks = 100_000
    return n_blocks, *rng.integers(0, n_blocks, size=(2, 1_600_000))


def _all_in_one_row() -> tuple[int, Indices, Indices]:
    n_blocks = 1_600_000
    return n_blocks, np.full(n_blocks, 7), np.arange(n_blocks)


def _all_in_the_first_and_last_rows() -> tuple[int, Indices, Indices]:
    n_blocks = 800_000
    rows = np.repeat(np.array([0, n_blocks - 1]), n_blocks)
    return n_blocks, rows, np.tile(np.arange(n_blocks), 2)


@pytest.mark.parametrize(
    "entries", [_scattered(), _all_in_one_row(), _all_in_the_first_and_last_rows()]
)
def test_the_product_on_many_threads_equals_that_on_one_to_the_last_bit(
    entries: tuple[int, Indices, Indices], monkeypatch: pytest.MonkeyPatch
) -> None:
    n_threads: list[int] = []

    class Counted(concurrent.futures.ThreadPoolExecutor):
        def __init__(self, max_workers: int) -> None:
            n_threads.append(max_workers)
            super().__init__(max_workers)

    monkeypatch.setattr(concurrent.futures, "ThreadPoolExecutor", Counted)
    n_blocks, rows, columns = entries
    vector = np.random.default_rng(1).normal(size=n_blocks)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    expected = Adjacency.from_entries(rows, columns, n_blocks) @ vector
    assert n_threads == []
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    product = Adjacency.from_entries(rows, columns, n_blocks) @ vector
    assert n_threads == [3]
    assert np.array_equal(product, expected)


def test_a_small_product_starts_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrent.futures, "ThreadPoolExecutor", None)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert (adjacency_of(2, [(0, 1), (1, 0)]) @ np.array([3.0, 4.0])).tolist() == [4.0, 3.0]


def test_a_machine_that_does_not_know_its_cores_uses_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert (adjacency_of(2, [(1, 0)]) @ np.array([3.0, 4.0])).tolist() == [0.0, 3.0]


def test_two_matrices_make_one_of_the_entries_of_both_each_counted_once() -> None:
    both = adjacency_of(3, [(0, 2), (1, 2)]) | adjacency_of(3, [(0, 1), (1, 2)])
    assert [both.row(block) for block in range(3)] == [[1, 2], [2], []]
    assert (both @ np.array([1.0, 10.0, 100.0])).tolist() == [110.0, 100.0, 0.0]


def test_two_matrices_are_left_as_they_were_by_making_one_of_them() -> None:
    first, second = adjacency_of(2, [(0, 1)]), adjacency_of(2, [(1, 0)])
    assert (first | second).n_blocks == 2
    assert [first.row(block) for block in range(2)] == [[1], []]
    assert [second.row(block) for block in range(2)] == [[], [0]]
    assert (adjacency_of(0, []) | adjacency_of(0, [])).n_blocks == 0


@given(matrices, st.data())
def test_the_entries_of_both_are_those_that_either_has(matrix: Graph, data: st.DataObject) -> None:
    n_blocks, entries = matrix
    others = data.draw(edges_among(n_blocks, loops=True, per_block=3))
    both = adjacency_of(n_blocks, entries) | adjacency_of(n_blocks, others).transposed
    flipped = [(column, row) for row, column in others]
    expected = adjacency_of(n_blocks, [*entries, *flipped])
    for block in range(n_blocks):
        columns = {c for r, c in [*entries, *flipped] if r == block}
        assert both.row(block) == sorted(columns)
    assert both.to_scipy().toarray().tolist() == expected.to_scipy().toarray().tolist()
    rows = range(n_blocks)
    assert [both.transposed.row(row) for row in rows] == [
        expected.transposed.row(row) for row in rows
    ]
