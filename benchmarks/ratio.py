"""Times two sides by turns, and keeps what was measured for the table at the end of a run."""

import gc
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from statistics import median, quantiles
from time import perf_counter, sleep
from typing import Any, NamedTuple, TypeAlias

from pytest_benchmark.fixture import BenchmarkFixture

Side: TypeAlias = Callable[[], float]  # does the work once, returns the seconds it took

# A bar that is missed is reported; only beyond this factor does the test fail. Other work on the
# same machine moves even the median of paired ratios by a tenth to a fifth from run to run, so a
# third is what noise does not reach and a real loss of speed does.
TOLERANCE = 4 / 3


@dataclass
class Pairs:
    """The seconds of both sides, round by round."""

    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """How many times as long as the other side ours took, in each round."""
        return [ours / theirs for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    @property
    def speedups(self) -> list[float]:
        """How many times as fast as the other side ours was, in each round."""
        return [theirs / ours for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    @property
    def excess_milliseconds(self) -> list[float]:
        """How much longer than the other side ours took, in each round."""
        return [1e3 * (ours - theirs) for ours, theirs in zip(self.ours, self.theirs, strict=True)]


def timed(work: Callable[[], object], repeats: int = 1) -> Side:
    """Return a side that does `work`, the mean of `repeats` times in a row."""

    def side() -> float:
        start = perf_counter()
        for _ in range(repeats):
            work()
        return (perf_counter() - start) / repeats

    return side


def take_turns(
    benchmark: BenchmarkFixture, ours: Side, theirs: Side, rounds: int, pause: float = 0.0
) -> Pairs:
    """Run theirs, ours, theirs, ours ... after one unmeasured turn each; `benchmark` times ours.

    `pause` is how many seconds the machine comes to rest before each side.
    """
    pairs = Pairs()

    def run_theirs() -> None:
        sleep(pause)
        pairs.theirs.append(theirs())
        sleep(pause)

    def run_ours() -> None:
        pairs.ours.append(ours())

    theirs()
    ours()
    gc.collect()
    run_rounds(benchmark, run_ours, rounds, run_theirs)
    return pairs


def run_rounds(
    benchmark: BenchmarkFixture,
    work: Callable[[], object],
    rounds: int,
    before: Callable[[], object] | None = None,
) -> None:
    """Let pytest-benchmark time `work` in each round, after `before`."""
    benchmark.pedantic(work, setup=before, rounds=rounds)  # type: ignore[no-untyped-call]


class Bar(NamedTuple):
    """What a measured value is held against."""

    limit: float
    is_most: bool

    def factor_missed(self, value: float) -> float:
        """Return by which factor `value` is on the wrong side; 1 or less if the bar is met."""
        return value / self.limit if self.is_most else self.limit / value

    def __str__(self) -> str:
        return f"{'<=' if self.is_most else '>='} {self.limit:g}"


def at_most(limit: float) -> Bar:
    """Return a bar that values must not exceed."""
    return Bar(limit, is_most=True)


def at_least(limit: float) -> Bar:
    """Return a bar that values must reach."""
    return Bar(limit, is_most=False)


@dataclass(frozen=True, slots=True)
class Measurement:
    """One line of the table: the median of the rounds, and the quartiles as its spread."""

    what: str
    unit: str
    median: float
    lower_quartile: float
    upper_quartile: float
    n_rounds: int
    bar: Bar | None

    @property
    def met(self) -> str:
        """Whether the bar is met, as a word; empty without a bar."""
        if self.bar is None:
            return ""
        return "yes" if self.bar.factor_missed(self.median) <= 1 else "missed"

    def to_dict(self) -> dict[str, Any]:
        """Return the line as data for JSON."""
        bar = None if self.bar is None else str(self.bar)
        return {**asdict(self), "bar": bar, "met": self.met}


@dataclass
class Ledger:
    """All that one run has measured."""

    is_report_only: bool = False
    measurements: list[Measurement] = field(default_factory=list)

    def note(
        self, what: str, values: Iterable[float], unit: str = "x", bar: Bar | None = None
    ) -> None:
        """Record the median of `values`; fail if it misses `bar` by more than the tolerance."""
        values = list(values)
        lower, _, upper = quantiles(values, method="inclusive") if len(values) > 1 else values * 3
        line = Measurement(what, unit, median(values), lower, upper, len(values), bar)
        self.measurements.append(line)
        if self.is_report_only or bar is None:
            return
        if bar.factor_missed(line.median) > TOLERANCE:
            raise AssertionError(f"{what}: measured {line.median:.3g} {unit}, the bar is {bar}")

    def table(self) -> str:
        """Return the lines as a table of plain text."""
        rows = [("what", "measured", "quartiles", "bar", "met")]
        for line in self.measurements:
            spread = "" if line.n_rounds == 1 else _spread(line)
            bar = "" if line.bar is None else str(line.bar)
            rows.append((line.what, f"{line.median:.3g} {line.unit}", spread, bar, line.met))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )


def _spread(line: Measurement) -> str:
    return f"{line.lower_quartile:.3g} .. {line.upper_quartile:.3g}"
