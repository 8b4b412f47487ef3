"""The decision what survives: `retain`, and what it returns."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from dsgc._arguments import check_kinds
from dsgc._block import Block
from dsgc._columns import check_unique, distinct_texts, read_columns
from dsgc._decision import Columns, Decision, cost_up_to, decide, decide_again
from dsgc._embedding import similarity_to_query
from dsgc._encoding import Encoder
from dsgc._explanation import explain_record
from dsgc._graph import PrerequisiteGraph
from dsgc._ids import listed, position_of
from dsgc._linking import link
from dsgc._policy import RetentionPolicy
from dsgc._records import BlockRecord, Explanation, Records
from dsgc._table import retention_table
from dsgc._tokens import TokenCounter, checked_budget, count_words
from dsgc._verdicts import Verdicts
from dsgc.errors import NeverKeptError

_DEFAULT_POLICY = RetentionPolicy()


def retain(
    blocks: Iterable[Block],
    query: str,
    budget: int,
    edges: PrerequisiteGraph | Iterable[Sequence[str]] = (),
    *,
    policy: RetentionPolicy = _DEFAULT_POLICY,
    encoder: Encoder | None = None,
    count_tokens: TokenCounter = count_words,
) -> "Retention":
    """Decide which blocks survive when the budget is too small for all of them.

    Blocks are scored by `I = r + lambda * P r` with `r = softmax(E g / tau)` and kept greedily in
    descending score while they fit (DSGC paper, section 3); the policy varies each part. The same
    call gives the same result on every run. It costs `O(N d + h |E| + N log N)`, and in a closed
    fill the walk over the prerequisites of the blocks that are tried.

    Args:
        blocks: `N` blocks, oldest first, with distinct ids.
        query: What the agent is about to do, in words.
        budget: The most tokens that the kept blocks may cost together.
        edges: Pairs `(dependent_id, prerequisite_id)` that name only `blocks`, or a
            `PrerequisiteGraph`, which may also name blocks that are gone.
        policy: What is valued, and how the budget is filled.
        encoder: What turns texts into vectors; by default `LexicalEncoder.fitted` on the blocks.
        count_tokens: The cost of a block that has none of its own.

    Returns:
        The kept and the evicted blocks, with the reason for each.

    Raises:
        InvalidBudgetError: the budget is negative or no whole number.
        InvalidCostError: `count_tokens` returns what is no cost.
        DuplicateBlockError: two blocks have one id.
        UnknownBlockError: an edge names a block that is not there.
        SelfEdgeError: an edge makes a block its own prerequisite.
        PinsOverBudgetError: the pinned blocks alone exceed the budget.
        EncodingError: the encoder returns what cannot be ranked.
        InputTypeError: an argument is of the wrong kind.

    Example:
        >>> blocks = [
        ...     Block("c1", "Alice is assigned to backup bundle M"),
        ...     Block("c2", "Bundle M maps to clearance N"),
        ...     Block("n1", "The backup dashboard is redesigned next sprint"),
        ...     Block("c3", "Clearance N permits deletion of the encrypted backup"),
        ... ]
        >>> edges = [("c3", "c2"), ("c2", "c1")]
        >>> retain(blocks, "May Alice delete the encrypted backup?", 21, edges).kept_ids
        ('c1', 'c2', 'c3')
    """
    check_kinds(blocks, query, edges, policy, count_tokens)
    blocks = tuple(blocks)
    budget = checked_budget(budget)
    ids, texts, cost, pinned = read_columns(blocks, count_tokens)
    check_unique(ids)
    links = link(edges, ids)
    distinct = distinct_texts(ids, texts)
    similarity = similarity_to_query(distinct, query, encoder)[distinct.of_block]
    columns = Columns(ids, similarity, cost, pinned, distinct.of_block)
    return Retention(blocks, decide(columns, links, budget, policy))


class Retention:
    """Which blocks were kept, which were evicted, and why; `print` shows it as a table.

    It is what `retain` returns; you need not make one yourself. `decision` holds the arrays
    behind it.

    Example:
        >>> retention = retain([Block("a", "red fox"), Block("b", "blue sky")], "red", 2)
        >>> retention.kept_ids, retention.records["b"].reason
        (('a',), 'over budget by 2 tokens')
    """

    def __init__(self, blocks: Sequence[Block], decision: Decision) -> None:
        self._blocks = blocks
        self.decision = decision
        self._verdicts = Verdicts(decision)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The position of each id among the blocks, from 0."""
        return {block_id: i for i, block_id in enumerate(self.decision.columns.ids)}

    @cached_property
    def kept(self) -> tuple[Block, ...]:
        """The blocks that survive, in input order."""
        positions = np.flatnonzero(self._verdicts.is_kept)
        return tuple(self._blocks[position] for position in positions.tolist())

    @cached_property
    def evicted(self) -> tuple[Block, ...]:
        """The blocks that do not, in input order."""
        positions = np.flatnonzero(~self._verdicts.is_kept)
        return tuple(self._blocks[position] for position in positions.tolist())

    @property
    def kept_ids(self) -> tuple[str, ...]:
        """The ids of the blocks that survive, in input order."""
        return tuple(block.id for block in self.kept)

    @property
    def evicted_ids(self) -> tuple[str, ...]:
        """The ids of the blocks that do not, in input order."""
        return tuple(block.id for block in self.evicted)

    @property
    def used(self) -> int:
        """What the kept blocks cost together, in tokens; never more than the budget."""
        return int(self.decision.columns.cost[self.decision.fill.taken].sum())

    @property
    def budget(self) -> int:
        """The budget that was given, in tokens."""
        return self.decision.budget

    @property
    def policy(self) -> RetentionPolicy:
        """The policy that was applied."""
        return self.decision.policy

    @property
    def missing_prerequisites(self) -> Mapping[str, tuple[str, ...]]:
        """Each prerequisite that a graph names but that is no longer there, and who needs it."""
        return MappingProxyType(dict(self.decision.links.missing))

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """The ids of all blocks, best first."""
        return tuple(self.decision.columns.ids[block] for block in self._verdicts.order.tolist())

    @property
    def records(self) -> Records:
        """One record a block, in input order, each also found by its block's id."""
        return Records(self.index, self._record)

    def explain(self, block_id: str) -> Explanation:
        """Say why one block was kept or evicted, as a paragraph and as data.

        Raises:
            UnknownBlockError: no block has this id.

        Example:
            >>> retention = retain([Block("a", "red fox"), Block("b", "blue sky")], "red", 2)
            >>> print(retention.explain("b"))
            Block 'b' was evicted (over budget by 2 tokens): it ranks 2 of 2 with score 0.0558 and
            costs 2 tokens. Its similarity to the query is 0.0000, its relevance 0.0558. Nothing
            depends on it. Score: 1 * 0.0558 + 1 * 0.0000 = 0.0558.
        """
        position = position_of(block_id, self.index, "explain")
        return explain_record(self._record(position), position, self.decision)

    def budget_for(self, ids: Iterable[str]) -> int:
        """Return a budget, in tokens, that keeps all of `ids` under the same ranking.

        It pays for every block that stands before the last of them, so it is sufficient, though
        not always the smallest that is.

        Raises:
            UnknownBlockError: no block has one of these ids.
            NeverKeptError: one of them is a duplicate of a block that ranks higher.

        Example:
            >>> blocks = [Block("a", "red fox"), Block("b", "blue sky")]
            >>> retain(blocks, "red", budget=2).budget_for(["b"])
            4
        """
        where = "budget_for"
        positions = [position_of(name, self.index, where) for name in listed(ids, where)]
        unlimited = decide_again(self.decision, int(self.decision.columns.cost.sum()))
        within_reach = set(unlimited.fill.taken.tolist())
        never = [position for position in positions if position not in within_reach]
        if not never:
            return cost_up_to(unlimited, positions)
        if all(self._verdicts.is_kept[position] for position in positions):
            return self.budget  # what stands in their way does not fit it
        verdict = Verdicts(unlimited).of(never[0])
        raise NeverKeptError(unlimited.columns.ids[never[0]], str(verdict))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data.

        Example:
            >>> sorted(retain([], "anything", 10).to_dict())
            ['budget', 'evicted', 'kept', 'missing_prerequisites', 'policy', 'records', 'used']
        """
        return {
            "budget": self.budget,
            "used": self.used,
            "kept": list(self.kept_ids),
            "evicted": list(self.evicted_ids),
            "missing_prerequisites": {
                absent: list(needed_by) for absent, needed_by in self.missing_prerequisites.items()
            },
            "policy": self.policy.model_dump(),
            "records": [record.to_dict() for record in self.records],
        }

    def __repr__(self) -> str:
        return (
            f"Retention(kept {len(self.kept)} of {len(self._blocks)} blocks, "
            f"{self.used} of {self.budget} tokens)"
        )

    def __str__(self) -> str:
        best = self._verdicts.order[:_ROWS_SHOWN].tolist()
        return retention_table(repr(self), map(self._record, best), len(self._blocks))

    def _record(self, position: int) -> BlockRecord:
        columns, scores = self.decision.columns, self.decision.scores
        return BlockRecord(
            id=columns.ids[position],
            rank=int(self._verdicts.place[position]) + 1,
            similarity=float(scores.similarity[position]),
            relevance=float(scores.relevance[position]),
            support=float(scores.support[position]),
            recency=float(scores.recency[position]),
            activation=float(scores.activation[position]),
            score=float(scores.score[position]),
            cost=int(columns.cost[position]),
            kept=bool(self._verdicts.is_kept[position]),
            verdict=self._verdicts.of(position),
        )


_ROWS_SHOWN = 20
