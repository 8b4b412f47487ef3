"""What `compact` returns: messages at once, the reasons when they are asked for."""

import json
import pickle
from typing import Any

from dsgc import Block, retain
from dsgc.messages import Compaction, Report, Row, compact

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "assistant", "content": "x " * 200},
    {"role": "user", "content": "What is left?"},
]
REPORT = Report((Row("m0", (0,), "kept", "pinned", 7, 7),), (), ())
RETENTION = retain([Block("m0", "a", 7)], "a", 9)


class Asked:
    """Makes a value, and counts how often."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.times = 0

    def __call__(self) -> Any:
        self.times += 1
        return self.value


def test_report_and_retention_are_made_once_and_only_when_asked_for() -> None:
    report, retention = Asked(REPORT), Asked(RETENTION)
    compaction = Compaction(["hello"], (20, 7), 9, report, retention, 3)
    assert repr(compaction) == "Compaction(kept 1 of 3 messages, 7 of 20 tokens)"
    assert (report.times, retention.times) == (0, 0)
    assert compaction.report is compaction.report is REPORT
    assert compaction.retention is compaction.retention is RETENTION
    assert (report.times, retention.times) == (1, 1)


def test_it_can_be_sent_to_another_process() -> None:
    compaction = compact(MESSAGES, 60)
    sent = pickle.loads(pickle.dumps(compaction))
    assert sent.messages == compaction.messages
    assert str(sent) == str(compaction)
    assert sent.to_dict() == compaction.to_dict()


def test_it_prints_as_a_line_and_the_report() -> None:
    compaction = Compaction(["hello"], (20, 7), 9, Asked(REPORT), Asked(RETENTION), 3)
    assert str(compaction).splitlines() == [
        "Compaction(kept 1 of 3 messages, 7 of 20 tokens)",
        "id  messages  outcome  tokens  after  parts  reason",
        "m0  0         kept          7      7         pinned",
    ]


def test_as_data_it_has_everything_but_the_messages_and_can_be_written_as_json() -> None:
    compaction = Compaction(["hello"], (20, 7), 9, Asked(REPORT), Asked(RETENTION), 3)
    assert compaction.to_dict() == {
        "budget": 9,
        "tokens_before": 20,
        "tokens_after": 7,
        "report": REPORT.to_dict(),
        "retention": RETENTION.to_dict(),
    }
    assert json.loads(json.dumps(compaction.to_dict()))["report"]["rows"][0]["id"] == "m0"


def test_what_was_compacted_says_what_it_cost_and_what_there_was_room_for() -> None:
    compaction = compact(MESSAGES, 50, reserve=20)
    assert [message["role"] for message in compaction.messages] == ["system", "user"]
    assert (compaction.tokens_before, compaction.tokens_after, compaction.budget) == (119, 15, 30)
    assert repr(compaction) == "Compaction(kept 2 of 3 messages, 15 of 119 tokens)"
    assert compaction.retention.kept_ids == ("m0", "m2")
    assert json.loads(json.dumps(compaction.to_dict()))["tokens_after"] == 15


def test_the_reasons_do_not_change_when_the_given_list_does() -> None:
    given = list(MESSAGES)
    compaction = compact(given, 1_000)
    given.clear()
    assert [row.id for row in compaction.report.rows] == ["m0", "m1", "m2"]
    assert compaction.retention.kept_ids == ("m0", "m1", "m2")
    assert compaction.messages == MESSAGES
