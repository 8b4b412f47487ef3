"""What `import dsgc` adds to its dependencies."""

import subprocess
import sys
from functools import partial
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

import dsgc
from benchmarks.ratio import Ledger, at_most, take_turns

DEPENDENCIES = "import numpy, scipy.sparse; from pydantic import BaseModel, ConfigDict, Field"
CLOCK = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def seconds_to_run(statement: str) -> float:
    """Return how long a statement takes in a fresh process, the start of Python excluded."""
    done = subprocess.run(
        [sys.executable, "-c", CLOCK.format(statement)],
        cwd=Path(dsgc.__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def test_import_adds_little_to_the_dependencies(
    benchmark: BenchmarkFixture, ledger: Ledger
) -> None:
    """The package itself adds at most a fifth to what it cannot do without."""
    ours, theirs = partial(seconds_to_run, "import dsgc"), partial(seconds_to_run, DEPENDENCIES)
    pairs = take_turns(benchmark, ours, theirs, rounds=21)
    ledger.note("import dsgc", [1e3 * second for second in pairs.ours], "ms")
    ledger.note("import of its dependencies", [1e3 * second for second in pairs.theirs], "ms")
    ledger.note("import dsgc: time to its dependencies", pairs.ratios, bar=at_most(1.2))
