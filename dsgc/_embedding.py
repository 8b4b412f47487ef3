"""Asking an encoder for embeddings, and refusing those that cannot be ranked."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dsgc._arrays import Embedding, EmbeddingRows, PerBlock
from dsgc._columns import DistinctTexts
from dsgc._encoding import Encoder
from dsgc._fitted import FittedLexicalEncoder
from dsgc._relevance import similarities
from dsgc.errors import EncodingError, InputTypeError

# Rounding of a unit row in half precision stays below this; an unnormalised row hardly does.
_LONGEST = 1.0 + 1e-2
_ROWS_LOOKED_AT = 64


def similarity_to_query(distinct: DistinctTexts, query: str, encoder: Encoder | None) -> PerBlock:
    """Return the similarity of each distinct text to the query.

    Without an encoder, a lexical one is fitted on the texts.
    """
    texts, owners, _ = distinct
    if not texts:
        return np.zeros(0)
    if encoder is None:
        encoder, rows = FittedLexicalEncoder.fit_encode(texts)
    elif isinstance(encoder, Encoder) and not isinstance(encoder, str | type):
        rows = _as_rows(encoder.encode(texts), owners)
        _check_lengths(rows, owners)
    else:
        raise InputTypeError(
            f"encoder is of the type {type(encoder).__name__}, without a method encode(texts). "
            "Give an encoder such as LexicalEncoder(), or None."
        )
    similarity = similarities(rows, _query_embedding(encoder, query, rows.shape[1]))
    _check_similarity(similarity, owners)
    return similarity


def _query_embedding(encoder: Encoder, query: str, n_dimensions: int) -> Embedding:
    row = _as_rows(encoder.encode([query]), ["the query"])
    embedding: Embedding = row[0] if isinstance(row, np.ndarray) else row.toarray()[0]
    if embedding.size != n_dimensions:
        raise EncodingError(
            f"the query was encoded in {embedding.size} dimensions, but the blocks in "
            f"{n_dimensions}. Encode both with the same model."
        )
    if not np.isfinite(embedding).all():
        raise EncodingError(
            "the embedding of the query holds NaN or infinite values. Check the encoder."
        )
    return embedding


def _as_rows(encoded: object, owners: Sequence[str]) -> EmbeddingRows:
    if sparse.issparse(encoded):
        rows: EmbeddingRows = sparse.csr_array(encoded)
    else:
        try:
            rows = np.asarray(encoded)
        except ValueError:  # rows of different lengths
            raise _ragged(encoded, owners) from None
        if rows.dtype not in (np.float32, np.float64):
            rows = _as_floats(rows, encoded, owners)
    if rows.ndim != 2 or rows.shape[0] != len(owners):
        raise EncodingError(
            f"the encoder returned the shape {rows.shape} for {len(owners)} texts. It must return "
            f"one row for each: ({len(owners)}, n_dimensions)."
        )
    return rows


def _as_floats(rows: NDArray[Any], encoded: object, owners: Sequence[str]) -> NDArray[np.float64]:
    try:
        # Objects may be numbers, which only a try can tell; complex numbers are not cast.
        return rows.astype(np.float64, casting="unsafe" if rows.dtype == object else "same_kind")
    except (TypeError, ValueError):
        raise _ragged(encoded, owners) from None


def _ragged(encoded: object, owners: Sequence[str]) -> EncodingError:
    lengths = [np.size(row) for row in encoded] if isinstance(encoded, Iterable) else []
    usual = max(set(lengths), key=lengths.count) if lengths else 0
    for owner, length in zip(owners, lengths, strict=False):
        if length != usual:
            return EncodingError(
                f"the embedding of block {owner!r} has {length} dimensions, the others have "
                f"{usual}. Encode all blocks with the same model.",
                owner,
            )
    return EncodingError(
        f"the encoder returned a {type(encoded).__name__} that is no array of numbers. It must "
        "return shape (n_texts, n_dimensions)."
    )


def _check_lengths(rows: EmbeddingRows, owners: Sequence[str]) -> None:
    """Look at some rows, evenly spread: who does not normalise one row normalises none."""
    step = max(len(owners) // _ROWS_LOOKED_AT, 1)
    with np.errstate(over="ignore"):
        length = np.sqrt((rows[::step] ** 2).sum(axis=1))
    length = np.where(np.isfinite(length), length, 0.0)  # the similarities show what is not finite
    if (length > _LONGEST).any():
        worst = int(np.argmax(length))
        owner = owners[worst * step]
        raise EncodingError(
            f"the embedding of block {owner!r} has the length {length[worst]:.3g}, more than 1. "
            "Let the encoder L2-normalise its rows.",
            owner,
        )


def _check_similarity(similarity: PerBlock, owners: Sequence[str]) -> None:
    # The embeddings were read once to get here; a bad one shows in its similarity, so it costs
    # nothing to look for it there.
    if (np.abs(similarity) <= _LONGEST).all():
        return
    not_finite = np.flatnonzero(~np.isfinite(similarity))
    if not_finite.size:
        owner = owners[not_finite[0]]
        raise EncodingError(
            f"the embedding of block {owner!r} holds NaN or infinite values. Check the encoder, "
            "or leave that block out.",
            owner,
        )
    worst = int(np.argmax(np.abs(similarity)))
    raise EncodingError(
        f"the similarity of block {owners[worst]!r} to the query is {similarity[worst]:.3g}: its "
        "embedding, or the query's, is longer than 1. Let the encoder L2-normalise its rows.",
        owners[worst],
    )
