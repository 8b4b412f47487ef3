"""What was measured, as a table for a terminal, for a README and as JSON."""

import json
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from dsgc.bench.real._measure import Measurement, Row, Share

if TYPE_CHECKING:
    from rich.table import Table

HEADING = "Share of the calls of which every needed value survives, by budget"


def to_table(measurement: Measurement) -> "Table":
    """Return a table of one file, a section for each group of rules."""
    from rich.markup import escape
    from rich.table import Table

    title = f"{measurement.file}: {measurement.n_cases} calls of {measurement.n_traces} traces"
    table = Table(title=escape(title), title_justify="left")
    table.add_column("rule", overflow="fold")
    for budget in measurement.budgets:
        table.add_column(f"{budget} %", justify="right")
    table.add_column("mean", justify="right")
    for group, rows in groupby(measurement.rows, key=lambda row: row.group):
        table.add_section()
        table.add_row(f"[bold]{group}")
        for row in rows:
            table.add_row(f"  {row.rule}", *_cells(row))
    return table


def to_markdown(measurements: Sequence[Measurement]) -> str:
    """Return one table: a row for each rule, two columns for each file."""
    head, line = ["rule"], ["---"]
    for measurement in measurements:
        budgets = " / ".join(map(str, measurement.budgets))
        head += [f"{measurement.file}, {measurement.n_cases} calls: {budgets} %", "mean"]
        line += ["---", "---"]
    rows = [head, line]
    for same_rule in zip(*(measurement.rows for measurement in measurements), strict=True):
        first = same_rule[0]
        cells = [f"{first.group}: {first.rule}"]
        for row in same_rule:
            cells += [" ".join(_cells(row)[:-1]), _cells(row)[-1]] if row.mean else [row.note, ""]
        rows.append(cells)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def to_json(measurements: Sequence[Measurement]) -> str:
    """Return everything as JSON, standard errors included."""
    items = [
        {
            "file": measurement.file,
            "traces": measurement.n_traces,
            "cases": measurement.n_cases,
            "rows": [_item(row, measurement.budgets) for row in measurement.rows],
        }
        for measurement in measurements
    ]
    return json.dumps({"measure": "next-call survival", "files": items}, indent=2) + "\n"


def _cells(row: Row) -> list[str]:
    if row.mean is None:
        return [row.note]
    return [_short(share) for share in (*row.cells, row.mean)]


def _short(share: Share) -> str:
    return f"{share.survival:.2f}"


def _item(row: Row, budgets: Sequence[int]) -> dict[str, object]:
    item: dict[str, object] = {"rule": row.rule, "group": row.group}
    if row.version:
        item["version"] = row.version
    if row.mean is None:
        return item | {"note": row.note}
    cells = [
        {"budget": budget, **share._asdict()}
        for budget, share in zip(budgets, row.cells, strict=True)
    ]
    return item | {"cells": cells, "mean": row.mean._asdict()}
