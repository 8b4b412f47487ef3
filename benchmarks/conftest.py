"""The ledger that all benchmarks write to, and the table that is printed from it."""

import json
import os
from pathlib import Path

import pytest

from benchmarks.ratio import Ledger

_LEDGER = pytest.StashKey[Ledger]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer to write the table to a file, and to let no missed bar fail."""
    parser.addoption("--ratios", metavar="FILE", type=Path, help="write the ratios to FILE as JSON")
    parser.addoption("--report-only", action="store_true", help="let no missed bar fail the run")


def pytest_configure(config: pytest.Config) -> None:
    """Open the ledger of this run."""
    config.stash[_LEDGER] = Ledger(is_report_only=config.getoption("--report-only"))


@pytest.fixture
def ledger(request: pytest.FixtureRequest) -> Ledger:
    """Give each benchmark the ledger of the run."""
    return request.config.stash[_LEDGER]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print what was measured, and write it if a file was named."""
    ledger = config.stash[_LEDGER]
    if not ledger.measurements:
        return
    load = os.getloadavg() if hasattr(os, "getloadavg") else ()
    terminalreporter.section("ratios")
    terminalreporter.write_line(ledger.table())
    terminalreporter.write_line(f"{os.cpu_count()} cores, load {load}")
    path: Path | None = config.getoption("--ratios")
    if path is not None:
        lines = [line.to_dict() for line in ledger.measurements]
        report = {"cores": os.cpu_count(), "load": load, "measurements": lines}
        path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
