"""What a retention says about one block, as data and in words."""

import json
from dataclasses import FrozenInstanceError, replace
from typing import get_args

import pytest

from dsgc import Block, BlockRecord, Explanation, Verdict, retain
from dsgc._records import Records, Supporter, VerdictKind
from dsgc.errors import UnknownBlockError
from tests.strategies import RECORD


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict("pinned"), "pinned"),
        (Verdict("ranked"), "ranked"),
        (Verdict("prerequisite", "plan"), "prerequisite of 'plan'"),
        (Verdict("over_budget", tokens=1), "over budget by 1 token"),
        (Verdict("over_budget", tokens=12), "over budget by 12 tokens"),
        (
            Verdict("prerequisite_over_budget", "rule", 1),
            "prerequisite 'rule' does not fit, together over budget by 1 token",
        ),
        (
            Verdict("prerequisite_over_budget", "rule", 3),
            "prerequisite 'rule' does not fit, together over budget by 3 tokens",
        ),
        (Verdict("duplicate", "plan"), "duplicate of 'plan'"),
        (Verdict("fill_stopped", "plan"), "behind 'plan', where the fill stopped"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_verdict_of_each_kind_has_its_words(verdict: Verdict, words: str) -> None:
    assert str(verdict) == words
    assert replace(RECORD, verdict=verdict).reason == words


def test_every_kind_of_verdict_has_words() -> None:
    for kind in get_args(VerdictKind):
        assert str(Verdict(kind, "b", 2))


def test_a_record_becomes_plain_data_with_its_reason_in_words() -> None:
    record = replace(RECORD, kept=False, verdict=Verdict("over_budget", tokens=2))
    data = {
        "id": "a",
        "rank": 1,
        "similarity": 0.5,
        "relevance": 0.25,
        "support": 0.125,
        "recency": 0.0,
        "activation": 0.0,
        "score": 0.375,
        "cost": 7,
        "kept": False,
        "verdict": {"kind": "over_budget", "block_id": None, "tokens": 2},
        "reason": "over budget by 2 tokens",
    }
    assert record.to_dict() == data
    assert json.loads(json.dumps(record.to_dict())) == data


def test_a_record_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'rank'"):
        RECORD.rank = 2  # type: ignore[misc]


def test_an_explanation_is_its_paragraph_and_becomes_plain_data() -> None:
    explanation = Explanation(RECORD, (Supporter("b", 0.75), Supporter("c", 0.25)), "In words.")
    assert str(explanation) == "In words."
    assert explanation.to_dict() == {
        "record": RECORD.to_dict(),
        "supporters": [{"id": "b", "share": 0.75}, {"id": "c", "share": 0.25}],
        "text": "In words.",
    }


def records_of(*ids: str) -> Records:
    index = {block_id: position for position, block_id in enumerate(ids)}
    return Records(index, lambda position: replace(RECORD, id=ids[position], rank=position + 1))


def test_records_are_found_by_position_by_id_and_by_slice() -> None:
    records = records_of("a", "b", "c")
    assert len(records) == 3
    assert [records[0].id, records[-1].id, records["b"].id] == ["a", "c", "b"]
    assert [record.rank for record in records] == [1, 2, 3]
    assert [record.id for record in records[1:]] == ["b", "c"]
    assert [record.id for record in records[::-2]] == ["c", "a"]
    assert records[5:] == ()


@pytest.mark.parametrize("position", [3, -4])
def test_there_is_no_record_beyond_the_last_block(position: int) -> None:
    with pytest.raises(IndexError, match="out of range"):
        records_of("a", "b", "c")[position]


def test_an_unknown_id_has_no_record_and_the_nearest_is_suggested() -> None:
    with pytest.raises(
        UnknownBlockError,
        match=r"records refers to block 'rule-l', .* 2 blocks given\. Did you mean 'rule-1'",
    ) as caught:
        records_of("plan", "rule-1")["rule-l"]
    assert (caught.value.block_id, caught.value.suggestion) == ("rule-l", "rule-1")


def test_a_record_is_made_only_when_it_is_asked_for() -> None:
    made: list[int] = []

    def make(position: int) -> BlockRecord:
        made.append(position)
        return RECORD

    records = Records({"a": 0, "b": 1, "c": 2}, make)
    assert (len(records), made) == (3, [])
    assert (records["c"], records[0], made) == (RECORD, RECORD, [2, 0])


def test_a_record_is_found_by_position_by_id_and_by_slice() -> None:
    records = retain([Block(name, name) for name in ("c1", "c2", "n1", "c3")], "c2", 2).records
    assert records["c2"] == records[1] == records[1:2][0] == list(records)[1]
    assert records[-1].id == "c3"
    assert len(records) == 4
    with pytest.raises(IndexError, match="out of range"):
        records[4]
