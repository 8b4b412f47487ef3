"""The agent of the example does its work with dsgc, and fails with the newest messages alone."""

import subprocess
import sys

import pytest

from tests.conftest import CHECKOUT

FAILED = 'Failed: {"error": "exchange_item needs ticket'
DONE = 'Done: {"exchanged": "8310227745", "for": "23044592"}'


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    script = CHECKOUT / "examples" / "agent_loop.py"
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def halves(finished: subprocess.CompletedProcess[str]) -> tuple[str, str]:
    by_age, _, by_dsgc = finished.stdout.partition("\ndsgc\n")
    return by_age, by_dsgc


def steps(half: str) -> list[tuple[int, int, str]]:
    """Return, step by step, the tokens of the history, those shown, and the call."""
    cells = [line.split(maxsplit=2) for line in half.splitlines() if line.endswith(")")]
    return [(int(history), int(shown), call) for history, shown, call in cells]


def test_what_the_last_call_needs_is_lost_by_age_and_kept_by_dsgc() -> None:
    finished = run()
    by_age, by_dsgc = halves(finished)
    assert FAILED in by_age
    assert "exchange_item(ticket=???, order_id=#W7720415, old_item=???" in by_age
    assert DONE in by_dsgc
    assert "Why the ticket is there: Block 'm2' was kept (ranked)" in by_dsgc
    assert (finished.returncode, finished.stderr) == (0, "")


@pytest.mark.parametrize("budget", [700, 900, 1200, 1500])
def test_the_outcome_is_the_same_over_a_wide_range_of_budgets(budget: int) -> None:
    by_age, by_dsgc = halves(run("--budget", str(budget)))
    assert FAILED in by_age
    assert DONE in by_dsgc


def test_both_runs_have_the_same_history_and_neither_shows_more_than_the_budget() -> None:
    by_age, by_dsgc = (steps(half) for half in halves(run("--budget", "900")))
    assert [history for history, _, _ in by_age] == [history for history, _, _ in by_dsgc]
    assert len(by_age) == 7
    assert max(shown for _, shown, _ in by_age + by_dsgc) <= 900
    assert by_age[-1][0] > 900


def test_both_succeed_where_everything_fits() -> None:
    finished = run("--budget", "5000")
    assert finished.stdout.count(DONE) == 2
    assert finished.returncode == 0


def test_it_says_so_where_dsgc_cannot_keep_enough_either() -> None:
    finished = run("--budget", "300")
    assert finished.stdout.count("Failed: ") == 2
    assert (finished.returncode, finished.stderr) == (1, "")


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ("much", "invalid int value: 'much'"),
        ("-5", "budget must be a whole number of tokens, 0 or more, got -5"),
        ("50", "cost 80 tokens, but the budget is 50"),
    ],
)
def test_a_budget_that_cannot_be_is_refused_in_one_line(budget: str, message: str) -> None:
    finished = run("--budget", budget)
    assert finished.returncode == 2
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr
    assert finished.stdout == ""
