"""`dsgc explain`: why units and parts would stay or go, on standard output."""

from pathlib import Path

from dsgc.messages import compact
from tests.cli.conftest import CONVERSATION, Run

RETENTION = compact(CONVERSATION, 90).retention


def test_the_units_and_parts_that_are_named_are_explained_in_turn(
    run: Run, conversation: Path
) -> None:
    outcome = run("explain", conversation, "--budget", 90, "m4", "m2#1")
    assert outcome.stdout.splitlines() == [
        str(RETENTION.explain("m4")),
        str(RETENTION.explain("m2#1")),
    ]
    assert (outcome.status, outcome.stderr) == (0, "")


def test_all_are_explained_where_none_is_named(run: Run, conversation: Path) -> None:
    lines = run("explain", conversation, "--budget", 90).stdout.splitlines()
    assert lines == [str(RETENTION.explain(record.id)) for record in RETENTION.records]
    assert len(lines) > 5


def test_an_unknown_id_is_refused_with_the_nearest(run: Run, conversation: Path) -> None:
    outcome = run("explain", conversation, "--budget", 90, "m44")
    assert (outcome.status, outcome.stdout) == (2, "")
    assert "block 'm44', which is not among the" in outcome.stderr
    assert "Did you mean 'm4'?" in outcome.stderr


def test_options_are_those_of_compact(run: Run, conversation: Path) -> None:
    outcome = run("explain", conversation, "--budget", 90, "m4", "--policy", "sliding-window")
    assert "its relevance" in outcome.stdout
    assert "It has recency" in outcome.stdout
    refused = run("explain", conversation, "--budget", 10)
    assert refused.status == 1
    assert "the pinned blocks 'm0', 'm5' cost" in refused.stderr
