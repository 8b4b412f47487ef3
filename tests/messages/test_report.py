"""The report as a table and as data."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.messages import InducedEdge, Problem, Report, Row
from dsgc.messages._report import _spans

REPORT = Report(
    rows=(
        Row("m0", (0,), "kept", "pinned", 12, 12),
        Row(
            "m1",
            (1, 2, 3, 9),
            "cut",
            "ranked; 3 of 5 parts left out, over budget",
            1_204,
            88,
            (2, 5),
        ),
        Row("m4.1", (4,), "evicted", "over budget", 7, 0),
        Row("m5.0", (5,), "dropped", "result without a call", 3, 0),
    ),
    problems=(Problem("orphan result", (5,), "messages[5] holds a result."),),
    edges=(InducedEdge("m4.1", "m1", "#W23", "order_id", "get_order"),),
)


def test_it_prints_as_a_table_with_the_problems_below() -> None:
    assert str(REPORT).splitlines() == [
        "id    messages  outcome  tokens  after  parts  reason",
        "m0    0         kept         12     12         pinned",
        "m1    1-3, 9    cut        1204     88    2/5  ranked; 3 of 5 parts left out, over budget",
        "m4.1  4         evicted       7      0         over budget",
        "m5.0  5         dropped       3      0         result without a call",
        "messages[5] holds a result.",
    ]


def test_a_report_on_nothing_prints_its_head() -> None:
    head = "id  messages  outcome  tokens  after  parts  reason"
    assert str(Report((), (), ())) == head


def test_as_data_it_can_be_written_as_json() -> None:
    assert json.loads(json.dumps(REPORT.to_dict())) == {
        "rows": [
            {
                "id": name,
                "positions": positions,
                "outcome": outcome,
                "reason": reason,
                "tokens_before": before,
                "tokens_after": after,
                "parts": parts,
            }
            for name, positions, outcome, reason, before, after, parts in [
                ("m0", [0], "kept", "pinned", 12, 12, [0, 0]),
                (
                    "m1",
                    [1, 2, 3, 9],
                    "cut",
                    "ranked; 3 of 5 parts left out, over budget",
                    1_204,
                    88,
                    [2, 5],
                ),
                ("m4.1", [4], "evicted", "over budget", 7, 0, [0, 0]),
                ("m5.0", [5], "dropped", "result without a call", 3, 0, [0, 0]),
            ]
        ],
        "problems": [
            {"kind": "orphan result", "positions": [5], "message": "messages[5] holds a result."}
        ],
        "edges": [
            {
                "dependent": "m4.1",
                "prerequisite": "m1",
                "value": "#W23",
                "argument": "order_id",
                "tool": "get_order",
            }
        ],
    }


@pytest.mark.parametrize(
    ("positions", "short"),
    [
        ((), ""),
        ((3,), "3"),
        ((3, 4), "3-4"),
        ((3, 4, 5, 9), "3-5, 9"),
        ((1, 3, 5), "1, 3, 5"),
        ((0, 1, 9, 10, 11), "0-1, 9-11"),
    ],
)
def test_positions_are_shown_as_spans(positions: tuple[int, ...], short: str) -> None:
    assert _spans(positions) == short


@given(st.sets(st.integers(0, 60)).map(lambda numbers: tuple(sorted(numbers))))
def test_spans_say_each_position_and_no_other(positions: tuple[int, ...]) -> None:
    told: list[int] = []
    for span in filter(None, _spans(positions).split(", ")):
        first, _, last = span.partition("-")
        told.extend(range(int(first), int(last or first) + 1))
    assert tuple(told) == positions
    n_gaps = sum(late - early > 1 for early, late in pairwise(positions))
    assert _spans(positions).count(",") == n_gaps
