"""Commands of other packages, mounted without being imported."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from dsgc.cli._mounting import Mount, mount
from dsgc.errors import InputError

APP = """
import typer
from dsgc.errors import InputError
app = typer.Typer()

@app.command()
def count(names: list[str], loud: bool = False) -> None:
    if "bad" in names:
        raise InputError("a bad name")
    typer.echo(f"{len(names)} {loud}")
    raise typer.Exit(3)

@app.command()
def other() -> None:
    pass
"""


@pytest.fixture
def mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    package = tmp_path / "mountable"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "counting.py").write_text(APP, encoding="utf-8")
    (tmp_path / "bare").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    app = typer.Typer()
    app.command("own")(lambda: None)
    mounts = (
        Mount("counting", "mountable", "mountable.counting", "Count names."),
        Mount("gone", "nosuchpackage", "nosuchpackage.app", "Not there."),
        Mount("bare", "bare", "bare.app", "A directory that is no package."),
    )
    mount(app, mounts)
    return app


def run(app: typer.Typer, *arguments: str) -> object:
    with pytest.raises(SystemExit) as left:
        get_command(app)(list(arguments), prog_name="dsgc")
    return left.value.code


def test_it_gets_its_arguments_and_options_and_its_status_is_passed_on(
    mounted: typer.Typer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(mounted, "counting", "count", "a", "b", "--loud") == 3
    assert capsys.readouterr().out == "2 True\n"


def test_its_help_is_its_own(mounted: typer.Typer, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(mounted, "counting", "count", "--help") == 0
    assert "Usage: dsgc counting count [OPTIONS]" in capsys.readouterr().out


def test_its_errors_come_through(mounted: typer.Typer) -> None:
    with pytest.raises(InputError, match="a bad name"):
        get_command(mounted)(["counting", "count", "bad"])


def test_only_packages_that_are_there_are_commands(
    mounted: typer.Typer, capsys: pytest.CaptureFixture[str]
) -> None:
    run(mounted, "--help")
    told = capsys.readouterr().out
    assert "Count names." in told
    assert "Not there." not in told
    assert "A directory that is no package." not in told


def test_showing_the_help_imports_none_of_them() -> None:
    code = (
        "import sys\nfrom dsgc.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print('dsgc.bench' in sys.modules)"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    assert finished.stdout.splitlines()[-1] == "False"
    assert "bench" in finished.stdout
