"""Which block is tied to which, as rows of a sparse matrix."""

import os
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy import sparse

from dsgc._arrays import Indices, PerBlock


class Adjacency:
    """A square matrix of zeros and ones in compressed rows: `indices[indptr[i]:indptr[i + 1]]`.

    The product with a vector runs on all cores once the matrix is large, and is equal to the last
    bit whatever their number.
    """

    def __init__(self, matrix: sparse.csr_array) -> None:
        self.n_blocks: int = matrix.shape[0]
        self.indptr: Indices = matrix.indptr
        self.indices: Indices = matrix.indices
        n_parts = max(1, min(os.cpu_count() or 1, matrix.nnz // _ENTRIES_WORTH_A_THREAD))
        cuts = np.searchsorted(matrix.indptr, np.linspace(0, matrix.nnz, n_parts + 1))
        cuts[0], cuts[-1] = 0, self.n_blocks
        self._parts = [matrix] if n_parts == 1 else [matrix[a:b] for a, b in pairwise(cuts)]

    @classmethod
    def from_entries(cls, rows: Indices, columns: Indices, n_blocks: int) -> "Adjacency":
        """Set the entries at `rows` and `columns`; one that is given twice counts once."""
        ones = np.ones(rows.size)
        matrix = sparse.csr_array((ones, (rows, columns)), shape=(n_blocks, n_blocks))
        matrix.data[:] = 1.0  # scipy adds up what is given twice
        return cls(matrix)

    @cached_property
    def transposed(self) -> "Adjacency":
        """The same entries with rows and columns exchanged."""
        return Adjacency(self.to_scipy().T.tocsr())

    @cached_property
    def condensed(self) -> tuple[Indices, Indices]:
        """The strongly connected group of each block, and one group that each group leads to.

        The last entry stands for no group at all, and leads to itself.
        """
        from scipy.sparse import csgraph  # it loads all of scipy.linalg

        n_groups, group = csgraph.connected_components(self.to_scipy(), connection="strong")
        leads_to = np.full(n_groups + 1, n_groups)
        start = np.repeat(group, np.diff(self.indptr))
        end = group[self.indices]
        is_between = start != end
        leads_to[start[is_between]] = end[is_between]
        return group, leads_to

    def to_scipy(self) -> sparse.csr_array:
        entries = np.ones(self.indices.size), self.indices, self.indptr
        return sparse.csr_array(entries, shape=(self.n_blocks, self.n_blocks))

    def __or__(self, other: "Adjacency") -> "Adjacency":
        """Return the entries of both."""
        return Adjacency((self.to_scipy() + other.to_scipy()).tocsr().sign())

    def row(self, block: int) -> list[int]:
        """Return the columns of one row, ascending."""
        columns: list[int] = self.indices[self.indptr[block] : self.indptr[block + 1]].tolist()
        return columns

    def __matmul__(self, vector: PerBlock) -> PerBlock:
        if len(self._parts) == 1:
            return np.asarray(self._parts[0] @ vector)
        from concurrent.futures import ThreadPoolExecutor  # most memories never need it

        # scipy gives up the interpreter lock inside the product; one thread sums each row.
        with ThreadPoolExecutor(len(self._parts)) as threads:
            return np.concatenate(list(threads.map(lambda part: part @ vector, self._parts)))


_ENTRIES_WORTH_A_THREAD = 500_000
