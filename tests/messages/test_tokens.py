"""The estimate: a quarter of the bytes in UTF-8, rounded up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.messages import estimate_tokens

characters = st.characters(exclude_categories=()) | st.integers(0xD800, 0xDFFF).map(chr)


def bytes_of(character: str) -> int:
    """Return how many bytes the Unicode standard has UTF-8 take for a code point."""
    limits = (0x80, 0x800, 0x10000, 0x110000)
    return 1 + sum(ord(character) >= limit for limit in limits)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("é" * 4, 2),
        ("订" * 4, 3),
        ("🙂" * 4, 4),
        ("\ud800", 1),
        ("<|endoftext|>", 4),
    ],
)
def test_four_bytes_are_a_token(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.lists(characters, max_size=40).map("".join))
def test_tokens_are_the_least_whole_number_that_holds_all_bytes(text: str) -> None:
    size = sum(map(bytes_of, text))
    tokens = estimate_tokens(text)
    assert 4 * (tokens - 1) < size <= 4 * tokens


@given(st.text(), st.text())
def test_a_text_costs_no_more_than_its_parts_and_no_less_than_either(one: str, other: str) -> None:
    together = estimate_tokens(one + other)
    assert max(estimate_tokens(one), estimate_tokens(other)) <= together
    assert together <= estimate_tokens(one) + estimate_tokens(other) <= together + 1


def test_a_message_costs_four_tokens_beside_its_text() -> None:
    assert estimate_tokens.framing == 4  # type: ignore[attr-defined]  # a function can have them
