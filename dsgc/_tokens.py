"""What costs and budgets are counted in."""

import operator
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from dsgc.errors import InvalidBudgetError, InvalidCostError

TokenCounter: TypeAlias = Callable[[str], int]

LARGEST_COST = 2**40  # tokens; keeps every sum of costs inside 64 bits


def count_words(text: str) -> int:
    """Count whitespace-separated words, at least one (the unit of both papers).

    Args:
        text: Any text, the empty one included.

    Returns:
        `max(len(text.split()), 1)`, in words.

    Example:
        >>> count_words("Clearance N permits deletion"), count_words("")
        (4, 1)
    """
    return len(text.split()) or 1


def checked_cost(block_id: str, cost: object) -> int:
    try:
        tokens = operator.index(cost)  # type: ignore[arg-type]  # the very thing being tested
    except TypeError:
        raise InvalidCostError(block_id, cost, LARGEST_COST) from None
    if isinstance(cost, bool) or not 0 <= tokens <= LARGEST_COST:
        raise InvalidCostError(block_id, cost, LARGEST_COST)
    return tokens


def checked_budget(budget: object) -> int:
    try:
        tokens = operator.index(budget)  # type: ignore[arg-type]  # the very thing being tested
    except TypeError:
        if not (isinstance(budget, float | np.floating) and budget.is_integer()):
            raise InvalidBudgetError(budget) from None
        tokens = int(budget)
    if isinstance(budget, bool) or tokens < 0:
        raise InvalidBudgetError(budget)
    return tokens
