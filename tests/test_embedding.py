"""What an encoder returns: what is used, and what is refused with the block it belongs to."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from dsgc import Block, Encoder, LexicalEncoder, Retention, retain
from dsgc.errors import EncodingError, InputTypeError

BLOCKS = [Block("first", "one", 1), Block("second", "two", 1), Block("third", "three", 1)]
QUERY = np.array([[1.0, 0.0, 0.0]])
ROWS = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
NOT_FINITE = [math.nan, math.inf, -math.inf]


class Given:
    """An encoder that returns what it was given: one thing for the blocks, one for the query."""

    def __init__(self, of_blocks: object, of_query: object = QUERY) -> None:
        self._of_blocks = of_blocks
        self._of_query = of_query

    def encode(self, texts: Sequence[str]) -> Any:
        return self._of_query if list(texts) == ["query"] else self._of_blocks


def retain_by(of_blocks: object, of_query: object = QUERY) -> Retention:
    return retain(BLOCKS, "query", 2, encoder=Given(of_blocks, of_query))


def similarities_by(of_blocks: object, of_query: object = QUERY) -> list[float]:
    return [record.similarity for record in retain_by(of_blocks, of_query).records]


def changed(row: int, column: int, value: float) -> Any:
    rows = ROWS.copy()
    rows[row, column] = value
    return rows


@pytest.mark.parametrize(
    "shape",
    [
        np.asarray,
        lambda rows: rows.astype(np.float32),
        np.asfortranarray,
        lambda rows: rows.tolist(),
        list,
        tuple,
        sparse.csr_array,
        sparse.csc_array,
        sparse.coo_array,
        sparse.csr_matrix,
    ],
    ids=["float64", "float32", "fortran", "lists", "list", "tuple", "csr", "csc", "coo", "matrix"],
)
def test_rows_may_come_in_any_of_these_shapes(shape: Callable[[Any], object]) -> None:
    retention = retain_by(shape(ROWS), shape(QUERY))
    similarity = [record.similarity for record in retention.records]
    assert similarity == pytest.approx([1.0, 0.6, 0.0], abs=1e-7)
    assert retention.kept_ids == ("first", "second")


def test_rows_of_half_precision_and_of_whole_numbers_are_used() -> None:
    assert similarities_by(ROWS.astype(np.float16)) == pytest.approx([1.0, 0.6, 0.0], abs=1e-3)
    assert similarities_by(np.eye(3, dtype=np.int8), [[1, 0, 0]]) == [1.0, 0.0, 0.0]


def test_rows_are_not_changed_by_retain() -> None:
    rows, query = ROWS.copy(), QUERY.copy()
    retain_by(rows, query)
    assert (rows == ROWS).all()
    assert (query == QUERY).all()


@pytest.mark.parametrize("shape", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_zero_row_has_similarity_zero_and_is_no_error(shape: Callable[[Any], object]) -> None:
    rows = ROWS.copy()
    rows[1] = 0.0
    retention = retain_by(shape(rows))
    assert [record.similarity for record in retention.records] == [1.0, 0.0, 0.0]
    assert retention.kept_ids == ("first", "second")


@pytest.mark.parametrize("shape", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_query_that_says_nothing_is_like_no_block(shape: Callable[[Any], object]) -> None:
    retention = retain_by(shape(ROWS), shape(np.zeros((1, 3))))
    assert [record.similarity for record in retention.records] == [0.0, 0.0, 0.0]
    assert [record.relevance for record in retention.records] == pytest.approx([1 / 3] * 3)
    assert retention.kept_ids == ("first", "second")


def test_embeddings_without_dimensions_say_nothing() -> None:
    assert similarities_by(np.zeros((3, 0)), np.zeros((1, 0))) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("column", [0, 1], ids=["where the query is", "where the query is zero"])
@pytest.mark.parametrize("shape", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_an_embedding_with_a_number_that_is_none_is_refused_with_its_block(
    shape: Callable[[Any], object], column: int, value: float
) -> None:
    with pytest.raises(
        EncodingError, match="embedding of block 'second' holds NaN or infinite values"
    ) as caught:
        retain_by(shape(changed(1, column, value)))
    assert caught.value.block_id == "second"


def test_the_first_of_several_bad_embeddings_is_named() -> None:
    rows = changed(2, 0, math.inf)
    rows[1, 1] = math.nan
    with pytest.raises(EncodingError, match="block 'second' holds NaN") as caught:
        retain_by(rows)
    assert caught.value.block_id == "second"


def test_a_bad_embedding_of_a_recurring_text_is_named_by_the_first_block_with_it() -> None:
    blocks = [Block("a", "fine"), Block("b", "bad"), Block("c", "bad")]
    rows = np.array([[1.0, 0.0, 0.0], [math.nan, 0.0, 0.0]])
    with pytest.raises(EncodingError, match="block 'b' holds NaN") as caught:
        retain(blocks, "query", 2, encoder=Given(rows))
    assert caught.value.block_id == "b"


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("shape", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_bad_embedding_of_the_query_is_blamed_on_the_query(
    shape: Callable[[Any], object], value: float
) -> None:
    with pytest.raises(
        EncodingError, match="the embedding of the query holds NaN or infinite values"
    ) as caught:
        retain_by(shape(ROWS), shape(np.array([[value, 0.0, 0.0]])))
    assert caught.value.block_id is None


def rows_of(*lengths: int) -> list[Any]:
    return [np.full(length, length**-0.5) for length in lengths]


def in_one_object_array(rows: list[Any]) -> Any:
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array


@pytest.mark.parametrize(
    "shape", [list, tuple, in_one_object_array], ids=["list", "tuple", "array"]
)
def test_a_row_of_768_among_rows_of_384_is_refused_with_its_block(
    shape: Callable[[list[Any]], object],
) -> None:
    with pytest.raises(
        EncodingError, match="embedding of block 'second' has 768 dimensions, the others have 384"
    ) as caught:
        retain_by(shape(rows_of(384, 768, 384)), rows_of(384))
    assert caught.value.block_id == "second"


@pytest.mark.parametrize(
    ("of_blocks", "shown"),
    [
        (ROWS[:2], r"\(2, 3\) for 3 texts. It must return one row for each: \(3, n_dimensions\)"),
        (np.vstack([ROWS, ROWS]), r"\(6, 3\) for 3 texts"),
        (sparse.csr_array(ROWS[:2]), r"\(2, 3\) for 3 texts"),
        (np.zeros((0, 3)), r"\(0, 3\) for 3 texts"),
        ([], r"\(0,\) for 3 texts"),
        (ROWS[0], r"\(3,\) for 3 texts"),
        (np.zeros((3, 3, 3)), r"\(3, 3, 3\) for 3 texts"),
        (0.5, r"\(\) for 3 texts"),
        (None, r"\(\) for 3 texts"),
    ],
    ids=["too few", "too many", "too few, sparse", "none", "[]", "flat", "cube", "number", "None"],
)
def test_a_wrong_number_of_rows_is_refused_with_both_numbers(of_blocks: object, shown: str) -> None:
    with pytest.raises(EncodingError, match=f"the encoder returned the shape {shown}") as caught:
        retain_by(of_blocks)
    assert caught.value.block_id is None


def test_rows_that_hold_no_numbers_are_refused() -> None:
    with pytest.raises(EncodingError, match="a list that is no array of numbers"):
        retain_by([["a", "b", "c"]] * 3)


@pytest.mark.parametrize("shape", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_query_of_another_dimension_is_refused_with_both_numbers(
    shape: Callable[[Any], object],
) -> None:
    with pytest.raises(
        EncodingError, match="query was encoded in 2 dimensions, but the blocks in 3"
    ) as caught:
        retain_by(shape(ROWS), shape(np.array([[1.0, 0.0]])))
    assert caught.value.block_id is None


@pytest.mark.parametrize(
    ("of_query", "shown"), [(QUERY[0], r"\(3,\)"), (np.vstack([QUERY, QUERY]), r"\(2, 3\)")]
)
def test_the_query_is_one_row(of_query: object, shown: str) -> None:
    with pytest.raises(EncodingError, match=f"the shape {shown} for 1 texts"):
        retain_by(ROWS, of_query)


@pytest.mark.parametrize(("length", "shown"), [(2.0, "2"), (-40.0, "40"), (1.02, "1.02")])
@pytest.mark.parametrize("direction", [QUERY, ROWS[1]], ids=["query", "other"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_row_longer_than_one_is_refused_with_its_block(
    length: float, shown: str, direction: NDArray[np.float64], kind: Any
) -> None:
    with pytest.raises(
        EncodingError,
        match=rf"block 'third' has the length {shown}, more than 1\. Let .* L2-normalise",
    ) as caught:
        retain_by(kind(np.vstack([ROWS[:2], length * direction])))
    assert caught.value.block_id == "third"


def test_a_query_longer_than_one_is_refused() -> None:
    with pytest.raises(
        EncodingError, match="block 'first' to the query is 3: its embedding, or the query's"
    ):
        retain_by(ROWS, 3.0 * QUERY)


def test_a_row_that_rounding_made_a_little_longer_than_one_is_used() -> None:
    assert similarities_by(ROWS * 1.0005)[0] == pytest.approx(1.0005)


@pytest.mark.parametrize(
    ("encoder", "name"), [(object(), "object"), (len, "builtin_function_or_method"), ("m", "str")]
)
def test_an_encoder_that_cannot_encode_is_refused(encoder: Any, name: str) -> None:
    with pytest.raises(
        InputTypeError, match=rf"encoder is of the type {name}, without a method encode\(texts\)"
    ):
        retain(BLOCKS, "query", 2, encoder=encoder)


@pytest.mark.parametrize(("query", "name"), [(5, "int"), (None, "NoneType"), (["x"], "list")])
def test_a_query_that_is_no_string_is_refused(query: Any, name: str) -> None:
    with pytest.raises(InputTypeError, match=rf"query is of the type {name}\. Say in words"):
        retain(BLOCKS, query, 2)


@pytest.mark.parametrize("encoder", [None, LexicalEncoder()], ids=["fitted", "lexical"])
@pytest.mark.parametrize("query", ["", " ", "?!", "\ud800"])
def test_an_empty_query_keeps_the_first_blocks_that_fit(
    query: str, encoder: Encoder | None
) -> None:
    retention = retain(BLOCKS, query, 2, encoder=encoder)
    assert retention.kept_ids == ("first", "second")
    assert [record.similarity for record in retention.records] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("encoder", [None, LexicalEncoder()], ids=["fitted", "lexical"])
def test_an_empty_text_has_similarity_zero(encoder: Encoder | None) -> None:
    blocks = [Block("empty", ""), Block("dots", "..."), Block("rule", "delete")]
    retention = retain(blocks, "delete", 1, encoder=encoder)
    assert retention.kept_ids == ("rule",)
    assert [record.similarity for record in retention.records] == [0.0, 0.0, pytest.approx(1.0)]


@pytest.mark.parametrize("encoder", [None, LexicalEncoder()], ids=["fitted", "lexical"])
def test_blocks_that_all_say_nothing_are_kept_in_order(encoder: Encoder | None) -> None:
    blocks = [Block("a", ""), Block("b", "..."), Block("c", "")]
    assert retain(blocks, "", 2, encoder=encoder).kept_ids == ("a", "b")


def test_an_empty_store_never_reaches_the_encoder() -> None:
    retention = retain([], "query", 5, encoder=Given(None, None))
    assert (retention.kept, retention.evicted, retention.used) == ((), (), 0)
    assert list(retention.records) == []
