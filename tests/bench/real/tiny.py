"""Hand-made traces whose answers are known."""

import json
from pathlib import Path
from typing import Any

from dsgc.bench.real import Case, Trace, cases_of

Message = dict[str, Any]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}


def call(name: str, arguments: dict[str, object], call_id: str = "c1") -> Message:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def result(text: str, call_id: str = "c1") -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


# Blocks: m0 of 2 words, m1 of 6 (3 in the call, 3 in the result), m3 of 1, m4 of 4, m5 of 1.
SHIPPING = Trace(
    "shipping",
    [
        user("old order"),
        call("lookup", {"user": "mia_1234"}),
        result("code ab-77 found"),
        assistant("fine"),
        user("and the second one"),
        assistant("yes"),
        user("send it to 90210-1 now"),
        call("ship", {"code": "ab-77", "zip": "90210-1", "express": True, "n": 3}, "c2"),
        result("done", "c2"),
    ],
)


def case_of(trace: Trace) -> Case:
    """Return the only case of a trace."""
    (case,) = cases_of(trace)
    return case


def with_message(trace: Trace, position: int, message: Message) -> Trace:
    """Return a trace with one message in the place of another."""
    messages = list(trace.messages)
    messages[position] = message
    return Trace(trace.id, messages)


def write_traces(folder: Path, name: str, *traces: Trace) -> Path:
    """Write a file of traces where the benchmark looks for it, and return its path."""
    file = folder / "traces" / f"{name}.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_text(
        "".join(json.dumps(trace._asdict() | {"license": "MIT"}) + "\n" for trace in traces),
        encoding="utf-8",
    )
    return file
