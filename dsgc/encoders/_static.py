"""Static word embeddings by wordllama."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from dsgc.encoders._cache import EmbeddingCache, Float32Rows
from dsgc.errors import InputError, MissingExtraError

_DIMENSIONS = (64, 128, 256)


class StaticEncoder:
    """Averaged static word embeddings: no torch, no network, tens of thousands of texts a second.

    The weights are those that ship inside the wordllama package. Embeddings stay in memory as long
    as the encoder does, each distinct text encoded once.

    Args:
        n_dimensions: How many of the leading dimensions to use.

    Raises:
        MissingExtraError: wordllama is not installed.
        InputError: another number of dimensions.

    Example:
        >>> StaticEncoder().encode(["delete the backup", "remove the copy"]).shape
        (2, 256)
    """

    def __init__(self, n_dimensions: Literal[64, 128, 256] = 256) -> None:
        if n_dimensions not in _DIMENSIONS:
            raise InputError(f"n_dimensions must be one of {_DIMENSIONS}, got {n_dimensions!r}.")
        try:
            with _untouched_root_logger():
                import wordllama
        except ImportError as missing:
            raise MissingExtraError("StaticEncoder", "static") from missing
        # Told where its own files are, it does not look for the tokenizer on the network.
        self._model = wordllama.WordLlama.load(
            cache_dir=Path(wordllama.__file__).parent,
            trunc_dim=n_dimensions,
            disable_download=True,
        )
        self._cache = EmbeddingCache(self._model.embed, n_dimensions)

    def encode(self, texts: Sequence[str]) -> Float32Rows:
        """Encode each text on its own.

        Args:
            texts: `n` texts.

        Returns:
            Shape `(n, n_dimensions)`, float32, rows of unit length, or zero for an empty text.

        Example:
            >>> bool(StaticEncoder().encode([""]).any())
            False
        """
        return self._cache.rows(texts)


@contextmanager
def _untouched_root_logger() -> Iterator[None]:
    """Undo what wordllama does to the root logger when it is imported."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
