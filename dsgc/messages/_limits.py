"""How many tokens the messages may cost, and when to compact at all."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from dsgc._tokens import checked_budget
from dsgc.errors import InputError, InputTypeError
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
    total, kept_free = checked_budget(budget), checked_budget(reserve)
    schemas = _price_of_tools(tools, pricing)
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


def _price_of_tools(tools: Iterable[Any], pricing: Pricing) -> int:
    if isinstance(tools, str) or not isinstance(tools, Iterable):
        raise InputTypeError(
            f"tools is of the type {type(tools).__name__}. Give a list of tool schemas."
        )
    return sum(pricing.text(as_json(tool)) for tool in tools)


def _mark(name: str, value: float | None, most: int, default: int) -> int:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputTypeError(f"{name} is of the type {type(value).__name__}. {_ADVICE}")
    tokens = int(value * most) if isinstance(value, float) and 0 <= value <= 1 else value
    if not isinstance(tokens, int) or not 0 <= tokens <= most:
        raise InputError(
            f"{name} must lie between 0 and the {most} tokens there is room for, got {value!r}. "
            f"{_ADVICE}"
        )
    return tokens


_ADVICE = "Give a share of the budget such as 0.8, or a whole number of tokens."
