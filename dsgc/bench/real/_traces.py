"""Where traces of real agents are, and how they are read."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dsgc.errors import InputError

_VARIABLE = "DSGC_REAL_DATA"


class Trace(NamedTuple):
    """One conversation of an agent, in the form of OpenAI chat messages."""

    id: str
    messages: Sequence[dict[str, Any]]


def data_folder(given: Path | None = None) -> Path:
    """Return the folder of the real data: as given, by the environment, or beside the checkout.

    Raises:
        InputError: there is no such folder.
    """
    folder = given or Path(os.environ.get(_VARIABLE) or Path("..") / "shared" / "real")
    if not folder.is_dir():
        raise InputError(
            f"there is no folder {folder}. Name the folder of the real data with --data, or with "
            f"the environment variable {_VARIABLE}."
        )
    return folder


def trace_files(folder: Path) -> list[Path]:
    """Return the files of traces in the folder of the real data, by name.

    Raises:
        InputError: there is none.
    """
    files = sorted((folder / "traces").glob("*.jsonl"))
    if not files:
        raise InputError(f"there is no *.jsonl file of traces in {folder / 'traces'}.")
    return files


def read_traces(file: Path) -> list[Trace]:
    """Read a file of JSON lines, each with an `id` and `messages`.

    Raises:
        InputError: a line is no such object.
    """
    lines = file.read_text(encoding="utf-8").split("\n")
    return [_trace(line, f"{file}:{n}") for n, line in enumerate(lines, 1) if line.strip()]


def _trace(line: str, place: str) -> Trace:
    try:
        item = json.loads(line)
    except ValueError as error:
        raise InputError(f"{place} is not JSON: {error}.") from None
    match item:
        case {"id": str(name), "messages": [*messages]} if all(map(_is_message, messages)):
            return Trace(name, messages)
    raise InputError(f"{place} is no trace: an object with a text `id` and a list of `messages`.")


def _is_message(message: Any) -> bool:
    return isinstance(message, dict)
