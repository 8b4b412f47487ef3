"""What an import costs and leaves behind."""

import subprocess
import sys

import pytest


def in_a_fresh_process(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    ).stdout


@pytest.mark.parametrize(
    "statement", ["import dsgc", "import dsgc.encoders", "import dsgc.messages"]
)
def test_importing_loads_none_of_the_heavy_libraries(statement: str) -> None:
    heavy = "torch transformers sentence_transformers sklearn requests wordllama scipy.stats pandas"
    code = f"import sys; {statement}; print(*sorted(sys.modules.keys() & set({heavy.split()!r})))"
    assert in_a_fresh_process(code).split() == []


def test_compacting_dicts_loads_no_sdk_no_tokenizer_and_no_command_line() -> None:
    optional = "openai anthropic google langchain_core pydantic_ai agents tiktoken tokenizers"
    code = (
        "import sys; from dsgc.messages import compact\n"
        "said = 'nothing of note ' * 50\n"
        "messages = [{'role': role, 'content': said} for role in ('user', 'assistant', 'user')]\n"
        "print(len(compact(messages, 500).messages))\n"
        f"print(*sorted(sys.modules.keys() & set({[*optional.split(), 'typer', 'rich']!r})))"
    )
    assert in_a_fresh_process(code).split() == ["2"]


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
        "import dsgc, dsgc.encoders, dsgc.messages\n"
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
