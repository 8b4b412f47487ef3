"""Kernels: how close each block is to the query, and its share of the attention."""

import numpy as np
from scipy import sparse

from dsgc._arrays import Embedding, EmbeddingRows, PerBlock


def similarities(rows: EmbeddingRows, query: Embedding) -> PerBlock:
    """Return `s_i`, the inner product of each row with the query."""
    if sparse.issparse(rows):
        return np.asarray(rows @ query, dtype=np.float64)
    # einsum sums every row in the same order wherever it stands, which a BLAS product does not:
    # equal rows must get equal similarities, and moving a block must not change its own.
    product = np.einsum("ij,j->i", np.ascontiguousarray(rows), np.ascontiguousarray(query))
    return np.asarray(product, dtype=np.float64)


def softmax(similarity: PerBlock, temperature: float) -> PerBlock:
    """Return `r = softmax(s / tau)`, rounded to multiples of `2**-52`."""
    if not similarity.size:
        return np.zeros(0)
    relevance: PerBlock = similarity - similarity.max()
    with np.errstate(over="ignore"):
        relevance /= temperature
    np.exp(relevance, out=relevance)
    # On this grid sums up to 2 are exact, so a support does not depend on the order in which the
    # dependents happen to stand.
    relevance *= _GRID / relevance.sum()
    np.rint(relevance, out=relevance)
    relevance *= 1.0 / _GRID
    return relevance


_GRID = 2.0**52
