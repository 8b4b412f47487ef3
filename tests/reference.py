"""Where the released artifact's scenarios are, and how they are read."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(
    os.environ.get("DSGC_REFERENCE") or Path(__file__).parents[2] / "shared" / "reference"
)

needs_reference = pytest.mark.skipif(
    not (FOLDER / "expected.jsonl").is_file(),
    reason=f"the reference scenarios are not at {FOLDER}; set DSGC_REFERENCE to their folder",
)


def read_rows(name: str) -> list[dict[str, Any]]:
    """Read one JSON-lines file of the reference folder."""
    with (FOLDER / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
