"""The paper's lexical encoder, against its definition."""

import hashlib
import math
import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc import Block, Encoder, LexicalEncoder, retain
from dsgc._fitted import FittedLexicalEncoder

characters = st.characters(codec="utf-8") | st.characters(categories=["Cs"])
words = st.sampled_from(
    ["delete", "Delete", "backup", "a_b", "7", "é", "备份", "\u212a", "İ", "\ud800"]
)
texts = st.text(characters) | st.lists(words, max_size=12).map(" ".join)


def plain_rows(texts: Sequence[str]) -> list[list[float]]:
    """The definition, one token at a time (DSGC paper, section 3)."""
    rows = []
    for text in texts:
        row = [0.0] * 256
        for token in re.findall(r"[a-zA-Z0-9_]+", text.lower()):
            digest = hashlib.sha256(token.encode("ascii")).digest()
            bucket = int.from_bytes(digest[:4], "big") % 256
            row[bucket] += 1.0 if digest[4] % 2 == 0 else -1.0
        length = math.sqrt(sum(value * value for value in row))
        rows.append([value / length if length else 0.0 for value in row])
    return rows


@given(st.lists(texts, max_size=6))
def test_rows_are_those_of_the_definition_to_the_last_bit(texts: list[str]) -> None:
    rows = LexicalEncoder().encode(texts)
    assert rows.shape == (len(texts), 256)
    assert rows.dtype == np.float64
    assert rows.tolist() == plain_rows(texts)


@given(st.lists(texts, max_size=6))
def test_rows_are_of_unit_length_or_zero(texts: list[str]) -> None:
    for row in LexicalEncoder().encode(texts):
        assert np.linalg.norm(row) == pytest.approx(1.0, abs=1e-12) or not row.any()


@given(st.lists(texts, min_size=1, max_size=6), st.lists(texts, max_size=6))
def test_a_row_depends_on_its_own_text_alone(texts: list[str], others: list[str]) -> None:
    encoder = LexicalEncoder()
    encoder.encode(others)
    together = encoder.encode([*others, *texts])[len(others) :]
    assert together.tobytes() == LexicalEncoder().encode(texts).tobytes()


@pytest.mark.parametrize(
    ("token", "bucket", "sign"),
    [("a", 18, 1.0), ("the", 125, -1.0), ("delete", 85, -1.0), ("backup", 134, -1.0)],
)
def test_known_words_fall_into_known_buckets(token: str, bucket: int, sign: float) -> None:
    row = LexicalEncoder().encode([token])[0]
    assert np.flatnonzero(row).tolist() == [bucket]
    assert row[bucket] == sign


def test_a_word_that_recurs_weighs_more() -> None:
    row = LexicalEncoder().encode(["a a a the"])[0]
    assert row[18] == 3 / math.sqrt(10)
    assert row[125] == -1 / math.sqrt(10)


def test_case_and_punctuation_make_no_difference() -> None:
    rows = LexicalEncoder().encode(["Delete, the BACKUP!", "backup the delete"])
    assert rows[0].tobytes() == rows[1].tobytes()


def test_an_underscore_joins_words() -> None:
    rows = LexicalEncoder().encode(["backup_rule", "backup rule"])
    assert abs(rows[0] @ rows[1]) < 0.8


@pytest.mark.parametrize("text", ["", " ", "...", "备份规则", "Привет", "\ud800\udfff", "éü"])
def test_a_text_without_ascii_words_is_a_zero_row(text: str) -> None:
    assert not LexicalEncoder().encode([text]).any()


def test_a_lone_surrogate_only_separates_words() -> None:
    rows = LexicalEncoder().encode(["delete\ud800backup", "delete backup"])
    assert rows[0].tobytes() == rows[1].tobytes()


def test_words_that_cancel_leave_a_zero_row() -> None:
    encoder = LexicalEncoder()
    first = encoder.encode(["w0"])[0]
    opposite = next(
        word
        for word in (f"w{n}" for n in range(10_000))
        if (encoder.encode([word])[0] == -first).all()
    )
    assert not encoder.encode([f"w0 {opposite}"]).any()


def test_no_texts_give_no_rows() -> None:
    assert LexicalEncoder().encode([]).shape == (0, 256)


def test_fitted_gives_an_encoder_that_has_counted_the_words() -> None:
    encoder = LexicalEncoder.fitted(text for text in ("the budget", "the backup"))
    assert isinstance(encoder, FittedLexicalEncoder)
    assert encoder.encode(["the backup"]).shape == (1, 3)


@pytest.mark.parametrize("encoder", [LexicalEncoder(), LexicalEncoder.fitted(["a"])])
def test_both_lexical_encoders_are_encoders(encoder: object) -> None:
    assert isinstance(encoder, Encoder)


@given(st.permutations(["delete the backup", "weather", "backup rule", "", "delete"]))
def test_the_similarity_of_a_block_does_not_depend_on_where_it_stands(order: list[str]) -> None:
    query = "delete the old backup"
    retention = retain([Block(text, text) for text in order], query, 9, encoder=LexicalEncoder())
    alone = {
        text: retain([Block("x", text)], query, 9, encoder=LexicalEncoder()).records["x"].similarity
        for text in order
    }
    assert {record.id: record.similarity for record in retention.records} == alone
