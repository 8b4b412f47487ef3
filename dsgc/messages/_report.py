"""What became of each unit of a conversation, and why."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from dsgc._table import aligned
from dsgc.messages._induction import InducedEdge

Outcome = Literal["kept", "cut", "evicted", "dropped"]
ProblemKind = Literal["orphan result", "unanswered call"]


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one unit.

    Attributes:
        id: The unit's id, which is also that of its own block in the retention.
        positions: The positions of its messages in the conversation that was given.
        outcome: `kept` whole, `cut` (some of its results), `evicted`, or `dropped` as broken.
        reason: Why, in words.
        tokens_before: What it cost.
        tokens_after: What is left of that.
        parts: Of its long results: how many parts were kept, and how many there were.
    """

    id: str
    positions: tuple[int, ...]
    outcome: Outcome
    reason: str
    tokens_before: int
    tokens_after: int
    parts: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something broken in the conversation that was given.

    Attributes:
        kind: `orphan result` (dropped: its call is nowhere before it) or `unanswered call` (kept:
            its result may still come).
        positions: The positions of the messages concerned.
        message: What is wrong and what was done, in words.
    """

    kind: ProblemKind
    positions: tuple[int, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """What became of each unit, what was broken, and the edges that were read off the trace.

    Attributes:
        rows: One a unit, in order, and one for each message part that was dropped.
        problems: What was broken in the conversation that was given.
        edges: With the value that each was induced from.

    Example:
        >>> from dsgc.messages import compact
        >>> report = compact([
        ...     {"role": "user", "content": "Hello"},
        ...     {"role": "tool", "tool_call_id": "c1", "content": "42"},
        ... ], budget=100).report
        >>> [(row.id, row.outcome, row.reason) for row in report.rows]
        [('m0', 'kept', 'everything fits'), ('m1.0', 'dropped', 'result without a call')]
        >>> report.problems[0].kind, report.problems[0].positions
        ('orphan result', (1,))
    """

    rows: tuple[Row, ...]
    problems: tuple[Problem, ...]
    edges: tuple[InducedEdge, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-ready data.

        Example:
            >>> Report((), (), ()).to_dict()
            {'rows': [], 'problems': [], 'edges': []}
        """
        return {
            "rows": [asdict(row) for row in self.rows],
            "problems": [asdict(problem) for problem in self.problems],
            "edges": [edge._asdict() for edge in self.edges],
        }

    def __str__(self) -> str:
        lines = aligned([_HEAD, *map(_cells, self.rows)], right=_NUMBERS)
        return "\n".join([*lines, *(problem.message for problem in self.problems)])


_HEAD = ("id", "messages", "outcome", "tokens", "after", "parts", "reason")
_NUMBERS = ("tokens", "after", "parts")


def _cells(row: Row) -> tuple[str, ...]:
    kept, total = row.parts
    return (
        row.id,
        _spans(row.positions),
        row.outcome,
        str(row.tokens_before),
        str(row.tokens_after),
        f"{kept}/{total}" if total else "",
        row.reason,
    )


def _spans(positions: tuple[int, ...]) -> str:
    """Return positions in short: `3-5, 9`."""
    spans: list[list[int]] = []
    for position in positions:
        if spans and spans[-1][-1] == position - 1:
            spans[-1][1:] = [position]
        else:
            spans.append([position])
    return ", ".join("-".join(map(str, span)) for span in spans)
