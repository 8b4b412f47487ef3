"""Other libraries on the same cases: the same units, the same budget in words.

Each is used as its documentation shows, and where that is not its best on traces, in the best way
that was found too. It is loaded when it is measured, and raises ImportError if not installed.
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

PEER = "peers"  # the group of the table


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
        """Return the name and version of the distribution that is installed."""
        return f"{self.distribution} {version(self.distribution)}"


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


def _trim_messages(*, as_documented: bool) -> Callable[[], Keep]:
    """Trim the history so that it starts on a user turn, or what is beside the question.

    The first is what the library's documentation shows. It keeps nothing where the only user turn
    is far back, so the second lets the rest start on an answer too, the question being there.
    """

    def make() -> Keep:
        langchain = import_module("langchain_core.messages")

        def keep(case: Case, budget: int) -> list[str]:
            transcript = read_transcript(case.history, FORM, words)
            messages = langchain.convert_to_messages(case.history)
            asked = set(case.question.positions if case.question else ())
            for position, message in enumerate(messages):
                message.id = str(position)
            if not as_documented:
                messages = [each for each in messages if int(each.id) not in asked]
            trimmed = langchain.trim_messages(
                messages,
                max_tokens=budget + words(case.query) * as_documented,
                token_counter=lambda some: sum(transcript.price_of[int(each.id)] for each in some),
                strategy="last",
                start_on="human" if as_documented else ("human", "ai"),
                include_system=True,
            )
            left = {int(message.id) for message in trimmed} - asked
            return [piece.text for piece in transcript.pieces if piece.message in left]

        return keep

    return make


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
            window = asyncio.run(astromesh.ContextEngine([config], budget=budget).build(case.query))
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
    Peer("trim_messages, from a user turn", "langchain-core", _trim_messages(as_documented=True)),
    Peer(
        "trim_messages, beside the question", "langchain-core", _trim_messages(as_documented=False)
    ),
    Peer("astromesh, history", "astromesh-context", _astromesh(by_query=False)),
    Peer("astromesh, BM25", "astromesh-context", _astromesh(by_query=True)),
    Peer("harpe, given similarity", "harpe", _harpe),
    Peer("hypertok, rag", "hypertok", _hypertok("rag")),
    Peer("hypertok, aggressive", "hypertok", _hypertok("aggressive")),
)
