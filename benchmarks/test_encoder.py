"""The paper's lexical encoder against hashing every word anew."""

import re
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.ratio import Ledger, at_least, take_turns, timed
from benchmarks.stores import texts
from dsgc import LexicalEncoder
from dsgc._arrays import DenseRows

N_TEXTS = 10_000
N_WORDS_A_TEXT = 20


def plain_encode(given: Sequence[str]) -> DenseRows:
    """Hash every token of every text (DSGC paper, section 3)."""
    rows = []
    for text in given:
        row = np.zeros(256)
        for token in re.findall(r"[a-zA-Z0-9_]+", text.lower()):
            digest = sha256(token.encode()).digest()
            bucket = int.from_bytes(digest[:4], "big") % 256
            row[bucket] += 1.0 if digest[4] % 2 == 0 else -1.0
        length = np.linalg.norm(row)
        rows.append(row / length if length else row)
    return np.array(rows)


def test_each_word_is_hashed_once(benchmark: BenchmarkFixture, ledger: Ledger) -> None:
    """Hashing each distinct word once is worth a factor of five."""
    memory = texts(np.full(N_TEXTS, N_WORDS_A_TEXT), np.random.default_rng(0))

    def ours() -> DenseRows:
        return LexicalEncoder().encode(memory)  # a fresh one, which has hashed nothing yet

    assert np.array_equal(ours(), plain_encode(memory))
    pairs = take_turns(benchmark, timed(ours), timed(lambda: plain_encode(memory)), rounds=15)
    ledger.note(
        "LexicalEncoder, 10,000 texts of 20 words: speed to plain loop",
        pairs.speedups,
        bar=at_least(5),
    )
