"""The bars on traces of real agents, where these are at hand."""

import os
from functools import cache
from pathlib import Path

import pytest

from dsgc.bench.real import Comparison
from dsgc.bench.real._rules import COMPACT, RETAIN
from tests.conftest import CHECKOUT

FOLDER = Path(os.environ.get("DSGC_REAL_DATA") or CHECKOUT.parent / "shared" / "real") / "traces"
API, RETAIL = "bfcl", "tau_retail"
WHOLE, PARTS = "whole units, agent", "parts, agent"

pytestmark = pytest.mark.skipif(
    not all((FOLDER / f"{name}.jsonl").is_file() for name in (API, RETAIL)),
    reason=f"the real traces are not at {FOLDER}; set DSGC_REAL_DATA to the folder above",
)


@cache
def survival(file: str, group: str, rule: str) -> tuple[float, ...]:
    """Return the cells of a rule, and last their mean."""
    comparison = Comparison([25, 40, 60], with_peers=False)
    comparison.rules = [each for each in comparison.rules if each[:2] == (rule, group)]
    (row,) = comparison.measure(FOLDER / f"{file}.jsonl").rows
    assert row.mean is not None
    return tuple(share.survival for share in (*row.cells, row.mean))


def mean(file: str, rule: str) -> float:
    return survival(file, COMPACT, rule)[-1]


def test_compact_with_parts_keeps_what_the_next_api_call_needs() -> None:
    assert mean(API, PARTS) >= 0.91


def test_compact_with_parts_keeps_what_the_next_retail_call_needs() -> None:
    assert mean(RETAIL, PARTS) >= 0.65


def test_parts_keep_more_than_whole_units() -> None:
    parts = mean(API, PARTS) + mean(RETAIL, PARTS)
    whole = mean(API, WHOLE) + mean(RETAIL, WHOLE)
    assert parts > whole


def test_no_other_rule_is_good_on_both() -> None:
    ours = min(mean(API, PARTS), mean(RETAIL, PARTS))
    for rule in ("newest first", "similarity", "one hop"):
        assert min(survival(file, RETAIN, rule)[-1] for file in (API, RETAIL)) < ours


@pytest.mark.parametrize(
    ("file", "rule", "cells"),
    [
        (RETAIL, "newest first", (0.36, 0.49, 0.64)),
        (RETAIL, "similarity", (0.48, 0.59, 0.68)),
        (RETAIL, "one hop", (0.55, 0.67, 0.78)),
        (API, "newest first", (0.94, 0.99, 1.00)),
        (API, "similarity", (0.46, 0.38, 0.61)),
        (API, "one hop", (0.42, 0.41, 0.62)),
    ],
)
def test_the_baselines_reach_what_a_separate_prototype_measured(
    file: str, rule: str, cells: tuple[float, ...]
) -> None:
    assert survival(file, RETAIN, rule)[:3] == pytest.approx(cells, abs=0.015)
