"""The whole of `retain`, blocks in and blocks out."""

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.plain_loop import plain_retention
from benchmarks.ratio import Ledger, at_least, at_most, run_rounds, take_turns, timed
from benchmarks.stores import QUERY, Store, store, texts
from dsgc import Block, Retention, retain
from dsgc._decision import Decision, decide
from dsgc._relevance import similarities

MEAN_COST = 20
N_KEPT = 50


def retain_about(n_kept: int, of: Store, *, as_pairs: bool = False) -> Retention:
    """Keep about `n_kept` blocks of a store."""
    edges = of.edges if as_pairs else of.graph
    return retain(of.blocks, QUERY, n_kept * MEAN_COST, edges, encoder=of.encoder)


@pytest.mark.parametrize("costs", ["given", "counted"])
def test_python_costs_little_over_the_array_work(
    benchmark: BenchmarkFixture, ledger: Ledger, costs: str
) -> None:
    """Objects, ids and checks stay cheap beside the arrays."""
    memory = store(1_000)
    blocks: tuple[Block, ...] = memory.blocks if costs == "given" else memory.uncounted

    def ours() -> Retention:
        return retain(blocks, QUERY, N_KEPT * MEAN_COST, memory.graph, encoder=memory.encoder)

    done = ours().decision
    rows, query = memory.encoder.rows, memory.encoder.query

    def array_work() -> Decision:
        columns = done.columns._replace(similarity=similarities(rows, query))
        return decide(columns, done.links, done.budget, done.policy)

    assert array_work().fill.taken.tolist() == done.fill.taken.tolist()
    pairs = take_turns(benchmark, timed(ours), timed(array_work), rounds=300)
    what = f"retain, 1,000 blocks, costs {costs}"
    ledger.note(f"{what}: time to array work", pairs.ratios)
    ledger.note(f"{what}: beyond the array work", pairs.excess_milliseconds, "ms", at_most(2.0))


@pytest.mark.parametrize(
    ("edges", "repeats"),
    [("graph", 10), ("graph", 1), ("pairs", 10)],
    ids=["graph", "graph, cold caches", "pairs"],
)
def test_arrays_beat_a_plain_loop(
    benchmark: BenchmarkFixture, ledger: Ledger, edges: str, repeats: int
) -> None:
    """The same blocks are kept as by the equations in plain Python, much sooner."""
    memory = store(5_000)
    ids = [block.id for block in memory.blocks]
    embeddings = dict(zip(ids, memory.encoder.rows.tolist(), strict=True))
    query = memory.encoder.query.tolist()
    costs = dict(zip(ids, memory.costs, strict=True))

    def ours() -> Retention:
        return retain_about(N_KEPT, memory, as_pairs=edges == "pairs")

    def plain() -> list[str]:
        return plain_retention(embeddings, query, costs, memory.edges, N_KEPT * MEAN_COST)

    assert list(ours().kept_ids) == plain()
    # The plain loop reads 60 MB and leaves nothing of the blocks in the processor's caches: a
    # single call in each round measures that as well, several in a row do not.
    pairs = take_turns(benchmark, timed(ours, repeats), timed(plain), rounds=21)
    is_barred = edges == "graph" and repeats > 1
    ledger.note(
        f"retain, 5,000 blocks, edges as {edges}, {repeats} in a row: speed to plain loop",
        pairs.speedups,
        bar=at_least(30) if is_barred else None,
    )


@pytest.mark.parametrize("edges", ["graph", "pairs"])
@pytest.mark.parametrize("share", [None, 0.05], ids=["50 blocks", "5 %"])
def test_time_grows_with_the_number_of_blocks(
    benchmark: BenchmarkFixture, ledger: Ledger, share: float | None, edges: str
) -> None:
    """A hundred times as many blocks take about a hundred times as long."""
    small, large = store(1_000), store(100_000)

    def work(of: Store) -> Retention:
        n_kept = N_KEPT if share is None else int(share * len(of.blocks))
        return retain_about(n_kept, of, as_pairs=edges == "pairs")

    growth = len(large.blocks) // len(small.blocks)
    small_side = timed(lambda: work(small), repeats=growth)
    pairs = take_turns(benchmark, timed(lambda: work(large)), small_side, rounds=15)
    kept = "50 blocks" if share is None else f"{share:.0%}"
    ledger.note(
        f"retain, 1,000 to 100,000 blocks, {kept} kept, edges as {edges}: growth of time per block",
        [ratio / growth for ratio in pairs.ratios],
        bar=at_most(1.5) if edges == "graph" else None,
    )


@pytest.mark.parametrize("n_blocks", [100, 1_000, 10_000])
def test_cold_with_the_default_encoder(
    benchmark: BenchmarkFixture, ledger: Ledger, n_blocks: int
) -> None:
    """What a first call takes that has to encode everything."""
    written = texts(np.full(n_blocks, MEAN_COST), np.random.default_rng(0))
    blocks = [Block(f"block-{position}", text) for position, text in enumerate(written)]
    side = timed(lambda: retain(blocks, QUERY, N_KEPT * MEAN_COST))
    seconds: list[float] = []
    side()
    rounds = max(7, 20_000 // n_blocks)
    run_rounds(benchmark, lambda: seconds.append(side()), rounds)
    what = f"retain, {n_blocks:,} blocks of 20 words, cold, default encoder"
    ledger.note(what, [1e3 * second for second in seconds], "ms")
