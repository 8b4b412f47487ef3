"""The report tells what became of each unit: the tokens, the parts and the reason."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.errors import PinsOverBudgetError
from dsgc.messages import Compaction, InducedEdge, Problem, Row, compact
from tests.messages.conversations import Conversation, conversations
from tests.messages.renderings import RENDERERS


def asked(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def called(*ids: str, arguments: str = "{}") -> dict[str, Any]:
    calls = [{"id": each, "function": {"name": "read", "arguments": arguments}} for each in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def told(call_id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def rows_of(compaction: Compaction) -> dict[str, Row]:
    return {row.id: row for row in compaction.report.rows}


RECORDS = json.dumps([f"alpha{number} beta gamma delta" for number in range(20)])
HISTORY = [
    asked("alpha3 beta"),
    {"role": "assistant", "content": "x " * 300},
    called("c1"),
    told("c1", RECORDS),
    asked("alpha4 gamma"),
]


def test_where_everything_fits_each_unit_is_kept_for_that_reason() -> None:
    report = compact(HISTORY, 1_000).report
    assert report.rows == (
        Row("m0", (0,), "kept", "everything fits", 7, 7),
        Row("m1", (1,), "kept", "everything fits", 154, 154),
        Row("m2", (2, 3), "kept", "everything fits", 148, 148),
        Row("m4", (4,), "kept", "everything fits", 7, 7),
    )
    assert (report.problems, report.edges) == ((), ())


def test_a_unit_is_kept_or_evicted_for_the_reason_of_its_block() -> None:
    compaction = compact(HISTORY, 170)
    rows = rows_of(compaction)
    records = compaction.retention.records
    assert rows["m1"] == Row("m1", (1,), "evicted", records["m1"].reason, 154, 0)
    assert rows["m4"] == Row("m4", (4,), "kept", records["m4"].reason, 7, 7)
    assert records["m4"].reason == "pinned"


def test_a_result_that_was_cut_tells_how_many_parts_are_left_and_why() -> None:
    compaction = compact(HISTORY, 130)
    row = rows_of(compaction)["m2"]
    said = json.loads(compaction.messages[2]["content"])
    n_kept = sum(record.startswith("alpha") for record in said)
    assert 0 < n_kept < 20
    assert (row.outcome, row.parts, row.tokens_before) == ("cut", (n_kept, 20), 148)
    assert row.tokens_after == compaction.tokens_after - 7 - 7
    records = compaction.retention.records
    parts = [records[f"m2#{number}"] for number in range(1, 21)]
    best = min((part for part in parts if not part.kept), key=lambda record: record.rank)
    assert row.reason == (
        f"{records['m2'].reason}; {20 - n_kept} of 20 parts left out, {best.reason}"
    )


def test_a_result_whose_marks_would_cost_more_than_what_is_lost_stays_with_all_its_parts() -> None:
    n_decided = set()
    for budget in range(160, 190):
        compaction = compact(HISTORY, budget)
        if compaction.messages[2] is HISTORY[3]:
            records = compaction.retention.records
            n_decided.add(sum(records[f"m2#{number}"].kept for number in range(1, 21)))
            row = rows_of(compaction)["m2"]
            assert (row.outcome, row.parts) == ("kept", (20, 20))
            assert (row.tokens_before, row.tokens_after) == (148, 148)
    assert n_decided == {19, 20}


def test_of_two_results_only_the_one_that_was_cut_has_parts_left_out() -> None:
    other = json.dumps([f"the {number} quick brown foxes jumped over it" for number in range(30)])
    history = [*HISTORY[:2], called("c1", "c2"), *HISTORY[3:4], told("c2", other), HISTORY[4]]
    for budget in range(180, 500, 7):
        compaction = compact(history, budget)
        row = rows_of(compaction).get("m2")
        if row is None or row.outcome == "evicted":
            continue
        texts = [message["content"] for message in compaction.messages if message["role"] == "tool"]
        there = sum(
            f'"{record}"' in text
            for text, source in zip(texts, (RECORDS, other), strict=True)
            for record in json.loads(source)
        )
        assert row.parts == (there, 50)
        assert (row.outcome == "kept") == (there == 50)


def test_a_unit_that_is_evicted_has_none_of_its_parts() -> None:
    compaction = compact(HISTORY, 20)
    records = compaction.retention.records
    assert rows_of(compaction)["m2"] == Row(
        "m2", (2, 3), "evicted", records["m2"].reason, 148, 0, (0, 20)
    )


def test_results_without_a_call_are_dropped_by_name_where_they_stood() -> None:
    history = [asked("hello"), told("c9", "milk"), asked("and now?")]
    orphan = {"role": "tool", "tool_call_id": "c8", "name": "look", "content": "bread"}
    report = compact([*history, orphan], 100).report
    assert [(row.id, row.outcome) for row in report.rows] == [
        ("m0", "kept"),
        ("m1.0", "dropped"),
        ("m2", "kept"),
        ("m3.0", "dropped"),
    ]
    assert report.rows[1] == Row("m1.0", (1,), "dropped", "result without a call", 1, 0)
    assert report.problems == (
        Problem(
            "orphan result",
            (1,),
            "messages[1] holds a result without a call before it that still waits for "
            "one. It was left out: no model accepts it.",
        ),
        Problem(
            "orphan result",
            (3,),
            "messages[3] holds a result of 'look' without a call before it that still waits "
            "for one. It was left out: no model accepts it.",
        ),
    )


@pytest.mark.parametrize("budget", [1_000, 60])
def test_calls_that_wait_are_kept_and_told(budget: int) -> None:
    history = [asked("x " * 100), called("c1", "c2"), told("c1", "milk"), asked("well?")]
    compaction = compact(history, budget)
    assert rows_of(compaction)["m1"].outcome == "kept"
    assert compaction.report.problems == (
        Problem(
            "unanswered call",
            (1,),
            "messages[1] holds a call of 'read' that has no result. It was kept: the result may "
            "still come.",
        ),
    )


def test_edges_come_with_their_evidence() -> None:
    history = [asked("Where is #W23?"), called("c1", arguments='{"id": "#W23"}'), *HISTORY[3:]]
    assert compact(history, 60).report.edges == (InducedEdge("m1", "m0", "#W23", "id", "read"),)


@given(conversations(), st.integers(0, 12), st.booleans())
def test_what_the_rows_say_adds_up_to_what_the_compaction_costs(
    drawn: Conversation, tenths: int, split: bool
) -> None:
    messages = RENDERERS["openai-chat"](drawn)
    total = compact(messages, 10**9, format="openai-chat").tokens_before
    try:
        compaction = compact(
            messages, total * tenths // 10, format="openai-chat", split_results=split
        )
    except PinsOverBudgetError:
        return
    rows = compaction.report.rows
    n_dropped = sum(row.outcome == "dropped" for row in rows)
    assert sum(row.tokens_before for row in rows) + 4 * n_dropped == total
    assert sum(row.tokens_after for row in rows) == compaction.tokens_after
    assert [row.positions[0] for row in rows] == sorted(row.positions[0] for row in rows)
    for row in rows:
        n_kept, n_parts = row.parts
        match row.outcome:
            case "kept":
                assert (row.tokens_after, n_kept) == (row.tokens_before, n_parts)
            case "cut":
                assert 0 < row.tokens_after < row.tokens_before
                assert 0 <= n_kept < n_parts
                assert f"{n_parts - n_kept} of {n_parts} parts left out, " in row.reason
            case _:
                assert (row.tokens_after, n_kept) == (0, 0)
