"""Other libraries on the same cases: the same units, the same budget in words.

Each is loaded when it is measured; one that is not installed raises ImportError.
"""

import asyncio
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any, NamedTuple

from dsgc import LexicalEncoder
from dsgc.bench.real._cases import FORM, Case, words
from dsgc.bench.real._rules import Keep
from dsgc.messages._transcript import read_transcript


class Peer(NamedTuple):
    """A way to use another library, and the distribution that it is in."""

    name: str
    distribution: str
    make: Callable[[], Keep]

    def load(self) -> Keep:
        """Return the rule.

        Raises:
            ImportError: the library is not installed.
        """
        keep = self.make()
        # None of them takes a budget of nothing.
        return lambda case, budget: keep(case, budget) if budget else []

    def version(self) -> str:
        """Return the version that is installed."""
        return version(self.distribution)


class _Words:
    """A tokenizer by which hypertok counts words; the rest is as in its base class."""

    name = "words"

    def count(self, text: str) -> int:
        return words(text)


def _hypertok(preset: str) -> Callable[[], Keep]:
    def make() -> Keep:
        hypertok = import_module("hypertok")
        tokenizer = type("Words", (_Words, hypertok.Tokenizer), {})()
        optimizer = hypertok.HyperToken(preset=preset, tokenizer=tokenizer)

        def keep(case: Case, budget: int) -> list[str]:
            text = "\n\n".join(unit.text for unit in case.blocks)
            return [optimizer.optimize(text, budget, case.query).text]

        return keep

    return make


def _trim_messages() -> Keep:
    langchain = import_module("langchain_core.messages")

    def keep(case: Case, budget: int) -> list[str]:
        transcript = read_transcript(case.history, FORM, words)
        messages = langchain.convert_to_messages(case.history)
        for position, message in enumerate(messages):
            message.id = str(position)
        trimmed = langchain.trim_messages(
            messages,
            max_tokens=budget + words(case.query),
            token_counter=lambda some: sum(transcript.price_of[int(each.id)] for each in some),
            strategy="last",
            start_on="human",
            include_system=True,
        )
        left = {int(message.id) for message in trimmed}
        left -= set(case.question.positions if case.question else ())
        return [piece.text for piece in transcript.pieces if piece.message in left]

    return keep


def _astromesh(*, by_query: bool) -> Callable[[], Keep]:
    def make() -> Keep:
        astromesh = import_module("astromesh_context")
        scores = _bm25_scores() if by_query else _positions

        def keep(case: Case, budget: int) -> list[str]:
            items = [
                astromesh.ContextItem(
                    id=unit.id,
                    content=unit.text,
                    source="history",
                    kind="memory" if by_query else "history",
                    stability="session",
                    score=score,
                    tokens=words(unit.text),
                )
                for unit, score in zip(case.blocks, scores(case), strict=True)
            ]

            async def candidates(*_: object) -> list[Any]:
                return items

            source = astromesh.CallableSource(candidates, name="history")
            config = astromesh.SourceConfig(source, min_items=0 if by_query else 2)
            window = asyncio.run(
                astromesh.ContextEngine([config], budget=budget).build(case.query)
            )
            return [item.content for item in window.items]

        return keep

    return make


def _positions(case: Case) -> list[float]:
    """Score a unit by its place, as the library's own `HistorySource` does."""
    return [float(position) for position in range(len(case.blocks))]


def _bm25_scores() -> Callable[[Case], list[float]]:
    bm25 = import_module("astromesh_context._bm25").BM25
    tokens = import_module("astromesh_context._text").words

    def scores(case: Case) -> list[float]:
        index = bm25()
        index.fit([tokens(unit.text) for unit in case.blocks])
        return list(index.scores(tokens(case.query)))

    return scores


def _harpe() -> Keep:
    harpe = import_module("harpe")

    def keep(case: Case, budget: int) -> list[str]:
        texts = [unit.text for unit in case.blocks]
        encoder = LexicalEncoder.fitted(texts)
        relevance = encoder.encode(texts) @ encoder.encode([case.query]).T
        items = [
            harpe.ContextItem(
                id=unit.id,
                content=unit.text,
                token_count=words(unit.text),
                created_at=float(position),
                metadata={"relevance": float(relevance[position, 0])},
            )
            for position, unit in enumerate(case.blocks)
        ]
        report = harpe.ContextBudgetEngine().synthesize(
            items,
            harpe.TokenBudget(total_budget=budget),
            harpe.PrunePolicy.LEAST_RELEVANT,
            query=case.query,
        )
        return [item.content for item in report.included_items]

    return keep


PEERS = (
    Peer("langchain-core trim_messages", "langchain-core", _trim_messages),
    Peer("astromesh-context, history", "astromesh-context", _astromesh(by_query=False)),
    Peer("astromesh-context, BM25", "astromesh-context", _astromesh(by_query=True)),
    Peer("harpe, given similarity", "harpe", _harpe),
    Peer("hypertok, rag", "hypertok", _hypertok("rag")),
    Peer("hypertok, aggressive", "hypertok", _hypertok("aggressive")),
)
