"""What an import costs and leaves behind."""

import subprocess
import sys

import pytest


def in_a_fresh_process(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    ).stdout


@pytest.mark.parametrize("statement", ["import dsgc", "import dsgc.encoders"])
def test_importing_loads_none_of_the_heavy_libraries(statement: str) -> None:
    heavy = "torch transformers sentence_transformers sklearn requests wordllama scipy.stats pandas"
    code = f"import sys; {statement}; print(*sorted(sys.modules.keys() & set({heavy.split()!r})))"
    assert in_a_fresh_process(code).split() == []


def test_importing_loads_only_numpy_scipy_sparse_pydantic_and_what_they_load() -> None:
    code = (
        "import sys, numpy, scipy.sparse\n"
        "from pydantic import BaseModel, ConfigDict, Field\n"
        "class Model(BaseModel): pass\n"
        "before = set(sys.modules); import dsgc\n"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    added = set(in_a_fresh_process(code).split()) - set(sys.stdlib_module_names)
    assert added - {"pydantic"} == {"dsgc"}  # pydantic loads parts of itself when first used


def test_importing_writes_nothing_and_touches_no_logger() -> None:
    code = (
        "import logging, warnings; before = len(logging.root.handlers), logging.root.level\n"
        "import dsgc, dsgc.encoders\n"
        "assert before == (len(logging.root.handlers), logging.root.level)"
    )
    assert in_a_fresh_process(code) == ""


def test_retain_works_without_network_files_and_log_lines() -> None:
    code = (
        "import builtins, logging, socket\n"
        "from dsgc import Block, retain\n"
        "def refuse(*arguments, **options): raise AssertionError(arguments)\n"
        "socket.socket = builtins.open = logging.Logger._log = refuse\n"
        "print(retain([Block('a', 'x')], 'x', 1).kept_ids)"
    )
    assert in_a_fresh_process(code) == "('a',)\n"
