"""Random memories for property tests."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from dsgc import Block, RetentionPolicy

WORDS = ("backup", "clearance", "bundle", "Alice", "delete", "the", "sprint", "M")


class Memory(NamedTuple):
    """Everything that `retain` is given but the policy."""

    blocks: list[Block]
    query: str
    budget: int
    edges: list[tuple[str, str]]


class GivenSimilarities:
    """An encoder of unit rows whose inner products with the query are given numbers."""

    def __init__(self, similarity: dict[str, float]) -> None:
        self._similarity = similarity

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        first = np.array([self._similarity.get(text, 1.0) for text in texts])
        return np.stack([first, np.sqrt(1.0 - first**2)], axis=1)


texts = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)


@st.composite
def memories(draw: st.DrawFn, max_blocks: int = 12, pins: bool = False) -> Memory:
    """Draw a memory with recurring texts, any graph (cycles included) and any budget."""
    n_blocks = draw(st.integers(0, max_blocks))
    blocks = [
        Block(
            f"b{position}",
            draw(texts),
            cost=draw(st.none() | st.integers(0, 6)),
            pinned=pins and draw(st.integers(0, 4)) == 0,
        )
        for position in range(n_blocks)
    ]
    edges = []
    if n_blocks > 1:
        ends = st.tuples(st.integers(0, n_blocks - 1), st.integers(0, n_blocks - 1))
        pairs = draw(st.lists(ends.filter(lambda pair: pair[0] != pair[1]), max_size=2 * n_blocks))
        edges = [(f"b{dependent}", f"b{prerequisite}") for dependent, prerequisite in pairs]
    return Memory(blocks, draw(texts), draw(st.integers(0, 25)), edges)


policies = st.builds(
    RetentionPolicy,
    temperature=st.sampled_from([1e-6, 0.05, 0.25, 2.0]),
    relevance_weight=st.sampled_from([0.0, 0.5, 1.0]),
    prerequisite_weight=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
    hops=st.integers(1, 4),
    damping=st.sampled_from([0.0, 0.5, 1.0]),
    aggregate=st.sampled_from(["sum", "max"]),
    recency_weight=st.sampled_from([0.0, 0.5]),
    activation_weight=st.sampled_from([0.0, 2.0]),
    density_exponent=st.sampled_from([0.0, 1.0]),
    overflow=st.sampled_from(["skip", "stop"]),
    closed=st.booleans(),
    deduplicate=st.booleans(),
)
