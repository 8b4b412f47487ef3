"""Every error that dsgc raises on purpose.

```
DsgcError
├── InputError (also a ValueError)
│   ├── InvalidBudgetError    a budget that is negative or no whole number
│   ├── InvalidCostError      a cost that is negative, too large or no whole number
│   ├── DuplicateBlockError   two blocks with one id
│   ├── UnknownBlockError     an id that is not among the blocks, with the nearest one that is
│   ├── SelfEdgeError         a block that depends on itself
│   ├── PinsOverBudgetError   pinned blocks that do not fit the budget
│   ├── NeverKeptError        a block that is left out even where all before it fits
│   ├── EncodingError         embeddings of a wrong number, length or value
│   ├── UnknownFormatError    messages of no known format, or a format of no known name
│   └── UnreadableMessageError  a message that is not of its format
├── InputTypeError (also a TypeError): an argument of the wrong kind
├── ModelNotFoundError (also an OSError): a model that cannot be loaded
│   └── VocabularyNotFoundError  the same of a tokenizer's vocabulary
└── MissingExtraError (also an ImportError): an optional dependency that is not installed
```

Each message says what is wrong, where, and what to do next; the data behind it are attributes.
"""

from collections.abc import Iterable, Sequence
from typing import Any


class DsgcError(Exception):
    """Base of all errors raised by dsgc; each can be copied and sent to other processes."""

    def __reduce__(self) -> tuple[Any, ...]:
        # By default an exception is made anew from its message, which these do not take.
        return _restored, (type(self), self.args), self.__dict__


class InputError(DsgcError, ValueError):
    """A value that was given to dsgc cannot be used."""


class InputTypeError(DsgcError, TypeError):
    """An argument is of the wrong kind."""


class InvalidBudgetError(InputError):
    """The budget is negative or no whole number of tokens."""

    def __init__(self, budget: object) -> None:
        self.budget = budget
        super().__init__(
            f"budget must be a whole number of tokens, 0 or more, got {budget!r}. "
            "Round it down with int(), or check what was subtracted from it."
        )


class InvalidCostError(InputError):
    """The cost of a block is negative, too large or no whole number of tokens."""

    def __init__(self, block_id: str, cost: object, largest: int) -> None:
        self.block_id = block_id
        self.cost = cost
        super().__init__(
            f"the cost of block {block_id!r} must be a whole number of tokens from 0 to {largest}, "
            f"got {cost!r}. Correct its `cost`, or what `count_tokens` returns for its text."
        )


class DuplicateBlockError(InputError):
    """Two blocks carry the same id."""

    def __init__(self, block_id: str, first: int, second: int) -> None:
        self.block_id = block_id
        self.positions = (first, second)
        super().__init__(
            f"blocks {first} and {second} both have the id {block_id!r}. Ids must be unique: "
            "rename one, or leave one out."
        )


class UnknownBlockError(InputError):
    """An id was used that does not belong to any block at hand."""

    def __init__(self, what: str, unknown: Sequence[str], known: Iterable[str]) -> None:
        known = list(known)
        self.block_ids = tuple(dict.fromkeys(unknown))
        self.block_id = self.block_ids[0]
        self.suggestion = _nearest(self.block_id, known)
        named = ", ".join(repr(block_id) for block_id in self.block_ids[:_MOST_NAMED])
        if len(self.block_ids) > _MOST_NAMED:
            named += f" and {len(self.block_ids) - _MOST_NAMED} more"
        noun, verb = ("block", "is") if len(self.block_ids) == 1 else ("blocks", "are")
        hint = "" if self.suggestion is None else f" {_hint(self.block_id, self.suggestion)}"
        super().__init__(
            f"{what} to {noun} {named}, which {verb} not among the {len(known)} blocks given.{hint}"
        )


class SelfEdgeError(InputError):
    """An edge makes a block its own prerequisite."""

    def __init__(self, block_id: str) -> None:
        self.block_id = block_id
        super().__init__(
            f"an edge makes block {block_id!r} its own prerequisite. Remove that edge: "
            "a block that is kept needs no edge to itself."
        )


class PinsOverBudgetError(InputError):
    """What must be kept costs more than the budget."""

    def __init__(
        self, pinned: Sequence[str], required: Sequence[str], cost: int, budget: int
    ) -> None:
        self.block_ids = tuple(pinned)
        self.required_ids = tuple(required)
        self.cost = cost
        self.budget = budget
        with_required = ""
        if required:
            with_required = f" with their prerequisites {', '.join(map(repr, required))}"
        super().__init__(
            f"the pinned blocks {', '.join(map(repr, pinned))}{with_required} cost {cost} tokens, "
            f"but the budget is {budget}. Unpin or shorten some, or raise the budget to {cost}."
        )


class NeverKeptError(InputError):
    """A block is left out even where everything that ranks higher fits."""

    def __init__(self, block_id: str, reason: str) -> None:
        self.block_id = block_id
        super().__init__(
            f"no budget that holds all that ranks higher keeps block {block_id!r}: it is a "
            f"{reason}. Ask for that block instead, or use a policy with deduplicate=False."
        )


class EncodingError(InputError):
    """An encoder returned embeddings of a wrong number, length or value."""

    def __init__(self, message: str, block_id: str | None = None) -> None:
        self.block_id = block_id
        super().__init__(message)


class UnknownFormatError(InputError):
    """Messages are of no known format, or a format has no known name."""

    def __init__(self, message: str, known: Sequence[str]) -> None:
        self.known = tuple(known)
        super().__init__(f"{message} Known formats: {', '.join(known)}.")


class UnreadableMessageError(InputError):
    """A message is not of the format that the conversation has, or was said to have."""

    def __init__(self, position: int, what: str, format_name: str) -> None:
        self.position = position
        self.format = format_name
        super().__init__(
            f"messages[{position}] {what}, so it cannot be read as {format_name}. Correct the "
            "message, or name its format with `format=`."
        )


class ModelNotFoundError(DsgcError, OSError):
    """The files of a model are neither here nor to be had."""

    def __init__(self, model: str) -> None:
        self.model = model
        super().__init__(
            f"the model {model!r} is neither a local folder with a model in it nor to be had from "
            "the hub. Check the name and the network, or give the path of a downloaded folder."
        )


class VocabularyNotFoundError(ModelNotFoundError):
    """A vocabulary that tiktoken fetches from the network, which cannot be reached."""

    def __init__(self, model: str) -> None:
        self.model = model
        super(ModelNotFoundError, self).__init__(
            f"tiktoken has no copy of the vocabulary {model!r} and cannot fetch it. Set "
            "TIKTOKEN_CACHE_DIR to a folder that holds one, or count with estimate_tokens, which "
            "needs none."
        )


class MissingExtraError(DsgcError, ImportError):
    """A part of dsgc needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{feature} needs the '{extra}' extra: pip install 'dsgc[{extra}]'")


def _restored(kind: type[DsgcError], arguments: tuple[Any, ...]) -> DsgcError:
    error = kind.__new__(kind)
    error.args = arguments
    return error


_MOST_NAMED = 5
_MOST_COMPARED = 10_000
_CLOSE = 0.6


def _nearest(block_id: str, known: Sequence[str]) -> str | None:
    from difflib import get_close_matches  # only needed once something has gone wrong

    matches = get_close_matches(block_id, known[:_MOST_COMPARED], n=1, cutoff=0.0)
    return matches[0] if matches else None


def _hint(block_id: str, nearest: str) -> str:
    from difflib import SequenceMatcher

    is_close = SequenceMatcher(None, block_id, nearest).ratio() >= _CLOSE
    return f"Did you mean {nearest!r}?" if is_close else f"The nearest id is {nearest!r}."
