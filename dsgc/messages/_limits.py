"""How many tokens the messages may cost, and when to compact at all."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, SupportsIndex

import numpy as np

from dsgc._tokens import checked_budget
from dsgc.errors import InputError, InputTypeError, InvalidBudgetError
from dsgc.messages._access import as_json
from dsgc.messages._pricing import Pricing


class Limits(NamedTuple):
    """Tokens: the most there may be, what sets compaction off, and what it goes down to."""

    most: int
    high: int
    low: int


def limits_of(
    budget: object,
    reserve: object,
    tools: Iterable[Any],
    marks: tuple[float | None, float | None],
    pricing: Pricing,
) -> Limits:
    """Return what is left of the budget for messages; `marks` are the high and the low one."""
    total, kept_free = checked_budget(budget), _checked_reserve(reserve)
    schemas = sum(pricing.text(as_json(tool)) for tool in listed_tools(tools))
    most = total - kept_free - schemas
    if most < 0:
        raise InputError(
            f"reserve ({kept_free} tokens) and tools ({schemas} tokens) exceed the budget of "
            f"{total} tokens. Lower them, or raise the budget."
        )
    high = _mark("high_water", marks[0], most, most)
    low = _mark("low_water", marks[1], most, high)
    if low > high:
        raise InputError(
            f"low_water ({low} tokens) is above high_water ({high} tokens). Compaction goes down "
            "to the low mark once the high one is passed: exchange them."
        )
    return Limits(most, high, low)


def _checked_reserve(reserve: object) -> int:
    try:
        return checked_budget(reserve)
    except InvalidBudgetError:
        raise InputError(
            f"reserve must be a whole number of tokens, 0 or more, got {reserve!r}. It is what "
            "stays free for the answer."
        ) from None


def listed_tools(tools: object) -> tuple[Any, ...]:
    """Return tool schemas as a tuple of their own."""
    if isinstance(tools, str | bytes | Mapping) or not isinstance(tools, Iterable):
        raise InputTypeError(
            f"tools is of the type {type(tools).__name__}. Give a list of tool schemas."
        )
    return tuple(tools)


def _mark(name: str, value: float | None, most: int, default: int) -> int:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, SupportsIndex | float | np.floating):
        raise InputTypeError(f"{name} is of the type {type(value).__name__}. {_ADVICE}")
    if isinstance(value, float | np.floating) and 0 <= value <= 1:
        return int(value * most)
    try:
        tokens = checked_budget(value)
    except InvalidBudgetError:
        tokens = None
    if tokens is None or tokens > most:
        raise InputError(
            f"{name} must lie between 0 and the {most} tokens there is room for, got {value!r}. "
            f"{_ADVICE}"
        )
    return tokens


_ADVICE = "Give a share of the budget such as 0.8, or a whole number of tokens."
