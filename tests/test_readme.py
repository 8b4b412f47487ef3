"""Every block of code in the README does what the README says."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.conftest import CHECKOUT

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def test_the_python_blocks_run_one_after_the_other_and_print_what_is_shown() -> None:
    namespace: dict[str, Any] = {"__name__": "readme"}
    printed, n_compared = "", 0
    for language, code in BLOCKS:
        if language == "python":
            assert not printed, "the output of the block before is not shown"
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(code, "README.md", "exec"), namespace)
            printed = output.getvalue()
        elif language == "text":
            assert code.split() == printed.split()
            printed, n_compared = "", n_compared + 1
    assert not printed
    assert n_compared >= 2


def test_the_console_shows_what_the_commands_print() -> None:
    shown = [code.partition("\n") for language, code in BLOCKS if language == "console"]
    for command, _, expected in shown:
        program, *arguments = command.removeprefix("$ ").partition(" > ")[0].split()
        assert program == "dsgc"
        done = subprocess.run(
            [sys.executable, "-m", "dsgc", *arguments],
            check=True,
            capture_output=True,
            text=True,
            cwd=CHECKOUT,
            env={**os.environ, "COLUMNS": "120"},
        )
        printed = [word for word in done.stderr.split() if set(word) != {"─"}]
        assert printed == expected.split()
        assert json.loads(done.stdout)
    assert shown


def test_the_commands_are_those_that_the_continuous_integration_runs() -> None:
    script = CHECKOUT / ".ci" / "run"
    if not script.is_file():
        pytest.skip("the tests run outside of a checkout, so there is no .ci/run to compare with")
    commands = [line for language, code in BLOCKS if language == "sh" for line in code.splitlines()]
    listed = subprocess.run(
        ["bash", str(script), "--list-readme-commands"], check=True, capture_output=True, text=True
    ).stdout
    assert listed.splitlines() == commands
    assert len(commands) == 2
    assert "examples/code_context.py" in commands[0]
    assert "pytest" in commands[1]


def test_every_block_is_of_a_language_that_is_checked() -> None:
    assert {language for language, _ in BLOCKS} <= {"python", "text", "sh", "console"}
