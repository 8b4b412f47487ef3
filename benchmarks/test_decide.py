"""The decision alone, on columns: a million blocks against one matrix-vector product."""

import sys
from typing import NamedTuple

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.ratio import Ledger, Side, at_most, take_turns, timed
from benchmarks.stores import unit_rows
from dsgc import RetentionPolicy
from dsgc._decision import Columns, decide
from dsgc._links import Links
from dsgc._relevance import similarities

N_BLOCKS = 1_000_000
N_EDGES = 4_000_000
BUDGET = 40_000  # about 2,000 blocks of 20 tokens

# The threads of a BLAS product keep spinning for a while after it; nothing else must be timed
# until they are at rest.
PAUSE = 0.2


class Million(NamedTuple):
    """A million blocks, the edges among them, and one product of embeddings and query."""

    columns: Columns
    links: Links
    product: Side
    similarity: Side


@pytest.fixture(scope="module")
def million() -> Million:
    """Draw the blocks; dependents and prerequisites are any two, and costs 10 to 30 tokens."""
    random = np.random.default_rng(0)
    rows, query = unit_rows(N_BLOCKS, random), unit_rows(1, random)[0]
    ends = random.integers(0, N_BLOCKS, (2, N_EDGES))
    dependents, prerequisites = ends[:, ends[0] != ends[1]]
    columns = Columns(
        ids=[f"block-{position}" for position in range(N_BLOCKS)],
        similarity=similarities(rows, query),
        cost=random.integers(10, 31, N_BLOCKS),
        pinned=np.zeros(N_BLOCKS, dtype=np.bool_),
        text_group=np.arange(N_BLOCKS),
    )
    return Million(
        columns,
        Links.from_positions(dependents, prerequisites, N_BLOCKS),
        timed(lambda: rows @ query),
        timed(lambda: similarities(rows, query)),
    )


@pytest.mark.parametrize("preset", ["dsgc", "chain_safe", "agent"])
def test_the_decision_costs_less_than_the_similarities(
    benchmark: BenchmarkFixture, ledger: Ledger, million: Million, preset: str
) -> None:
    """Softmax, support and fill take less than half of the one matrix-vector product."""
    policy: RetentionPolicy = getattr(RetentionPolicy, preset)()

    def ours() -> int:
        return decide(million.columns, million.links, BUDGET, policy).fill.taken.size

    assert 0 < ours() <= BUDGET // 10
    rounds = 15 if preset == "dsgc" else 5
    pairs = take_turns(benchmark, timed(ours), million.product, rounds, PAUSE)
    bar = at_most(0.5) if preset == "dsgc" else None
    ledger.note(f"decide, 1,000,000 blocks, {preset}(): time to E @ g", pairs.ratios, bar=bar)


def test_similarities_that_do_not_depend_on_the_place(
    benchmark: BenchmarkFixture, ledger: Ledger, million: Million
) -> None:
    """What it costs that equal rows get equal similarities."""
    pairs = take_turns(benchmark, million.similarity, million.product, 5, PAUSE)
    ledger.note("E @ g, 1,000,000 blocks", [1e3 * second for second in pairs.theirs], "ms")
    ledger.note("similarities, 1,000,000 blocks: time to E @ g", pairs.ratios)


@pytest.mark.usefixtures("million")
def test_a_million_blocks_fit_in_memory(ledger: Ledger) -> None:
    """The highest mark of this process so far, everything that was run before included."""
    resource = pytest.importorskip("resource")
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    ledger.note("peak memory of all of the above", [peak / 2**30], "GiB", at_most(8.0))
