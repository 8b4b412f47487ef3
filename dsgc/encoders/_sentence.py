"""Embeddings by sentence-transformers."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dsgc.encoders._cache import EmbeddingCache, Float32Rows
from dsgc.errors import MissingExtraError, ModelNotFoundError

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"


class SentenceEncoder:
    """Embeddings by a sentence-transformers model, each distinct text encoded once.

    The default, all-MiniLM-L6-v2 with 384 dimensions, is the sentence encoder of the DSGC paper
    (section 3). A model sees the start of a long text only, 256 tokens in the case of the default:
    split what is longer. Embeddings stay in memory as long as the encoder does; their last bits may
    depend on which texts shared a batch.

    Args:
        model: The name of a model on the hub, or a local folder.
        device: Where to run, such as `"cpu"` or `"cuda"`; `None` leaves it to the library.
        batch_size: How many texts are encoded at a time.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        ModelNotFoundError: there is no such folder, or the hub cannot be reached.

    Example:
        >>> encoder = SentenceEncoder(MINILM_FOLDER)
        >>> encoder.encode(["delete the backup", "remove the copy"]).shape
        (2, 384)
    """

    def __init__(
        self,
        model: str | os.PathLike[str] = DEFAULT_MODEL,
        *,
        device: str | None = None,
        batch_size: int = 32,
    ) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as missing:
            raise MissingExtraError("SentenceEncoder", "sentence") from missing
        if not os.fspath(model):
            raise ModelNotFoundError("")
        try:
            with _no_progress_bar():
                self._model = SentenceTransformer(
                    os.fspath(model), device=device, local_files_only=Path(model).is_dir()
                )
        except (OSError, ValueError) as cause:
            raise ModelNotFoundError(os.fspath(model)) from cause
        self._batch_size = batch_size
        n_dimensions = len(self._embed([""])[0])
        self._cache = EmbeddingCache(self._embed, n_dimensions)

    def encode(self, texts: Sequence[str]) -> Float32Rows:
        """Encode each text on its own.

        Args:
            texts: `n` texts.

        Returns:
            Shape `(n, n_dimensions)`, float32, rows of unit length.

        Example:
            >>> SentenceEncoder(MINILM_FOLDER).encode([]).shape
            (0, 384)
        """
        return self._cache.rows(texts)

    def _embed(self, texts: list[str]) -> Float32Rows:
        return self._model.encode(
            texts,
            batch_size=self._batch_size,
            convert_to_numpy=True,
            normalize_embeddings=True,
            show_progress_bar=False,
        )


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    from transformers.utils import logging

    was_enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if was_enabled:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
