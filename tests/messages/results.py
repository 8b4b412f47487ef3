"""Texts as tools return them: JSON in any spelling, and other text."""

import json
from typing import Any

from hypothesis import strategies as st

_PHRASES = st.sampled_from(
    [
        "",
        "late",
        "two words",
        "the quick brown fox jumps over it " * 4,
        "中文 " * 40,
        "é" * 700,
        "😀 ok " * 30,
        "line one\nline two\n\n" * 9,
        'quote " slash / back \\ \t\x00\x7f\u2028 ' * 5,
    ]
)
_TEXTS = _PHRASES | st.text(max_size=30)
_KEYS = st.sampled_from(["id", "text", "", "a b", "[left out]", "[left out 1]", 'q"', "ключ"])

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=20,
)

json_texts = st.builds(
    json.dumps,
    st.lists(json_values, max_size=6) | st.dictionaries(_KEYS, json_values, max_size=5),
    ensure_ascii=st.booleans(),
    indent=st.none() | st.integers(0, 3),
)
"""JSON arrays and objects, on one line or several, escaped or not."""

long_texts = st.lists(
    _TEXTS | st.sampled_from(["\n", "\n\n", " ", "\r\n", "word " * 70, "x" * 1_000, " " * 700]),
    max_size=12,
).map("".join)
"""Texts that are no JSON but by chance, of any lines and lengths."""
