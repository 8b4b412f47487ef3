"""A lexical encoder that has counted the words of a memory."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import Self

import numpy as np
from scipy import sparse

from dsgc._arrays import SparseRows
from dsgc._texts import checked_texts


class FittedLexicalEncoder:
    """Words weighed by how rare they are in the texts it was fitted on.

    The weight of a token that stands `c` times in a text and in `f` of the `n` texts is
    `(1 + ln c) * ln(1 + (n - f + 0.5) / (f + 0.5))` (Robertson's inverse document frequency, with
    dampened counts); rows are L2-normalised. Tokens are runs of letters and digits of any script,
    compared without case; scripts written without spaces give their characters and pairs of them.

    Args:
        document_frequency: In how many texts each token stands.
        n_texts: How many texts were counted.

    Example:
        >>> encoder = FittedLexicalEncoder.fit(["the backup rule", "the budget", "the cat"])
        >>> rows = encoder.encode(["the backup", "the cat"])
        >>> rows.shape, bool((rows[[0]] @ rows[[1]].T).toarray()[0, 0] < 0.1)
        ((2, 5), True)
    """

    def __init__(self, document_frequency: dict[str, int], n_texts: int) -> None:
        # Sorted, so that sums over a row do not depend on the order in which texts were given.
        tokens = sorted(document_frequency)
        frequency = np.array([document_frequency[token] for token in tokens], dtype=np.float64)
        self._column = {token: column for column, token in enumerate(tokens)}
        self._rarity = np.log1p((n_texts - frequency + 0.5) / (frequency + 0.5))

    @classmethod
    def fit(cls, texts: Iterable[str]) -> Self:
        """Count the tokens of `texts`.

        Example:
            >>> FittedLexicalEncoder.fit(["a b", "b c"]).encode(["b"]).shape
            (1, 3)
        """
        return cls._fit_tokens([tokenize(text) for text in checked_texts(texts)])

    @classmethod
    def fit_encode(cls, texts: Sequence[str]) -> tuple[Self, SparseRows]:
        """Fit on `texts` and encode them, splitting each into tokens only once.

        Example:
            >>> encoder, rows = FittedLexicalEncoder.fit_encode(["a b", "b c"])
            >>> rows.shape
            (2, 3)
        """
        tokens = [tokenize(text) for text in texts]
        encoder = cls._fit_tokens(tokens)
        return encoder, encoder._encode_tokens(tokens)  # noqa: SLF001  # its own class

    def encode(self, texts: Sequence[str]) -> SparseRows:
        """Encode each text on its own; tokens that were not counted say nothing.

        Args:
            texts: `n` texts of any length.

        Returns:
            Shape `(n, n_tokens_counted)`, rows of unit length, or zero for a text without
            counted tokens.

        Example:
            >>> FittedLexicalEncoder.fit(["b c"]).encode(["unheard of"]).nnz
            0
        """
        return self._encode_tokens([tokenize(text) for text in checked_texts(texts)])

    @classmethod
    def _fit_tokens(cls, tokens: Sequence[Sequence[str]]) -> Self:
        frequency: dict[str, int] = {}
        for token in chain.from_iterable(map(set, tokens)):
            frequency[token] = frequency.get(token, 0) + 1
        return cls(frequency, len(tokens))

    def _encode_tokens(self, tokens: Sequence[Sequence[str]]) -> SparseRows:
        column_of = self._column.get
        column = np.fromiter(
            (column_of(token, -1) for token in chain.from_iterable(tokens)), dtype=np.int64
        )
        row = np.repeat(np.arange(len(tokens)), [len(found) for found in tokens])
        row, column = row[column >= 0], column[column >= 0]
        rows = sparse.csr_array(
            (np.ones(row.size), (row, column)), shape=(len(tokens), len(self._column))
        )
        rows.data = (1.0 + np.log(rows.data)) * self._rarity[rows.indices]
        length = np.sqrt((rows.power(2)).sum(axis=1))
        rows.data /= np.repeat(length, np.diff(rows.indptr))
        return rows


def tokenize(text: str) -> list[str]:
    """Split a text into the tokens that the fitted encoder counts."""
    if text.isascii():
        return _WORD.findall(text.lower())
    tokens: list[str] = []
    for word in _word_with_marks().findall(unicodedata.normalize("NFKC", text).casefold()):
        for unspaced, spaced in _script_run().findall(word):
            tokens += _characters_and_pairs(unspaced) if unspaced else [spaced]
    return tokens


def _characters_and_pairs(run: str) -> Iterable[str]:
    return chain(run, map("".join, pairwise(run)))


@cache
def _word_with_marks() -> re.Pattern[str]:
    r"""Match words whose vowel signs and accents are characters of their own.

    Python's `\w` knows no combining marks, so all are listed, once one is met.
    """
    points = map(chr, range(0x300, 0x20000))
    marks = "".join(point for point in points if unicodedata.category(point) in {"Mn", "Mc"})
    return re.compile(rf"[^\W_](?:[^\W_]|[{marks}])*")


@cache
def _script_run() -> re.Pattern[str]:
    """Match runs of scripts that are written without spaces between words, and runs of others."""
    # Thai and Lao, Myanmar, Khmer, kana, Han.
    unspaced = (
        r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
        r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    )
    return re.compile(f"([{unspaced}]+)|([^{unspaced}]+)")


_WORD = re.compile(r"[^\W_]+")
