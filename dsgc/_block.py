"""The unit of memory."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from dsgc._arrays import PerBlockIndex
from dsgc._tokens import TokenCounter, checked_cost
from dsgc.errors import DuplicateBlockError, InputTypeError


class Block(BaseModel):
    """An atomic unit of memory, kept or evicted whole (DSGC paper, section 2.1).

    Args:
        id: A name that no other block in the same call has.
        text: What the block says.
        cost: Its price in tokens; `None` leaves it to the token counter.
        pinned: Whether it survives whatever its score.
        metadata: Anything you want to find again on the kept blocks; dsgc never reads it.

    Raises:
        InvalidCostError: `cost` is negative or no whole number.
        pydantic.ValidationError: a field is of the wrong type or not a field of a block.

    Example:
        >>> Block(id="c1", text="Alice is assigned to backup bundle M", cost=7)
        Block(id='c1', text='Alice is assigned to backup bundle M', cost=7, pinned=False)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    text: str
    cost: int | None = None
    pinned: bool = False
    metadata: dict[str, Any] = Field(default_factory=dict, repr=False)

    def __init__(
        self,
        id: str,
        text: str,
        cost: int | None = None,
        pinned: bool = False,
        metadata: dict[str, Any] | None = None,
        **unknown: Any,
    ) -> None:
        if cost is not None:
            cost = checked_cost(id, cost)
        super().__init__(
            id=id, text=text, cost=cost, pinned=pinned, metadata=metadata or {}, **unknown
        )

    def __hash__(self) -> int:
        return hash((self.id, self.text))


def block_costs(blocks: Sequence[Block], count_tokens: TokenCounter) -> list[int]:
    costs = [block.cost for block in blocks]
    if None not in costs:
        return costs  # type: ignore[return-value]  # the line above is the proof
    return [
        checked_cost(block.id, count_tokens(block.text)) if cost is None else cost
        for block, cost in zip(blocks, costs, strict=True)
    ]


def index_blocks(blocks: Sequence[Block]) -> dict[str, int]:
    """Map each id to its position, refusing what is not a block and ids that recur."""
    if not all(issubclass(kind, Block) for kind in set(map(type, blocks))):
        position = next(i for i, block in enumerate(blocks) if not isinstance(block, Block))
        raise InputTypeError(
            f"blocks[{position}] is a {type(blocks[position]).__name__}, not a Block. "
            "Wrap it: Block(id=..., text=...)."
        )
    ids = [block.id for block in blocks]
    index = dict(zip(ids, range(len(ids)), strict=True))
    if len(index) < len(ids):
        second = next(position for position, name in enumerate(ids) if name in ids[:position])
        raise DuplicateBlockError(ids[second], ids.index(ids[second]), second)
    return index


class DistinctTexts(NamedTuple):
    """Texts without repetition: one owner of each, and the number of each block's text."""

    texts: Sequence[str]
    owners: Sequence[str]
    of_block: PerBlockIndex


def distinct_texts(blocks: Sequence[Block], ids: Sequence[str]) -> DistinctTexts:
    texts = [block.text for block in blocks]
    if len(set(texts)) == len(texts):
        return DistinctTexts(texts, ids, np.arange(len(texts)))
    number = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    owner = dict(zip(reversed(texts), reversed(ids), strict=True))
    of_block = np.array([number[text] for text in texts], dtype=np.int64)
    return DistinctTexts(list(number), [owner[text] for text in number], of_block)
