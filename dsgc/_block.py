"""The unit of memory."""

from typing import TYPE_CHECKING, Any

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
        InvalidCostError: `cost` is negative, above `2**40` or no whole number.
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

    if TYPE_CHECKING:

        def __init__(
            self,
            id: str,
            text: str,
            cost: int | None = None,
            pinned: bool = False,
            metadata: dict[str, Any] = ...,
        ) -> None: ...

    else:

        def __init__(self, /, *values: Any, **fields: Any) -> None:
            """Take the fields also by position; pydantic by itself takes names only."""
            names = tuple(type(self).model_fields)
            if len(values) > len(names):
                raise TypeError(f"a block has {len(names)} fields, got {len(values)} values")
            by_position = dict(zip(names, values, strict=False))
            if twice := by_position.keys() & fields.keys():
                raise TypeError(f"a block got more than one value for {sorted(twice)}")
            fields |= by_position
            if fields.get("cost") is not None:
                fields["cost"] = checked_cost(str(fields.get("id", "?")), fields["cost"])
            super().__init__(**fields)

    def __hash__(self) -> int:
        return hash((self.id, self.text))
