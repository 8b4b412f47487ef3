"""The examples a user would run, run."""

import statistics
import subprocess
import sys

import pytest

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
    by_similarity, by_dsgc = finished.stdout.split("dsgc, chain_safe(), keeps")
    expected = statistics.stdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75])
    assert "fails with NameError: name '_" in by_similarity
    assert "directly depend on it" in by_similarity
    assert f"stdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75]) = {expected!r}" in by_dsgc
    assert finished.returncode == 0
    assert finished.stderr == ""


def test_it_fails_where_the_budget_cannot_hold_the_code_and_says_what_would() -> None:
    finished = run("--budget", "500")
    by_dsgc = finished.stdout.split("dsgc, chain_safe(), keeps")[1]
    assert finished.returncode == 1
    assert "NameError: name 'stdev' is not defined" in by_dsgc
    needed = by_dsgc.split("A budget of ")[1].split()[0]
    assert run("--budget", needed).returncode == 0


def test_it_works_for_another_module() -> None:
    finished = run(
        "--module", "heapq", "--call", "nsmallest(2, [3, 1, 2])",
        "--task", "find the n smallest elements", "--budget", "1500",
    )  # fmt: skip
    by_dsgc = finished.stdout.split("dsgc, chain_safe(), keeps")[1]
    assert "nsmallest(2, [3, 1, 2]) = [1, 2]" in by_dsgc


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--module", "nosuch"], "--module 'nosuch' has no Python source to read: No module named"),
        (["--module", "math"], "--module 'math' has no Python source to read"),
        (["--module", ""], "--module '' has no Python source to read"),
        (["--call", "stdev("], "--call 'stdev(' is no expression"),
        (["--budget", "much"], "invalid int value: 'much'"),
        (["--budget", "-5"], "budget must be a whole number of tokens, 0 or more, got -5"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(arguments: list[str], message: str) -> None:
    finished = run(*arguments)
    assert finished.returncode == 2
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr


def test_what_the_kept_code_raises_is_shown() -> None:
    finished = run("--call", "stdev([1])")
    assert finished.returncode == 1
    assert "stdev([1]) raises StatisticsError" in finished.stdout
    assert finished.stderr == ""


@pytest.mark.parametrize(
    ("module", "call", "result"),
    [
        ("difflib", "get_close_matches('appel', ['ape', 'apple'], 1)", "['apple']"),
        ("json.decoder", "JSONDecoder().decode('[1]')", "[1]"),
        ("textwrap", "shorten('a b c d', 9)", "'a b c d'"),
    ],
)
def test_modules_that_set_themselves_up_work_when_everything_is_kept(
    module: str, call: str, result: str
) -> None:
    finished = run("--module", module, "--call", call, "--task", call, "--budget", "100000")
    assert f"{call} = {result}" in finished.stdout.split("keeps")[-1]
    assert finished.returncode == 0
