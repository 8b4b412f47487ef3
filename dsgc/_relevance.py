"""Kernels: how close each block is to the query, and its share of the attention."""

import numpy as np
from scipy import sparse

from dsgc._arrays import Embedding, EmbeddingRows, PerBlock, PerBlockFlag
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


def softmax(
    similarity: PerBlock, temperature: float, competing: PerBlockFlag | None = None
) -> PerBlock:
    """Return `r = softmax(s / tau)`, on the grid of `on_grid`.

    Where only some blocks are `competing`, they share out 1 among themselves; the others get what
    they would on that scale, at most 1.
    """
    rivals = similarity if competing is None else similarity[competing]
    if not rivals.size:
        return np.zeros(similarity.size)
    relevance: PerBlock = similarity - rivals.max()
    with np.errstate(over="ignore"):
        relevance /= temperature
        np.exp(relevance, out=relevance)
    if competing is None:
        relevance /= relevance.sum()
    else:
        relevance = np.minimum(relevance / relevance[competing].sum(), 1.0)
    return on_grid(relevance)
