"""Cases of the measure: a call that is about to be made, and the history it needs values from."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from dsgc.bench.real._traces import Trace
from dsgc.messages import Unit, induce_edges, read_units
from dsgc.messages._values import holds, specific_values

FORM = "openai-chat"
LARGEST_SHARE = 100  # per cent
_FEWEST_BLOCKS = 4  # with fewer there is nothing to choose


def words(text: str) -> int:
    """Count the words of a text; an empty one has none."""
    return len(text.split())


class Case:
    """The history before a call, in units, and the values that the call needs from it.

    Attributes:
        id: Of the trace, with the position of the call's message.
        history: The messages before the call.
        question: The unit of the latest user message, which is always in the prompt.
        blocks: The other units of the history, which compete.
        edges: Among the blocks, as induced from the whole history.
        needed: Values of the call's arguments that a block holds and the question does not.
    """

    def __init__(self, name: str, messages: Sequence[dict[str, Any]], position: int) -> None:
        self.id = f"{name}@{position}"
        self.history = messages[:position]
        units = read_units(self.history, format=FORM)
        users = [unit for unit in units if unit.side == "user"]
        self.question: Unit | None = users[-1] if users else None
        self.blocks = tuple(unit for unit in units if unit is not self.question)
        self._units = units
        self.needed = tuple(
            value
            for value in _values_of_calls(messages[position])
            if not holds(self.query, value) and any(holds(u.text, value) for u in self.blocks)
        )

    @property
    def query(self) -> str:
        """What the latest user message says."""
        return self.question.text if self.question else ""

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        competing = {unit.id for unit in self.blocks}
        ends = ((edge.dependent, edge.prerequisite) for edge in induce_edges(self._units))
        return tuple(dict.fromkeys(pair for pair in ends if competing.issuperset(pair)))

    @cached_property
    def words(self) -> int:
        """What all blocks cost together."""
        return sum(words(unit.text) for unit in self.blocks)

    @property
    def counts(self) -> bool:
        """Whether there is something to choose from, and something that must survive."""
        return len(self.blocks) >= _FEWEST_BLOCKS and bool(self.needed)

    def budget(self, share: int) -> int:
        """Return a share, in per cent, of the words of the blocks."""
        return self.words * share // LARGEST_SHARE

    def survives(self, kept: Sequence[str]) -> bool:
        """Say whether each needed value is still there in the texts that were kept."""
        return all(any(holds(text, value) for text in kept) for value in self.needed)


def cases_of(trace: Trace) -> Iterator[Case]:
    """Yield the cases of a trace that count, at most one for each message with calls."""
    for position, message in enumerate(trace.messages):
        if message.get("tool_calls"):
            case = Case(trace.id, trace.messages, position)
            if case.counts:
                yield case


def _values_of_calls(message: dict[str, Any]) -> list[str]:
    calls = (call for unit in read_units([message], format=FORM) for call in unit.calls)
    found = (value.text for call in calls for value in specific_values(call.arguments))
    return list(dict.fromkeys(found))
