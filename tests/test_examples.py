"""The examples a user would run, run."""

import statistics
import subprocess
import sys

from tests.conftest import CHECKOUT


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    script = CHECKOUT / "examples" / "code_context.py"
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_similarity_loses_a_prerequisite_and_dsgc_computes() -> None:
    finished = run()
    by_similarity, by_dsgc = finished.stdout.split("dsgc keeps")
    expected = statistics.stdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75])
    assert "fails with NameError: name '_" in by_similarity
    assert "directly depend on it" in by_similarity
    assert f"stdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75]) = {expected!r}" in by_dsgc
    assert finished.returncode == 0
    assert finished.stderr == ""


def test_it_fails_where_the_budget_cannot_hold_the_code_and_says_what_would() -> None:
    finished = run("--budget", "500")
    by_dsgc = finished.stdout.split("dsgc keeps")[1]
    assert finished.returncode == 1
    assert "NameError: name 'stdev' is not defined" in by_dsgc
    needed = by_dsgc.split("A budget of ")[1].split()[0]
    assert run("--budget", needed).returncode == 0


def test_it_works_for_another_module() -> None:
    finished = run(
        "--module", "heapq", "--call", "nsmallest(2, [3, 1, 2])",
        "--task", "find the n smallest elements", "--budget", "1500",
    )  # fmt: skip
    assert "nsmallest(2, [3, 1, 2]) = [1, 2]" in finished.stdout.split("dsgc keeps")[1]
