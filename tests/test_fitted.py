"""The lexical encoder that has counted the words of a memory."""

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from dsgc import Block, LexicalEncoder, retain
from dsgc._fitted import FittedLexicalEncoder, tokenize

english = st.lists(
    st.sampled_from(["delete", "backup", "the", "rule", "Rule", "B7", "7", "x_y"]), max_size=9
).map(" ".join)
characters = st.characters(codec="utf-8") | st.characters(categories=["Cs"])
anything = st.text(characters) | st.text(
    "备份规则删除กาคน éßİ\u0301\ud800\uff41\uff11", max_size=12
)


def plain_rows(memory: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
    """The formula, one token at a time, for texts of ASCII."""
    counted = [Counter(re.findall("[a-z0-9]+", text.lower())) for text in memory]
    vocabulary = sorted(set().union(*counted))
    rows = []
    for text in texts:
        count = Counter(re.findall("[a-z0-9]+", text.lower()))
        row = []
        for token in vocabulary:
            n, f, c = len(memory), sum(token in words for words in counted), count[token]
            rarity = math.log(1 + (n - f + 0.5) / (f + 0.5))
            row.append((1 + math.log(c)) * rarity if c else 0.0)
        length = math.sqrt(sum(weight * weight for weight in row))
        rows.append([weight / length if length else 0.0 for weight in row])
    return rows


def similarity(first: str, second: str) -> float:
    rows = LexicalEncoder.fitted([first, second]).encode([first, second]).toarray()
    return float(rows[0] @ rows[1])


@given(st.lists(english, min_size=1, max_size=6), st.lists(english, max_size=4))
def test_weights_follow_the_formula(memory: list[str], texts: list[str]) -> None:
    rows = LexicalEncoder.fitted(memory).encode(texts).toarray()
    expected = plain_rows(memory, texts)
    assert rows.shape == (len(texts), len(expected[0]) if expected else rows.shape[1])
    for row, plain in zip(rows.tolist(), expected, strict=True):
        assert row == pytest.approx(plain, abs=1e-12)


def test_weights_of_a_worked_example() -> None:
    encoder = LexicalEncoder.fitted(["the backup", "the budget"])  # columns: backup, budget, the
    rare, common = math.log(1 + 1.5 / 1.5), math.log(1 + 0.5 / 2.5)
    length = math.hypot((1 + math.log(2)) * rare, common)
    row = encoder.encode(["backup the backup"]).toarray()[0]
    assert row == pytest.approx(
        [(1 + math.log(2)) * rare / length, 0.0, common / length], abs=1e-15
    )


def test_an_encoder_can_be_made_from_counts() -> None:
    by_counts = FittedLexicalEncoder({"the": 2, "budget": 1, "backup": 1}, n_texts=2)
    by_texts = FittedLexicalEncoder.fit(["the backup", "the budget"])
    text = ["budget the the"]
    assert by_counts.encode(text).toarray().tobytes() == by_texts.encode(text).toarray().tobytes()


@given(st.lists(anything | english, max_size=6), st.lists(anything | english, max_size=4))
def test_rows_are_sparse_and_of_unit_length_or_zero(memory: list[str], texts: list[str]) -> None:
    rows = LexicalEncoder.fitted(memory).encode(texts)
    assert isinstance(rows, sparse.csr_array)
    assert rows.shape[0] == len(texts)
    for row in rows.toarray():
        assert np.linalg.norm(row) == pytest.approx(1.0, abs=1e-12) or not row.any()


@given(
    st.lists(anything | english, max_size=6).flatmap(
        lambda memory: st.tuples(st.just(memory), st.permutations(memory))
    ),
    st.lists(anything | english, max_size=4),
)
def test_the_order_of_the_texts_it_was_fitted_on_changes_no_bit(
    orders: tuple[list[str], list[str]], texts: list[str]
) -> None:
    given_order, other_order = orders
    rows = LexicalEncoder.fitted(given_order).encode(texts)
    others = LexicalEncoder.fitted(other_order).encode(texts)
    assert rows.toarray().tobytes() == others.toarray().tobytes()


@given(st.permutations(["delete the backup", "the rule", "备份规则", "", "the budget rule"]))
def test_the_order_of_the_blocks_changes_no_similarity(order: list[str]) -> None:
    query = "the backup rule 备份"
    usual = retain([Block(text, text) for text in sorted(order)], query, 9)
    retention = retain([Block(text, text) for text in order], query, 9)
    assert {record.id: record.similarity for record in retention.records} == {
        record.id: record.similarity for record in usual.records
    }


@given(st.lists(anything | english, max_size=6))
def test_fitting_and_encoding_at_once_is_the_same_as_one_after_the_other(
    memory: list[str],
) -> None:
    encoder, rows = FittedLexicalEncoder.fit_encode(memory)
    separate = FittedLexicalEncoder.fit(memory).encode(memory)
    assert rows.toarray().tobytes() == separate.toarray().tobytes()
    assert encoder.encode(memory).toarray().tobytes() == rows.toarray().tobytes()


@given(st.lists(anything | english, min_size=1, max_size=6), anything | english)
def test_a_row_depends_on_its_own_text_alone(memory: list[str], text: str) -> None:
    encoder = LexicalEncoder.fitted(memory)
    alone = encoder.encode([text]).toarray()
    assert encoder.encode([*memory, text]).toarray()[-1:].tobytes() == alone.tobytes()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Delete the BACKUP-7!", ["delete", "the", "backup", "7"]),
        ("snake_case x.y", ["snake", "case", "x", "y"]),
        ("Привет, Мир", ["привет", "мир"]),
        ("Café déjà", ["café", "déjà"]),
        ("Straße", ["strasse"]),
        ("备份规则", ["备", "份", "规", "则", "备份", "份规", "规则"]),
        ("删除backup规", ["删", "除", "删除", "backup", "规"]),
        ("คน", ["ค", "น", "คน"]),
        ("カナ", ["カ", "ナ", "カナ"]),
        ("ﾊﾞ", ["バ"]),
        ("\uff21\uff22\uff11", ["ab1"]),
        ("서울 시", ["서울", "시"]),
        ("a\ud800b", ["a", "b"]),
        ("", []),
        ("...", []),
    ],
)
def test_words_of_any_script_are_tokens(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_an_accent_may_be_written_in_either_way() -> None:
    assert tokenize("cafe\u0301") == tokenize("caf\u00e9") == ["café"]


def test_words_that_differ_in_a_vowel_sign_are_different_words() -> None:
    assert similarity("दिन", "दान") < 0.9  # Hindi: day, gift
    assert similarity("किताब पढ़ो", "किताब लिखो") > 0.0  # they share the word for book


@pytest.mark.parametrize(
    ("language", "wanted", "others", "query"),
    [
        ("Chinese", "删除加密备份需要许可", ["今天天气很好", "会议改到周五"], "备份"),
        (
            "Russian",
            "Удаление Резервной копии разрешено",
            ["Погода сегодня", "Встреча"],
            "резервной",
        ),
        ("Thai", "ห้ามลบข้อมูลสำรอง", ["วันนี้อากาศดี", "ประชุมวันศุกร์"], "ข้อมูลสำรอง"),
        ("French", "La règle déléguée", ["Il fait beau", "Réunion vendredi"], "RÈGLE"),
        ("Japanese", "バックアップを削除する", ["今日は天気がいい", "会議は金曜"], "バックアップ"),
    ],
)
def test_a_query_finds_the_text_of_its_script_that_contains_it(
    language: str, wanted: str, others: list[str], query: str
) -> None:
    blocks = [Block(text, text, 1) for text in [others[0], wanted, others[1]]]
    retention = retain(blocks, query, 1)
    assert retention.kept_ids == (wanted,), language
    assert retention.records[wanted].similarity > 0.2


def test_tokens_that_were_not_counted_say_nothing() -> None:
    encoder = LexicalEncoder.fitted(["the backup"])
    assert encoder.encode(["unheard of 备份"]).nnz == 0
    rows = encoder.encode(["backup unheard of", "backup"]).toarray()
    assert rows[0].tobytes() == rows[1].tobytes()


@pytest.mark.parametrize("text", ["", " ", "...", "_", "\ud800", "\U0001f600"])
def test_a_text_without_tokens_is_a_zero_row(text: str) -> None:
    rows = LexicalEncoder.fitted(["the backup", text]).encode([text, "backup"])
    assert rows.shape == (2, 2)
    assert rows.toarray()[0].tolist() == [0.0, 0.0]
    assert rows.toarray()[1].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("memory", [[], [""], ["...", ""]])
def test_an_encoder_that_counted_nothing_has_no_dimensions(memory: list[str]) -> None:
    encoder = LexicalEncoder.fitted(memory)
    assert encoder.encode(["backup", ""]).shape == (2, 0)
    assert encoder.encode([]).shape == (0, 0)


def test_lone_surrogates_are_harmless() -> None:
    rows = LexicalEncoder.fitted(["delete\ud800backup", "rule"]).encode(
        ["delete\udfffbackup", "delete backup"]
    )
    assert rows.toarray()[0].tobytes() == rows.toarray()[1].tobytes()
    assert rows.toarray()[0].any()


def test_a_rare_word_outweighs_a_common_one() -> None:
    encoder = LexicalEncoder.fitted(["the rule", "the backup", "the cat"])
    row = encoder.encode(["the cat"]).toarray()[0]  # columns: backup, cat, rule, the
    assert row[1] > 3 * row[3] > 0.0
