"""The tables and the JSON of what was measured."""

import io
import json

from rich.console import Console

from dsgc.bench.real import Measurement, Row, Share
from dsgc.bench.real._report import to_json, to_markdown, to_table

ROWS = (
    Row("newest", "mine", (Share(0.5, 0.1), Share(1.0, 0.0)), Share(0.75, 0.05)),
    Row("a peer", "peers", (Share(0.125, 0.1), Share(1.0, 0.0)), Share(0.5625, 0.05), "", "p 1.0"),
    Row("another", "peers", note="not installed"),
)
SHOP = Measurement("shop[a]", 3, 8, (25, 60), ROWS)


def test_the_markdown_is_one_table_with_two_columns_a_file() -> None:
    other = SHOP._replace(file="bank", n_cases=2, rows=ROWS[::-1][:1] + ROWS[1:])
    assert to_markdown([SHOP, other]).splitlines() == [
        "| rule | shop[a], 8 calls: 25 / 60 % | mean | bank, 2 calls: 25 / 60 % | mean |",
        "| --- | --- | --- | --- | --- |",
        "| mine: newest | 0.50 1.00 | 0.75 | not installed |  |",
        "| peers: a peer | 0.12 1.00 | 0.56 | 0.12 1.00 | 0.56 |",
        "| peers: another | not installed |  | not installed |  |",
    ]


def test_the_table_names_the_file_the_cases_and_each_rule() -> None:
    out = io.StringIO()
    Console(file=out, width=100).print(to_table(SHOP))
    text = out.getvalue()
    assert "shop[a]: 8 calls of 3 traces" in text
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    assert ["newest", "0.50", "1.00", "0.75"] in rows
    assert ["a peer", "0.12", "1.00", "0.56"] in rows
    assert any("another" in row and "not installed" in row for row in rows)


def test_the_json_holds_cells_with_standard_errors_and_notes() -> None:
    (item,) = json.loads(to_json([SHOP]))["files"]
    assert (item["file"], item["traces"], item["cases"]) == ("shop[a]", 3, 8)
    assert item["rows"][0] == {
        "rule": "newest",
        "group": "mine",
        "cells": [
            {"budget": 25, "survival": 0.5, "standard_error": 0.1},
            {"budget": 60, "survival": 1.0, "standard_error": 0.0},
        ],
        "mean": {"survival": 0.75, "standard_error": 0.05},
    }
    assert item["rows"][1]["version"] == "p 1.0"
    assert item["rows"][2] == {"rule": "another", "group": "peers", "note": "not installed"}
