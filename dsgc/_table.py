"""A retention as a small table of plain text."""

from collections.abc import Collection, Iterable, Sequence

from dsgc._records import BlockRecord

_HEAD = ("rank", "id", "cost", "similarity", "relevance", "support", "score", "kept", "reason")
_NUMBERS = ("rank", "cost", "similarity", "relevance", "support", "score")
_LONGEST_ID = 32


def retention_table(title: str, records: Iterable[BlockRecord], n_blocks: int) -> str:
    """Return the records, best first, below a title and column heads."""
    rows = [_HEAD, *(_cells(record) for record in records)]
    lines = [title, *aligned(rows, right=_NUMBERS)]
    if n_blocks > len(rows) - 1:
        lines.append(f"... and {n_blocks - len(rows) + 1} more")
    return "\n".join(lines)


def aligned(rows: Sequence[Sequence[str]], right: Collection[str]) -> list[str]:
    """Return rows as lines; the first holds the heads, `right` those that are set to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = (
            cell.rjust(width) if head in right else cell.ljust(width)
            for head, cell, width in zip(rows[0], row, widths, strict=True)
        )
        lines.append("  ".join(cells).rstrip())
    return lines


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
