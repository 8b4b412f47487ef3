"""`python -m dsgc`: the process, its streams and its status."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import dsgc
from tests.cli.conftest import CONVERSATION, Run, run_apart


@pytest.mark.parametrize("module", ["typer", "rich"])
def test_without_the_extra_one_line_says_what_to_install(module: str) -> None:
    finished = run_apart("--help", before=f"import sys; sys.modules[{module!r}] = None")
    assert finished.returncode == 2
    assert finished.stdout == ""
    expected = "The command line needs the 'cli' extra: pip install 'dsgc[cli]'\n"
    assert finished.stderr == expected


def test_the_version_is_that_of_the_package(run: Run) -> None:
    outcome = run("--version")
    assert (outcome.status, outcome.stdout) == (0, f"dsgc {dsgc.__version__}\n")


def test_help_names_the_commands(run: Run) -> None:
    outcome = run("--help")
    assert outcome.status == 0
    assert "compact" in outcome.stdout
    assert "explain" in outcome.stdout


def test_it_runs_as_a_module(conversation: Path) -> None:
    finished = run_apart("compact", str(conversation), "--budget", "999")
    assert finished.returncode == 0
    assert json.loads(finished.stdout) == CONVERSATION
    assert "everything fits" in finished.stderr


def test_its_status_is_that_of_the_command(conversation: Path) -> None:
    assert run_apart("compact", str(conversation), "--budget", "10").returncode == 1
    assert run_apart("compact", "nosuch.json", "--budget", "10").returncode == 2


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "x" * 1_000} for _ in range(2_000)]
    path = tmp_path / "long.json"
    path.write_text(json.dumps(messages), encoding="utf-8")
    command = [sys.executable, "-m", "dsgc", "compact", str(path), "--budget", "9999999", "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.read(1) == b"["
        process.stdout.close()
        assert process.stderr.read() == b""


def test_output_is_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps([{"role": "user", "content": "订单"}]), encoding="utf-8")
    finished = subprocess.run(
        [sys.executable, "-m", "dsgc", "compact", str(path), "--budget", "99"],
        capture_output=True,
        timeout=120,
        check=True,
        env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"},
    )
    assert "订单" in finished.stdout.decode()
    assert b"everything fits" in finished.stderr


@pytest.mark.parametrize(
    ("where", "told"),
    [
        (">/dev/full", "dsgc: standard output cannot be written: No space left on device.\n"),
        (">&-", "dsgc: standard output is closed. Send it to a file or to another program.\n"),
    ],
)
def test_output_that_cannot_be_written_is_told_in_one_line(
    conversation: Path, where: str, told: str
) -> None:
    command = f'"{sys.executable}" -m dsgc compact "{conversation}" --budget 999 -q {where}'
    finished = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False
    )
    assert (finished.returncode, finished.stderr) == (2, told)
