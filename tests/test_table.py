"""A retention as a table."""

from dataclasses import replace

from dsgc import Block, Verdict, retain
from dsgc._table import retention_table
from tests.strategies import CHAIN, EDGES, QUERY, RECORD


def test_numbers_stand_right_words_left_and_columns_are_as_wide_as_their_widest_cell() -> None:
    records = [
        replace(RECORD, id="rule-1"),
        replace(
            RECORD,
            id="b",
            rank=10,
            similarity=-0.25,
            support=12.5,
            score=100.0,
            cost=12_345,
            kept=False,
            verdict=Verdict("duplicate", "a"),
        ),
    ]
    assert retention_table("Title", records, 2).splitlines() == [
        "Title",
        "rank  id       cost  similarity  relevance  support     score  kept  reason",
        "   1  rule-1      7      0.5000     0.2500   0.1250    0.3750  yes   ranked",
        "  10  b       12345     -0.2500     0.2500  12.5000  100.0000  no    duplicate of 'a'",
    ]


def test_no_line_ends_in_white_space() -> None:
    table = retention_table(
        "Title", [RECORD, replace(RECORD, verdict=Verdict("duplicate", "b"))], 9
    )
    assert [line for line in table.splitlines() if line != line.rstrip()] == []


def test_an_id_of_more_than_32_characters_is_cut_and_ends_in_an_ellipsis() -> None:
    records = [replace(RECORD, id="x" * 32), replace(RECORD, id="y" * 33)]
    _, _, whole, shortened = retention_table("Title", records, 2).splitlines()
    assert whole.split()[1] == "x" * 32
    assert shortened.split()[1] == "y" * 31 + "…"
    assert whole.index("ranked") == shortened.index("ranked")


def test_what_is_left_out_is_counted() -> None:
    assert retention_table("Title", [RECORD], 1).splitlines()[-1].endswith("ranked")
    assert retention_table("Title", [RECORD], 2).splitlines()[-1] == "... and 1 more"
    assert retention_table("Title", [RECORD, RECORD], 50).splitlines()[-1] == "... and 48 more"


def test_without_records_there_are_a_title_and_heads() -> None:
    assert retention_table("Title", [], 0).splitlines() == [
        "Title",
        "rank  id  cost  similarity  relevance  support  score  kept  reason",
    ]


def test_the_table_shows_every_block_best_first_with_its_reason() -> None:
    retention = retain(CHAIN, QUERY, 21, EDGES)
    title, head, *rows = str(retention).splitlines()
    assert title == "Retention(kept 3 of 4 blocks, 21 of 21 tokens)"
    assert head.split() == [
        "rank", "id", "cost", "similarity", "relevance", "support", "score", "kept", "reason",
    ]  # fmt: skip
    assert [row.split()[1] for row in rows] == ["c2", "c1", "c3", "n1"]
    assert rows[-1].endswith("no    over budget by 7 tokens")


def test_a_long_table_is_cut_and_says_so() -> None:
    blocks = [Block(f"b{i}", f"word{i}") for i in range(50)]
    assert str(retain(blocks, "word1", 10)).splitlines()[-1] == "... and 30 more"


def test_an_id_that_would_break_the_table_is_shown_escaped() -> None:
    table = str(retain([Block("two\nlines", "x")], "x", 1))
    assert len(table.splitlines()) == 3
    assert r"'two\nlines'" in table
