"""Similarity and softmax."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from dsgc._arrays import DenseRows, EmbeddingRows, PerBlockFlag
from dsgc._relevance import similarities, softmax
from tests import oracle
from tests.strategies import close_numbers, lists_of

GRID = 2.0**-52
UNIT = st.floats(-1, 1)
SIMILARITIES = st.lists(UNIT, max_size=12) | st.lists(close_numbers, max_size=12)
TEMPERATURES = st.sampled_from([1e-300, 1e-10, 0.01, 0.25, 1.0, 1e3]) | st.floats(1e-3, 10)


@st.composite
def embeddings(draw: st.DrawFn) -> tuple[list[list[float]], list[float]]:
    n_dimensions = draw(st.integers(1, 5))
    row = st.lists(UNIT, min_size=n_dimensions, max_size=n_dimensions)
    return draw(st.lists(row, max_size=6)), draw(row)


def rows_of(values: list[list[float]], n_dimensions: int) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64).reshape(-1, n_dimensions)


def test_similarity_is_the_inner_product() -> None:
    rows = np.array([[1.0, 0.0], [0.5, -0.5], [0.0, 0.0]])
    assert similarities(rows, np.array([0.25, 0.75])).tolist() == [0.25, -0.25, 0.0]


@given(embeddings())
def test_similarity_equals_its_oracle_for_dense_and_sparse_rows(
    given_rows: tuple[list[list[float]], list[float]],
) -> None:
    values, query = given_rows
    rows = rows_of(values, len(query))
    expected = pytest.approx(oracle.similarities(values, query), rel=1e-12, abs=1e-12)
    assert similarities(rows, np.array(query)).tolist() == expected
    assert similarities(sparse.csr_array(rows), np.array(query)).tolist() == expected


def test_no_rows_have_no_similarities() -> None:
    dense = similarities(np.zeros((0, 3)), np.ones(3))
    assert dense.shape == (0,)
    assert dense.dtype == np.float64
    assert similarities(sparse.csr_array((0, 3)), np.ones(3)).shape == (0,)


def test_single_precision_rows_get_similarities_in_double_precision() -> None:
    rows = np.array([[0.5, 0.25]], dtype=np.float32)
    for given_rows in (rows, sparse.csr_array(rows)):
        similarity = similarities(given_rows, np.array([0.5, 1.0], dtype=np.float32))
        assert similarity.dtype == np.float64
        assert similarity.tolist() == [0.5]


# numpy buffers 8,192 numbers at a time.
@pytest.mark.parametrize("n_dimensions", [1, 3, 7, 384, 1021, 5000, 8192, 9000])
@pytest.mark.parametrize("rows_type", [np.float32, np.float64])
@pytest.mark.parametrize("query_type", [np.float32, np.float64])
def test_equal_rows_get_equal_similarity_wherever_they_stand(
    n_dimensions: int, rows_type: type[np.floating], query_type: type[np.floating]
) -> None:
    rng = np.random.default_rng(n_dimensions)
    distinct = rng.normal(size=(5, n_dimensions)).astype(rows_type)
    query = rng.normal(size=n_dimensions).astype(query_type)
    alone = [float(similarities(row[np.newaxis], query)[0]) for row in distinct]
    assert similarities(np.tile(distinct, (9, 1)), query).tolist() == alone * 9


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(st.permutations(range(11)), st.integers(0, 99))
def test_permuting_rows_permutes_similarities_to_the_last_bit(
    form: Callable[[DenseRows], EmbeddingRows], permutation: list[int], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows, query = rng.normal(size=(11, 67)), rng.normal(size=67)
    expected = similarities(form(rows), query)[permutation]
    assert similarities(form(rows[permutation]), query).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "view", [np.asfortranarray, lambda rows: np.repeat(rows, 2, axis=1)[:, ::2]]
)
def test_similarity_does_not_depend_on_how_rows_lie_in_memory(
    view: Callable[[DenseRows], DenseRows],
) -> None:
    rng = np.random.default_rng(0)
    rows, query = rng.normal(size=(50, 103)), rng.normal(size=103)
    expected = similarities(rows, query).tolist()
    assert similarities(view(rows), query).tolist() == expected
    assert similarities(view(rows), np.repeat(query, 2)[::2]).tolist() == expected


def test_softmax_at_the_papers_temperature() -> None:
    relevance = softmax(np.array([0.0, 0.25 * np.log(3)]), 0.25)
    assert relevance.tolist() == pytest.approx([0.25, 0.75], abs=2 * GRID)


@given(SIMILARITIES, TEMPERATURES)
def test_softmax_equals_its_oracle(similarity: list[float], temperature: float) -> None:
    expected = oracle.softmax(similarity, temperature)
    relevance = softmax(np.array(similarity), temperature).tolist()
    assert relevance == pytest.approx(expected, rel=0, abs=1e-14)


@given(SIMILARITIES.filter(bool), TEMPERATURES)
def test_relevance_adds_up_to_one(similarity: list[float], temperature: float) -> None:
    assert abs(sum(softmax(np.array(similarity), temperature)) - 1) <= len(similarity) * GRID


@given(SIMILARITIES, TEMPERATURES)
def test_relevance_follows_similarity_to_one_step_of_its_grid(
    similarity: list[float], temperature: float
) -> None:
    relevance = softmax(np.array(similarity), temperature)
    in_order = relevance[np.argsort(similarity)]
    assert (np.diff(in_order) >= -GRID).all()


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3]), max_size=40), TEMPERATURES)
def test_equal_similarities_get_equal_relevance(
    similarity: list[float], temperature: float
) -> None:
    relevance = softmax(np.array(similarity), temperature).tolist()
    assert len(set(zip(similarity, relevance, strict=True))) == len(set(similarity))


@given(st.integers(0, 999), st.sampled_from([1e-3, 0.25, 10.0]))
def test_relevance_can_be_added_in_any_order_without_rounding(
    seed: int, temperature: float
) -> None:
    rng = np.random.default_rng(seed)
    relevance = softmax(rng.uniform(-1, 1, size=300), temperature)
    assert (relevance / GRID % 1 == 0).all()
    forwards, backwards = np.cumsum(relevance)[-1], np.cumsum(relevance[::-1])[-1]
    assert forwards == backwards == np.cumsum(rng.permutation(relevance))[-1]


@given(st.integers(0, 999))
def test_permuting_blocks_permutes_relevance_to_one_step_of_its_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    similarity, permutation = rng.uniform(-1, 1, size=500), rng.permutation(500)
    permuted = softmax(similarity[permutation], 0.25)
    assert np.abs(permuted - softmax(similarity, 0.25)[permutation]).max() <= GRID


@pytest.mark.parametrize("temperature", [1e-300, 5e-324])
def test_a_temperature_near_zero_leaves_only_the_most_similar(temperature: float) -> None:
    similarity = np.array([0.1, 0.2, -1.0, 0.2, np.nextafter(0.2, 0)])
    assert softmax(similarity, temperature).tolist() == [0.0, 0.5, 0.0, 0.5, 0.0]


def test_a_very_high_temperature_makes_all_blocks_equal() -> None:
    assert softmax(np.array([-1.0, 0.0, 0.5, 1.0]), 1e300).tolist() == [0.25] * 4


@pytest.mark.parametrize("similarity", [-1.0, 0.0, 0.3, 1.0])
def test_a_single_block_has_all_relevance(similarity: float) -> None:
    assert softmax(np.array([similarity]), 0.25).tolist() == [1.0]


def test_no_blocks_have_no_relevance() -> None:
    assert softmax(np.zeros(0), 0.25).shape == (0,)


def test_softmax_leaves_its_input_as_it_was() -> None:
    similarity = np.array([0.1, 0.9])
    softmax(similarity, 0.25)
    assert similarity.tolist() == [0.1, 0.9]


def flags(*values: bool) -> PerBlockFlag:
    return np.array(values, dtype=np.bool_)


def test_only_what_competes_shares_out_relevance_and_the_rest_is_on_its_scale() -> None:
    similarity = np.array([0.0, 0.25 * np.log(3), 0.25 * np.log(2), 0.25 * np.log(9)])
    relevance = softmax(similarity, 0.25, flags(True, True, False, False))
    assert relevance.tolist() == pytest.approx([0.25, 0.75, 0.5, 1.0], abs=2 * GRID)


@given(SIMILARITIES, TEMPERATURES)
def test_where_all_compete_relevance_is_what_it_is_without_saying_so(
    similarity: list[float], temperature: float
) -> None:
    everyone = np.ones(len(similarity), dtype=np.bool_)
    competing = softmax(np.array(similarity), temperature, everyone)
    assert competing.tolist() == softmax(np.array(similarity), temperature).tolist()


@given(SIMILARITIES, TEMPERATURES, st.data())
def test_relevance_among_some_is_what_they_have_alone_and_at_most_one_for_others(
    similarity: list[float], temperature: float, data: st.DataObject
) -> None:
    chosen = data.draw(lists_of(st.booleans(), len(similarity)))
    relevance = softmax(np.array(similarity), temperature, np.array(chosen, dtype=np.bool_))
    rivals = [own for own, competes in zip(similarity, chosen, strict=True) if competes]
    alone = softmax(np.array(rivals), temperature).tolist()
    assert relevance[np.array(chosen, dtype=np.bool_)].tolist() == alone
    expected = oracle.softmax(rivals, temperature)
    best = max(rivals, default=0.0)
    for own, competes, value in zip(similarity, chosen, relevance.tolist(), strict=True):
        if competes:
            continue
        if not rivals:
            assert value == 0.0
        elif own >= best:
            assert value == pytest.approx(at_most_one(own - best, temperature, max(expected)))
        else:
            scale = max(expected)
            assert value == pytest.approx(scale * math.exp((own - best) / temperature), abs=1e-14)


def at_most_one(ahead: float, temperature: float, scale: float) -> float:
    """Return `scale * exp(ahead / temperature)`, or 1 where that is more."""
    exponent = ahead / temperature
    return 1.0 if exponent > 700 else min(scale * math.exp(exponent), 1.0)


def test_where_none_competes_none_is_relevant() -> None:
    assert softmax(np.array([0.1, 0.9]), 0.25, flags(False, False)).tolist() == [0.0, 0.0]
    assert softmax(np.zeros(0), 0.25, flags()).shape == (0,)


@pytest.mark.parametrize("temperature", [1e-300, 5e-324])
def test_what_does_not_compete_and_is_far_ahead_has_a_relevance_of_one(temperature: float) -> None:
    relevance = softmax(
        np.array([0.1, 0.9, -1.0, 0.2]), temperature, flags(True, False, False, True)
    )
    assert relevance.tolist() == [0.0, 1.0, 0.0, 1.0]


def test_relevance_of_what_does_not_compete_is_on_the_grid_too() -> None:
    similarity = np.random.default_rng(0).uniform(-1, 1, size=300)
    relevance = softmax(similarity, 0.25, similarity < 0.5)
    assert (relevance / GRID % 1 == 0).all()
