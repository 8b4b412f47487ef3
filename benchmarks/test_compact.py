"""The whole of `compact`, messages in and messages out."""

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.conversations import conversation
from benchmarks.ratio import Ledger, at_most, run_rounds, take_turns, timed
from dsgc.encoders import StaticEncoder
from dsgc.messages import compact

SHARE = 0.4  # of the tokens are kept


@pytest.fixture(scope="module")
def encoder() -> StaticEncoder:
    """An encoder that has seen all texts once the first round is over."""
    return StaticEncoder()


def test_a_thousand_messages_take_milliseconds(
    benchmark: BenchmarkFixture, ledger: Ledger, encoder: StaticEncoder
) -> None:
    """So an agent can compact before each call of a model."""
    messages = conversation(1_000)
    budget = int(SHARE * compact(messages, 10**9).tokens_before)
    side = timed(lambda: compact(messages, budget, encoder=encoder))
    seconds: list[float] = []
    side()
    run_rounds(benchmark, lambda: seconds.append(side()), rounds=50)
    milliseconds = [1e3 * second for second in seconds]
    ledger.note("compact, 1,000 messages, warm encoder", milliseconds, "ms", at_most(50))


def test_time_grows_with_the_number_of_messages(
    benchmark: BenchmarkFixture, ledger: Ledger, encoder: StaticEncoder
) -> None:
    """Nothing is counted, looked up or compared once for each pair of messages."""
    small, large = conversation(500), conversation(8_000)
    budgets = {
        len(messages): int(SHARE * compact(messages, 10**9).tokens_before)
        for messages in (small, large)
    }
    growth = len(large) // len(small)
    pairs = take_turns(
        benchmark,
        timed(lambda: compact(large, budgets[len(large)], encoder=encoder)),
        timed(lambda: compact(small, budgets[len(small)], encoder=encoder), repeats=growth),
        rounds=7,
    )
    ledger.note(
        "compact, 500 to 8,000 messages: growth of time per message",
        [ratio / growth for ratio in pairs.ratios],
        bar=at_most(1.5),
    )
