"""How texts become vectors, and the paper's own lexical encoder."""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import chain
from typing import Protocol, runtime_checkable

import numpy as np

from dsgc._arrays import DenseRows, EmbeddingRows
from dsgc._fitted import FittedLexicalEncoder
from dsgc._texts import checked_texts


@runtime_checkable
class Encoder(Protocol):
    """Anything that turns texts into rows of unit length.

    `encode` returns shape `(n_texts, n_dimensions)`, dense or `scipy.sparse.csr_array`; a row has
    unit length, or is zero for a text that says nothing. Each text is encoded on its own: its row
    must not depend on the other texts of the call.

    Example:
        >>> isinstance(LexicalEncoder(), Encoder)
        True
    """

    def encode(self, texts: Sequence[str], /) -> EmbeddingRows: ...


class LexicalEncoder:
    """The paper's lexical encoder: signed hashing of words into 256 buckets.

    A token is a match of `[a-zA-Z0-9_]+` in the lower-cased text. The first four bytes of its
    SHA-256 digest, as a big-endian integer modulo 256, are its bucket; its sign is `+` when the
    fifth byte is even. Signs are added up and the row is L2-normalised (DSGC paper, section 3).
    Letters outside ASCII are dropped, as in the paper; `LexicalEncoder.fitted` keeps them.

    Example:
        >>> rows = LexicalEncoder().encode(["delete the backup", "Delete the BACKUP!", "..."])
        >>> rows.shape, (rows @ rows[0]).round(2).tolist()
        ((3, 256), [1.0, 1.0, 0.0])
    """

    def __init__(self) -> None:
        self._slots = _Slots()

    def encode(self, texts: Sequence[str]) -> DenseRows:
        """Encode each text on its own.

        Args:
            texts: `n` texts of any length.

        Returns:
            Shape `(n, 256)`, rows of unit length, or zero for a text without tokens.

        Example:
            >>> float(LexicalEncoder().encode(["one two"])[0].max().round(4))
            0.7071
        """
        slot_of = self._slots.__getitem__
        found = [
            list(map(slot_of, _PAPER_TOKEN.findall(text.lower()))) for text in checked_texts(texts)
        ]
        slots = np.fromiter(chain.from_iterable(found), dtype=np.int64)
        row = np.repeat(np.arange(len(found)), list(map(len, found)))
        buckets, signs = slots >> 1, 1 - 2 * (slots & 1)
        counts = np.bincount(
            row * N_BUCKETS + buckets, weights=signs, minlength=len(found) * N_BUCKETS
        )
        rows = counts.astype(np.float64, copy=False).reshape(len(found), N_BUCKETS)
        length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        rows /= np.where(length, length, 1.0)[:, np.newaxis]
        return rows

    @staticmethod
    def fitted(texts: Iterable[str]) -> FittedLexicalEncoder:
        """Return a lexical encoder that weighs words by how rare they are in `texts`.

        Args:
            texts: The texts to count words in, usually those of the memory.

        Returns:
            An encoder over the vocabulary of `texts`, sparse, with all of Unicode's letters.

        Example:
            >>> encoder = LexicalEncoder.fitted(["the budget", "the backup", "the cat"])
            >>> encoder.encode(["the backup"]).shape
            (1, 4)
        """
        return FittedLexicalEncoder.fit(texts)


N_BUCKETS = 256
_PAPER_TOKEN = re.compile(r"[a-zA-Z0-9_]+")


class _Slots(dict[str, int]):
    """Bucket and sign of each token seen so far, as `2 * bucket + (sign < 0)`."""

    def __missing__(self, token: str) -> int:
        digest = sha256(token.encode()).digest()
        bucket = int.from_bytes(digest[:4], "big") % N_BUCKETS
        self[token] = slot = 2 * bucket + digest[4] % 2
        return slot
