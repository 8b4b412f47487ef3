"""Made-up memories: the same seed gives the same blocks, embeddings and edges."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from dsgc import Block, PrerequisiteGraph
from dsgc._arrays import DenseRows, Embedding, Indices

QUERY = "May the encrypted backup be deleted?"
N_DIMENSIONS = 384
N_WORDS = 5_000  # in the vocabulary; the word of rank k is drawn in proportion to 1 / k


class ReadyEmbeddings:
    """An encoder that has the embeddings of one memory at hand, as a store of vectors has."""

    def __init__(self, rows: DenseRows, query: Embedding) -> None:
        self.rows, self.query = rows, query

    def encode(self, texts: Sequence[str]) -> DenseRows:
        """Return what is known of the query, or of all blocks."""
        return self.query[np.newaxis] if list(texts[:2]) == [QUERY] else self.rows


@dataclass(frozen=True)
class Store:
    """A memory with embeddings, and one edge for each block."""

    blocks: tuple[Block, ...]
    costs: Sequence[int]
    edges: Sequence[tuple[str, str]]
    graph: PrerequisiteGraph
    encoder: ReadyEmbeddings

    @property
    def uncounted(self) -> tuple[Block, ...]:
        """The same blocks without a cost of their own, so that their words must be counted."""
        return tuple(Block(block.id, block.text) for block in self.blocks)


@cache
def store(n_blocks: int) -> Store:
    """Return a memory of blocks of 10 to 30 words, each with one prerequisite before it."""
    random = np.random.default_rng(n_blocks)
    costs = random.integers(10, 31, n_blocks)
    ids = [f"block-{position}" for position in range(n_blocks)]
    written = zip(ids, texts(costs, random), costs.tolist(), strict=True)
    blocks = tuple(Block(block_id, text, cost) for block_id, text, cost in written)
    before = (random.random(n_blocks) * np.arange(n_blocks)).astype(int).tolist()
    edges = [(ids[position], ids[before[position]]) for position in range(1, n_blocks)]
    encoder = ReadyEmbeddings(unit_rows(n_blocks, random), unit_rows(1, random)[0])
    graph = PrerequisiteGraph.from_edges(edges)
    return Store(blocks, costs.tolist(), edges, graph, encoder)


def texts(lengths: Indices, random: np.random.Generator) -> list[str]:
    """Return one text of so many words for each of `lengths`."""
    odds = 1.0 / np.arange(1, N_WORDS + 1)
    vocabulary = np.array([f"word{rank}" for rank in range(N_WORDS)])
    drawn = random.choice(vocabulary, size=int(lengths.sum()), p=odds / odds.sum())
    return [" ".join(words) for words in np.split(drawn, np.cumsum(lengths)[:-1])]


def unit_rows(n_rows: int, random: np.random.Generator) -> DenseRows:
    """Return random directions, shape `(n_rows, N_DIMENSIONS)`, in single precision."""
    rows = random.standard_normal((n_rows, N_DIMENSIONS), dtype=np.float32)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, np.newaxis]
    return rows
