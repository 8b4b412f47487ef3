"""Embeddings by text, each computed once."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dsgc.encoders._cache import EmbeddingCache


class CountingModel:
    """A model whose embedding of a text is its length and number of `a`, and that keeps count."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, texts: list[str]) -> NDArray[np.float32]:
        self.calls.append(texts)
        rows = [[3.0 * len(text), 4.0 * text.count("a")] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(-1, 2)


def unit(text: str) -> list[float]:
    row = np.array([3.0 * len(text), 4.0 * text.count("a")])
    return (row / max(float(np.linalg.norm(row)), 1e-30)).tolist()  # type: ignore[no-any-return]


def assert_rows_of(rows: NDArray[np.float32], texts: Sequence[str]) -> None:
    assert rows.shape == (len(texts), 2)
    assert rows.dtype == np.float32
    for row, text in zip(rows.tolist(), texts, strict=True):
        assert row == pytest.approx(unit(text), abs=1e-6)


def test_rows_are_normalised_and_in_the_order_of_the_texts() -> None:
    cache = EmbeddingCache(CountingModel(), 2)
    rows = cache.rows(["a", "bb", "aa"])
    assert rows.dtype == np.float32
    assert rows.tolist() == [pytest.approx([0.6, 0.8]), [1.0, 0.0], pytest.approx([0.6, 0.8])]


def test_a_row_of_zeros_stays_zero() -> None:
    assert EmbeddingCache(CountingModel(), 2).rows(["", "b"]).tolist() == [[0.0, 0.0], [1.0, 0.0]]


def test_only_texts_not_seen_before_are_computed() -> None:
    model = CountingModel()
    cache = EmbeddingCache(model, 2)
    cache.rows(["b", "a", "b"])
    cache.rows(["c", "a"])
    cache.rows(["a", "b", "c", "c"])
    assert model.calls == [["a", "b"], ["c"]]
    assert len(cache) == 3


def test_the_model_is_asked_in_one_order_whatever_that_of_the_texts() -> None:
    first, second = CountingModel(), CountingModel()
    EmbeddingCache(first, 2).rows(["c", "a", "b"])
    EmbeddingCache(second, 2).rows(["b", "c", "a", "a"])
    assert first.calls == second.calls == [["a", "b", "c"]]


def test_no_texts_give_no_rows_and_no_call() -> None:
    model = CountingModel()
    cache = EmbeddingCache(model, 2)
    assert cache.rows([]).shape == (0, 2)
    cache.rows(["a"])
    assert cache.rows([]).shape == (0, 2)
    assert model.calls == [["a"]]


@given(st.lists(st.lists(st.text("ab", max_size=4), max_size=6), max_size=8))
def test_rows_stay_right_while_the_cache_grows(batches: list[list[str]]) -> None:
    model = CountingModel()
    cache = EmbeddingCache(model, 2)
    for texts in batches:
        assert_rows_of(cache.rows(texts), texts)
    computed = [text for call in model.calls for text in call]
    assert len(computed) == len(set(computed)) == len(cache)
    assert set(computed) == {text for texts in batches for text in texts}


def test_what_the_caller_does_to_the_rows_does_not_reach_the_cache() -> None:
    cache = EmbeddingCache(CountingModel(), 2)
    cache.rows(["b"])[:] = 7.0
    assert cache.rows(["b"]).tolist() == [[1.0, 0.0]]


def test_lone_surrogates_never_reach_the_model() -> None:
    model = CountingModel()
    rows = EmbeddingCache(model, 2).rows(["b\ud800", "备份"])
    assert [text.encode("utf-8").decode("utf-8") for text in model.calls[0]] == ["b?", "备份"]
    assert_rows_of(rows, ["b?", "备份"])


def test_a_model_that_fails_leaves_the_cache_as_it_was() -> None:
    model = CountingModel()

    def fail_on_c(texts: list[str]) -> NDArray[np.float32]:
        if "c" in texts:
            raise RuntimeError("out of memory")
        return model(texts)

    cache = EmbeddingCache(fail_on_c, 2)
    cache.rows(["a"])
    with pytest.raises(RuntimeError, match="out of memory"):
        cache.rows(["b", "c"])
    assert len(cache) == 1
    assert_rows_of(cache.rows(["b", "a"]), ["b", "a"])


def test_threads_that_ask_for_one_text_compute_it_once() -> None:
    model = CountingModel()

    def slow(texts: list[str]) -> NDArray[np.float32]:
        sleep(0.01)
        return model(texts)

    cache = EmbeddingCache(slow, 2)
    asked = [[f"{'a' * (n % 5)}b", "shared"] for n in range(40)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(cache.rows, asked))
    computed = [text for call in model.calls for text in call]
    assert sorted(computed) == sorted({text for texts in asked for text in texts})
    for texts, rows in zip(asked, answers, strict=True):
        assert_rows_of(rows, texts)
