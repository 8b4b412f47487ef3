"""What `compact` returns."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from dsgc._retention import Retention
from dsgc.messages._report import Report


class Compaction:
    """A conversation that fits, and why each of its units is there or not.

    It is what `compact` returns; you need not make one yourself. `print` shows the report.

    Attributes:
        messages: Those that are left, in order, of the types given.
        tokens_before: What the messages given cost.
        tokens_after: What those that are left cost; never more than there was room for.
        budget: What the budget left for messages, in tokens.

    Example:
        >>> from dsgc.messages import compact
        >>> compact([{"role": "user", "content": "Hello"}], budget=100)
        Compaction(kept 1 of 1 messages, 6 of 6 tokens)
    """

    def __init__(
        self,
        messages: list[Any],
        tokens: tuple[int, int],
        budget: int,
        report: Callable[[], Report],
        retention: Callable[[], Retention],
        n_given: int,
    ) -> None:
        self.messages = messages
        self.tokens_before, self.tokens_after = tokens
        self.budget = budget
        self._report_on = report
        self._decide = retention
        self._n_given = n_given

    @cached_property
    def report(self) -> Report:
        """What became of each unit, what was broken, and the edges."""
        return self._report_on()

    @cached_property
    def retention(self) -> Retention:
        """The decision on the blocks: units by their ids, and parts of results as `m3#1`."""
        return self._decide()

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the messages as JSON-ready data.

        Example:
            >>> from dsgc.messages import compact
            >>> sorted(compact([], budget=100).to_dict())
            ['budget', 'report', 'retention', 'tokens_after', 'tokens_before']
        """
        return {
            "budget": self.budget,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "report": self.report.to_dict(),
            "retention": self.retention.to_dict(),
        }

    def __getstate__(self) -> dict[str, Any]:
        # What is made when it is asked for is made before it is sent to another process.
        known = {"report": self.report, "retention": self.retention}
        return self.__dict__ | known | {"_report_on": None, "_decide": None}

    def __repr__(self) -> str:
        return (
            f"Compaction(kept {len(self.messages)} of {self._n_given} messages, "
            f"{self.tokens_after} of {self.tokens_before} tokens)"
        )

    def __str__(self) -> str:
        return f"{self!r}\n{self.report}"
