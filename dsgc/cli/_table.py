"""A compaction as a table for people."""

from collections.abc import Iterator

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dsgc.messages import Compaction, Row

_COLOURS = {"kept": "green", "cut": "yellow", "evicted": "red", "dropped": "magenta"}
_NUMBERS = ("tokens", "after", "parts")
_HEAD = ("id", "messages", "outcome", *_NUMBERS, "reason")
_WIDTH = 100  # where nobody says how wide a line may be


def console_on_stderr() -> Console:
    """Return a console that writes to standard error, in colour if that is a terminal."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


def show(compaction: Compaction, n_given: int, n_sent_along: int, console: Console) -> None:
    """Show what went and why: a title, a table, and what was broken."""
    kept = f"Kept {len(compaction.messages)} of {n_given} messages, "
    spent = f"{compaction.tokens_after} of {compaction.tokens_before} tokens"
    room = f"; there was room for {compaction.budget}"
    along = f" beside {n_sent_along} tools and instructions" if n_sent_along else ""
    console.print(f"{kept}{spent}{room}{along}.", soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in _HEAD:
        table.add_column(
            head,
            justify="right" if head in _NUMBERS else "left",
            no_wrap=head not in ("messages", "reason"),
        )
    for row in compaction.report.rows:
        table.add_row(*_cells(row))
    console.print(table)
    for problem in compaction.report.problems:
        console.print(problem.message, soft_wrap=True)


def _cells(row: Row) -> Iterator[Text]:
    kept, total = row.parts
    yield Text(row.id)
    yield Text(", ".join(map(str, row.positions)))
    yield Text(row.outcome, style=_COLOURS[row.outcome])
    yield Text(str(row.tokens_before))
    yield Text(str(row.tokens_after))
    yield Text(f"{kept}/{total}" if total else "")
    yield Text(row.reason)
