"""What a retention says about one block: a record, and an explanation in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, overload

from dsgc._ids import position_of

VerdictKind = Literal[
    "pinned",
    "ranked",
    "prerequisite",
    "over_budget",
    "prerequisite_over_budget",
    "duplicate",
    "fill_stopped",
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a block was kept or evicted, as data; `str()` gives it in words.

    Attributes:
        kind: `pinned`, `ranked` or `prerequisite` for a kept block, otherwise `over_budget`,
            `prerequisite_over_budget`, `duplicate` or `fill_stopped`.
        block_id: The other block that the verdict speaks of, if there is one.
        tokens: By how many tokens the block exceeded what was left; in the case of
            `prerequisite_over_budget`, the block together with what it needs.

    Example:
        >>> str(Verdict("over_budget", tokens=12))
        'over budget by 12 tokens'
    """

    kind: VerdictKind
    block_id: str | None = None
    tokens: int | None = None

    def __str__(self) -> str:
        tokens = f"{self.tokens} token{'' if self.tokens == 1 else 's'}"
        return {
            "pinned": "pinned",
            "ranked": "ranked",
            "prerequisite": f"prerequisite of {self.block_id!r}",
            "over_budget": f"over budget by {tokens}",
            "prerequisite_over_budget": (
                f"prerequisite {self.block_id!r} does not fit, together over budget by {tokens}"
            ),
            "duplicate": f"duplicate of {self.block_id!r}",
            "fill_stopped": f"behind {self.block_id!r}, where the fill stopped",
        }[self.kind]


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """All that a retention knows about one block.

    Attributes:
        id: The block's id.
        rank: Its place in the order of scores, from 1.
        similarity: Inner product with the query.
        relevance: Its share of the softmax over all blocks.
        support: Relevance that reached it from its dependents; 0 where the policy asks for none.
        recency: Its share of being new; 0 where the policy asks for none.
        activation: Its share of being used; 0 where the policy asks for none.
        score: The weighted sum that the order goes by.
        cost: Tokens.
        kept: Whether it survived.
        verdict: Why, as data.
    """

    id: str
    rank: int
    similarity: float
    relevance: float
    support: float
    recency: float
    activation: float
    score: float
    cost: int
    kept: bool
    verdict: Verdict

    @property
    def reason(self) -> str:
        """Why it was kept or evicted, in words."""
        return str(self.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-ready data.

        Example:
            >>> from dsgc import Block, retain
            >>> retain([Block("a", "x")], "x", 1).records["a"].to_dict()["reason"]
            'ranked'
        """
        return asdict(self) | {"reason": self.reason}


class Records(Sequence[BlockRecord]):
    """The records of a retention in input order, each also found by the id of its block.

    A record is made when it is asked for, so a large memory pays only for those it looks at.
    """

    def __init__(self, index: Mapping[str, int], make: Callable[[int], BlockRecord]) -> None:
        self._index = index
        self._make = make

    @overload
    def __getitem__(self, key: int | str) -> BlockRecord: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[BlockRecord, ...]: ...
    def __getitem__(self, key: int | str | slice) -> BlockRecord | tuple[BlockRecord, ...]:
        """Return the record at a position or of a block id, or those of a slice."""
        if isinstance(key, slice):
            return tuple(map(self._make, range(len(self))[key]))
        if isinstance(key, str):
            return self._make(position_of(key, self._index, "records"))
        return self._make(range(len(self))[key])

    def __contains__(self, item: object) -> bool:
        """Say whether there is a block of this id, or this very record."""
        if isinstance(item, BlockRecord):
            return item.id in self._index and self[item.id] == item
        return item in self._index

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self._index)


@dataclass(frozen=True, slots=True)
class Supporter:
    """A dependent that support came from.

    Attributes:
        id: The dependent's id.
        share: Its share of the support, from 0 to 1.
    """

    id: str
    share: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one block was kept or evicted; `str()` gives it in words.

    Attributes:
        record: The numbers.
        supporters: Where its support came from, the largest share first.
        text: The same as a paragraph.
    """

    record: BlockRecord
    supporters: tuple[Supporter, ...]
    text: str

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON-ready data.

        Example:
            >>> from dsgc import Block, retain
            >>> sorted(retain([Block("a", "x")], "x", 1).explain("a").to_dict())
            ['record', 'supporters', 'text']
        """
        supporters = [asdict(supporter) for supporter in self.supporters]
        return {"record": self.record.to_dict(), "supporters": supporters, "text": self.text}
