"""Kernels: how close each block is to the query, and its share of the attention."""

import numpy as np
from scipy import sparse

from dsgc._arrays import Embedding, EmbeddingRows, PerBlock
from dsgc._grid import on_grid


def similarities(rows: EmbeddingRows, query: Embedding) -> PerBlock:
    """Return `s_i`, the inner product of each row with the query."""
    if sparse.issparse(rows):
        return np.asarray(rows @ query, dtype=np.float64)
    # einsum sums every row in the same order wherever it stands, which a BLAS product does not:
    # equal rows must get equal similarities, and moving a block must not change its own. It does so
    # only within its buffer, so wide rows are summed in parts.
    rows, query = np.ascontiguousarray(rows), np.ascontiguousarray(query)
    similarity = np.zeros(len(rows))
    for start in range(0, query.size, _WIDEST):
        part = slice(start, start + _WIDEST)
        similarity += np.einsum("ij,j->i", rows[:, part], query[part])
    return similarity


_WIDEST = 4096


def softmax(similarity: PerBlock, temperature: float) -> PerBlock:
    """Return `r = softmax(s / tau)`, on the grid of `on_grid`."""
    if not similarity.size:
        return np.zeros(0)
    relevance: PerBlock = similarity - similarity.max()
    with np.errstate(over="ignore"):
        relevance /= temperature
    np.exp(relevance, out=relevance)
    relevance /= relevance.sum()
    return on_grid(relevance)
