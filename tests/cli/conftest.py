"""Running the command line, in this process or in one of its own."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dsgc.cli import main

CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"id": "A-17"}'}}
CONVERSATION: list[dict[str, Any]] = [
    {"role": "system", "content": "You are careful."},
    {"role": "user", "content": "Read note A-17."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "nothing of note " * 40},
    {"role": "assistant", "content": "It says nothing of note."},
    {"role": "user", "content": "Thanks. What is the capital of France?"},
]


class Outcome(NamedTuple):
    """What a run of the command line returned and wrote."""

    status: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """Standard output, decoded."""
        return json.loads(self.stdout)


Run = Callable[..., Outcome]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, with bytes for its standard input."""

    def run_here(*arguments: object, stdin: bytes = b"") -> Outcome:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            try:
                status = main([str(argument) for argument in arguments])
            except SystemExit as left:
                status = int(left.code or 0)
        sys.stdout.flush()
        written = capfdbinary.readouterr()
        return Outcome(status, written.out.decode(), written.err.decode())

    return run_here


def run_apart(*arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run the module in a process of its own, after other code."""
    code = f"{before}\nimport runpy; runpy.run_module('dsgc', run_name='__main__', alter_sys=True)"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def conversation(tmp_path: Path) -> Path:
    """A file with a list of messages."""
    return written(tmp_path / "conversation.json", CONVERSATION)


def written(path: Path, value: Any) -> Path:
    """Write a value as JSON; return where."""
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path
