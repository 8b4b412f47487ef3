"""The command line of the benchmarks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dsgc.bench._app import app
from dsgc.bench.real._peers import PEERS
from tests.bench.real.tiny import SHIPPING, assistant, with_message, write_traces


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["real", *arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_traces(tmp_path, "shop", SHIPPING)
    write_traces(tmp_path, "third", SHIPPING, with_message(SHIPPING, 3, assistant("it is ab-77")))
    return tmp_path


def test_every_file_of_the_folder_has_its_table(folder: Path) -> None:
    done = run("--traces", "--data", str(folder), "--no-peers")
    assert done.exit_code == 0, done.output
    assert "shop: 1 calls of 1 traces" in done.output
    assert "third: 2 calls of 2 traces" in done.output
    assert "hypertok" not in done.output


def test_the_folder_can_come_from_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSGC_REAL_DATA", str(folder))
    assert "shop: 1 calls" in run("--traces", "--no-peers").output


def test_the_markdown_holds_known_answers(folder: Path) -> None:
    arguments = ["--traces", "--data", str(folder), "--no-peers", "--markdown"]
    lines = run(*arguments, "--budgets", "60,90").stdout.splitlines()
    assert lines[0].startswith("| rule | shop, 1 calls: 60 / 90 % | mean | third, 2 calls")
    assert "| retain, whole units: newest first | 0.00 1.00 | 0.50 | 0.50 1.00 | 0.75 |" in lines
    assert lines[-1].startswith("| ceiling: ")
    assert lines[-1].endswith("| 1.00 1.00 | 1.00 | 1.00 1.00 | 1.00 |")


def test_the_json_is_written_and_the_same_each_time(folder: Path, tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        done = run("--traces", "--data", str(folder), "--no-peers", "--json", str(tmp_path / name))
        assert done.exit_code == 0, done.output
    text = (tmp_path / "a.json").read_text()
    assert text == (tmp_path / "b.json").read_text()
    shop, third = json.loads(text)["files"]
    assert (shop["file"], third["file"], third["cases"]) == ("shop", "third", 2)
    assert [cell["budget"] for cell in shop["rows"][0]["cells"]] == [25, 40, 60]


def test_peers_have_rows_whether_they_are_installed_or_not(folder: Path) -> None:
    done = run("--traces", "--data", str(folder), "--markdown")
    assert done.exit_code == 0, done.output
    assert sum(line.startswith("| peers: ") for line in done.stdout.splitlines()) == len(PEERS)


def test_a_missing_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    done = run("--traces", "--data", str(tmp_path / "nowhere"))
    assert done.exit_code == 2
    assert f"Error: there is no folder {tmp_path / 'nowhere'}." in done.stderr


def test_a_file_that_cannot_be_read_is_an_error_that_names_the_line(folder: Path) -> None:
    (folder / "traces" / "broken.jsonl").write_text("{}\n")
    done = run("--traces", "--data", str(folder), "--no-peers")
    assert done.exit_code == 2
    assert "broken.jsonl:1 is no trace" in done.stderr


@pytest.mark.parametrize("budgets", ["", "a", "25,", "0,25", "101", "25,25", "2.5", "-1"])
def test_budgets_are_distinct_whole_per_cents(folder: Path, budgets: str) -> None:
    done = run("--traces", "--data", str(folder), f"--budgets={budgets}")
    assert done.exit_code == 2
    assert "--budgets takes distinct whole per cents" in done.stderr


def test_what_to_measure_must_be_named(folder: Path) -> None:
    done = run("--data", str(folder))
    assert done.exit_code == 2
    assert "nothing to measure was named. Give --traces." in done.stderr


def test_it_runs_as_a_module(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dsgc.bench", "real", "--traces", "--no-peers", "--markdown"],
        env=os.environ | {"DSGC_REAL_DATA": str(folder)},
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.startswith("| rule | shop, 1 calls: 25 / 40 / 60 %")
    assert done.stderr == ""


@pytest.mark.parametrize("library", ["typer", "rich"])
def test_without_its_libraries_it_says_which_extra_it_needs(library: str) -> None:
    code = (
        f"import sys, runpy; sys.modules[{library!r}] = None\n"
        "runpy.run_module('dsgc.bench', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr == "dsgc.bench needs the 'bench' extra: pip install 'dsgc[bench]'\n"
