"""What encoders are given."""

from collections.abc import Iterable
from typing import TypeVar

from dsgc.errors import InputTypeError

Texts = TypeVar("Texts", bound=Iterable[str])


def checked_texts(texts: Texts) -> Texts:
    """Refuse a single text, which would be taken for a list of characters."""
    if isinstance(texts, str):
        raise InputTypeError("an encoder takes a list of texts, got one str. Put it in a list.")
    return texts
