"""The unit of memory."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from dsgc._tokens import checked_cost


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
