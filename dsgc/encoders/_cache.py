"""Embeddings by text, each computed once."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dsgc._texts import checked_texts

Float32Rows: TypeAlias = NDArray[np.float32]  # (n_texts, n_dimensions)


class EmbeddingCache:
    """Keeps the embedding of every text it was asked for; safe to share among threads."""

    def __init__(self, compute: Callable[[list[str]], Float32Rows], n_dimensions: int) -> None:
        self._compute = compute
        self._position: dict[str, int] = {}
        self._rows: Float32Rows = np.zeros((0, n_dimensions), dtype=np.float32)
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())

    def __len__(self) -> int:
        return len(self._position)

    def rows(self, texts: Sequence[str]) -> Float32Rows:
        """Return one row for each text; only texts not seen before are computed."""
        checked_texts(texts)
        with self._lock:
            # Sorted, so that which texts share a batch does not depend on the order of the blocks.
            unseen = sorted(set(texts).difference(self._position))
            if unseen:
                self._append(unseen)
            positions = [self._position[text] for text in texts]
            return self._rows[positions]

    def _append(self, texts: list[str]) -> None:
        start, end = len(self._position), len(self._position) + len(texts)
        computed = _unit_rows(self._compute([_encodable(text) for text in texts]))
        if end > len(self._rows):
            grown = np.zeros((max(end, 2 * len(self._rows)), self._rows.shape[1]), np.float32)
            grown[:start] = self._rows[:start]
            self._rows = grown
        self._rows[start:end] = computed
        self._position.update(zip(texts, range(start, end), strict=True))


def _unit_rows(rows: Float32Rows) -> Float32Rows:
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows / np.where(length > 0, length, 1.0).astype(np.float32)[:, np.newaxis]


def _encodable(text: str) -> str:
    """Replace lone surrogates, which tokenizers refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")
