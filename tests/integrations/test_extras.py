"""Each hook needs its own framework, says so where that is missing, and loads no other."""

import importlib
import re
import subprocess
import sys

import pytest

from dsgc.errors import MissingExtraError


@pytest.mark.parametrize(
    ("module", "framework", "extra"),
    [
        ("langchain", "langchain", "langchain"),
        ("langgraph", "langgraph", "langchain"),
        ("langgraph", "langchain_core", "langchain"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
        ("openai_agents", "agents", "openai-agents"),
    ],
)
def test_a_missing_framework_is_named_with_its_extra(
    module: str, framework: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"dsgc.integrations.{module}"
    for loaded in list(sys.modules):
        if loaded == name or loaded.partition(".")[0] == framework:
            monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, framework, None)
    message = f"{name} needs the '{extra}' extra: pip install 'dsgc[{extra}]'"
    with pytest.raises(MissingExtraError, match=f"^{re.escape(message)}$") as caught:
        importlib.import_module(name)
    assert caught.value.extra == extra


@pytest.mark.parametrize("name", ["dsgc.messages", "dsgc.integrations"])
def test_importing_the_package_loads_no_framework(name: str) -> None:
    heavy = {"langchain", "langchain_core", "langgraph", "pydantic_ai", "agents", "openai"}
    code = f"import sys, {name}; print(*sorted(sys.modules.keys() & {heavy!r}))"
    output = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    ).stdout
    assert output.split() == []
