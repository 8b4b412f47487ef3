"""Aliases that name the axes of every array in the library."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

PerBlock: TypeAlias = NDArray[np.float64]  # (n_blocks,)
PerBlockCost: TypeAlias = NDArray[np.int64]  # (n_blocks,), in tokens
PerBlockFlag: TypeAlias = NDArray[np.bool_]  # (n_blocks,)
PerBlockIndex: TypeAlias = NDArray[np.int64]  # (n_blocks,)
Indices: TypeAlias = NDArray[np.int64]  # (n_chosen,), positions of blocks

Embedding: TypeAlias = NDArray[np.floating[Any]]  # (n_dimensions,)
DenseRows: TypeAlias = NDArray[np.floating[Any]]  # (n_texts, n_dimensions)
SparseRows: TypeAlias = sparse.csr_array  # (n_texts, n_dimensions)
EmbeddingRows: TypeAlias = DenseRows | SparseRows
