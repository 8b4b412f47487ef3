"""Encoders take lists of texts."""

from collections.abc import Callable

import pytest

from dsgc import LexicalEncoder
from dsgc._texts import checked_texts
from dsgc.encoders import StaticEncoder
from dsgc.errors import InputTypeError


@pytest.mark.parametrize(
    "encode",
    [
        checked_texts,
        LexicalEncoder().encode,
        LexicalEncoder.fitted,
        LexicalEncoder.fitted(["a"]).encode,
        StaticEncoder().encode,
    ],
)
def test_one_text_by_itself_is_not_taken_for_its_characters(
    encode: Callable[[str], object],
) -> None:
    with pytest.raises(InputTypeError, match="takes a list of texts, got one str"):
        encode("abc")


def test_a_list_of_texts_is_handed_on() -> None:
    texts = ["a", "b"]
    assert checked_texts(texts) is texts
