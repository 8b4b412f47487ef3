"""A retention as a small table of plain text."""

from collections.abc import Iterable

from dsgc._records import BlockRecord

_HEAD = ("rank", "id", "cost", "similarity", "relevance", "support", "score", "kept", "reason")
_LONGEST_ID = 32


def retention_table(title: str, records: Iterable[BlockRecord], n_blocks: int) -> str:
    """Return the records, best first, below a title and column heads."""
    rows = [_HEAD, *(_cells(record) for record in records)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [title, *(_line(row, widths) for row in rows)]
    if n_blocks > len(rows) - 1:
        lines.append(f"... and {n_blocks - len(rows) + 1} more")
    return "\n".join(lines)


def _cells(record: BlockRecord) -> tuple[str, ...]:
    name = record.id if record.id.isprintable() else ascii(record.id)
    name = name if len(name) <= _LONGEST_ID else name[: _LONGEST_ID - 1] + "…"
    numbers = (record.similarity, record.relevance, record.support, record.score)
    return (
        str(record.rank),
        name,
        str(record.cost),
        *(f"{number:.4f}" for number in numbers),
        "yes" if record.kept else "no",
        record.reason,
    )


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    cells = (
        cell.ljust(width) if head in ("id", "kept", "reason") else cell.rjust(width)
        for head, cell, width in zip(_HEAD, row, widths, strict=True)
    )
    return "  ".join(cells).rstrip()
