"""Graphs, stores and memories for tests: small builders of given ones, and random ones."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from dsgc import Block, RetentionPolicy
from dsgc._adjacency import Adjacency
from dsgc._decision import Columns, Decision, decide
from dsgc._links import Links
from dsgc._records import BlockRecord, Verdict
from dsgc._tokens import LARGEST_COST

T = TypeVar("T")
Edges: TypeAlias = Sequence[tuple[int, int]]  # (dependent, prerequisite), by position
Graph: TypeAlias = tuple[int, Edges]  # number of blocks, edges among them

WORDS = ("backup", "clearance", "bundle", "Alice", "delete", "the", "sprint", "M")

# A chain that similarity alone breaks, beside a block that only looks like the query.
CHAIN = [
    Block("c1", "Alice is assigned to backup bundle M"),
    Block("c2", "Bundle M maps to clearance N"),
    Block("n1", "The backup dashboard is redesigned next sprint"),
    Block("c3", "Clearance N permits deletion of the encrypted backup"),
]
EDGES = [("c3", "c2"), ("c2", "c1")]
QUERY = "May Alice delete the encrypted backup?"

NO_COSTS: list[Any] = [
    -1,
    -(10**30),
    LARGEST_COST + 1,
    10**30,
    2.5,
    3.0,
    math.nan,
    math.inf,
    "7",
    [7],
    np.int64(-2),
    np.float64(3.0),
    True,  # most likely meant as `pinned`
    np.True_,
]

NOT_PAIRS: dict[str, Any] = {
    "an id": "rule-1",
    "two characters": "ab",
    "a triple": ("plan", "rule-1", "role-a"),
    "one id": ("plan",),
    "nothing": (),
    "None": None,
    "a number": 7,
    "bytes": b"ab",
    "a number and an id": (1, "plan"),
    "an id and None": ("plan", None),
    "a list and an id": (["plan"], "rule-1"),
    "a set, which has no order": {"plan", "rule-1"},
    "a dict of two ids": {"plan": 1, "rule-1": 2},
    "a dict of two roles": {"dependent": "plan", "prerequisite": "rule-1"},
    "an iterator": iter(["plan", "rule-1"]),
}

# A record to change with `dataclasses.replace`.
RECORD = BlockRecord(
    id="a",
    rank=1,
    similarity=0.5,
    relevance=0.25,
    support=0.125,
    recency=0.0,
    activation=0.0,
    score=0.375,
    cost=7,
    kept=True,
    verdict=Verdict("ranked"),
)


def adjacency_of(n_blocks: int, entries: Edges) -> Adjacency:
    rows, columns = np.array(entries, dtype=np.int64).reshape(-1, 2).T
    return Adjacency.from_entries(rows, columns, n_blocks)


def prerequisites_of(n_blocks: int, edges: Edges) -> Adjacency:
    return adjacency_of(n_blocks, edges)


def dependents_of(n_blocks: int, edges: Edges) -> Adjacency:
    return adjacency_of(n_blocks, [(required, dependent) for dependent, required in edges])


class Store(NamedTuple):
    """Blocks named 'a', 'b', ... by what a decision reads of them; without `texts` all differ."""

    similarity: list[float]
    costs: list[int]
    edges: Edges = ()
    pinned: Sequence[int] = ()
    texts: Sequence[int] | None = None

    def name(self, block: int) -> str:
        return chr(ord("a") + block)

    @property
    def columns(self) -> Columns:
        n_blocks = len(self.costs)
        is_pinned = np.zeros(n_blocks, dtype=np.bool_)
        is_pinned[list(self.pinned)] = True
        return Columns(
            ids=[self.name(block) for block in range(n_blocks)],
            similarity=np.array(self.similarity, dtype=np.float64),
            cost=np.array(self.costs, dtype=np.int64),
            pinned=is_pinned,
            text_group=np.array(range(n_blocks) if self.texts is None else self.texts),
        )

    @property
    def links(self) -> Links:
        return Links(dependents_of(len(self.costs), self.edges), missing={})

    def decide(self, budget: int, policy: RetentionPolicy) -> Decision:
        return decide(self.columns, self.links, budget, policy)


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

close_numbers = st.integers(0, 5).map(lambda steps: 0.5 + steps * 2.0**-53)  # one ulp apart


named_edges = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")).filter(
        lambda pair: pair[0] != pair[1]
    ),
    max_size=14,
)


def lists_of(values: st.SearchStrategy[T], size: int) -> st.SearchStrategy[list[T]]:
    return st.lists(values, min_size=size, max_size=size)


def edges_among(
    n_blocks: int, loops: bool = False, per_block: int = 2
) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Draw edges that may recur and form cycles; a block needs itself only with `loops`."""
    ends = [(j, i) for j in range(n_blocks) for i in range(n_blocks) if loops or j != i]
    return st.lists(st.sampled_from(ends), max_size=per_block * n_blocks) if ends else st.just([])


def graphs(
    min_blocks: int = 0, loops: bool = False, per_block: int = 2
) -> st.SearchStrategy[Graph]:
    """Draw the number of blocks, up to 8, and edges among them."""
    return st.integers(min_blocks, 8).flatmap(
        lambda n_blocks: st.tuples(st.just(n_blocks), edges_among(n_blocks, loops, per_block))
    )


@st.composite
def stores(
    draw: st.DrawFn, similarities: st.SearchStrategy[list[float]], pins: bool = False
) -> Store:
    """Draw a store with cycles, equal texts and blocks that cost nothing."""
    similarity = draw(similarities)
    n_blocks = len(similarity)
    blocks = st.integers(0, max(n_blocks - 1, 0))
    pinned = draw(st.lists(blocks, unique=True, max_size=2)) if pins and n_blocks else []
    return Store(
        similarity,
        draw(lists_of(st.integers(0, 9), n_blocks)),
        draw(edges_among(n_blocks)),
        sorted(pinned),
        draw(lists_of(st.integers(0, 3), n_blocks)),
    )


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
    edges = [
        (f"b{dependent}", f"b{required}") for dependent, required in draw(edges_among(n_blocks))
    ]
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
