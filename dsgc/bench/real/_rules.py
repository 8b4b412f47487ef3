"""What is compared: rules that say which texts of a case's history survive."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from dsgc import Block, RetentionPolicy, retain
from dsgc.bench.real._cases import FORM, Case, words
from dsgc.errors import PinsOverBudgetError
from dsgc.messages import Unit, compact, read_units
from dsgc.messages._values import holds

Keep: TypeAlias = Callable[[Case, int], Sequence[str]]  # of a case under a budget in words: texts

RETAIN, COMPACT, CEILING = "retain, whole units", "compact", "ceiling"


class Rule(NamedTuple):
    """A way to choose, and the group of the table that it belongs to."""

    name: str
    group: str
    keep: Keep


_AGENT = RetentionPolicy.agent()
_POLICIES = {
    "newest first": RetentionPolicy.sliding_window(),
    "similarity": RetentionPolicy.no_graph(),
    "one hop": RetentionPolicy.dsgc(),
    "number of uses": _AGENT.replace(relevance_weight=0),
    "agent": _AGENT,
}


def own_rules() -> Iterator[Rule]:
    """Yield the rules of this library, and the best that any choice of whole units can do."""
    for name, policy in _POLICIES.items():
        yield Rule(name, RETAIN, _by_retain(policy))
    yield Rule("whole units, agent", COMPACT, _by_compact(_AGENT, split_results=False))
    for name, policy in _POLICIES.items():
        yield Rule(f"parts, {name}", COMPACT, _by_compact(policy, split_results=True))
    yield Rule("cheapest whole units that hold the values", CEILING, _ceiling)


def _by_retain(policy: RetentionPolicy) -> Keep:
    def keep(case: Case, budget: int) -> list[str]:
        blocks = [Block(unit.id, unit.text, words(unit.text)) for unit in case.blocks]
        retention = retain(blocks, case.query, budget, case.edges, policy=policy)
        return [block.text for block in retention.kept]

    return keep


def _by_compact(policy: RetentionPolicy, *, split_results: bool) -> Keep:
    def keep(case: Case, budget: int) -> list[str]:
        try:
            compaction = compact(
                case.history,
                budget + words(case.query),  # the question is pinned
                format=FORM,
                policy=policy,
                count_tokens=words,
                split_results=split_results,
                keep_first_user=False,
            )
        except PinsOverBudgetError:
            return []
        return without_question(read_units(compaction.messages, format=FORM))

    return keep


def without_question(units: Sequence[Unit]) -> list[str]:
    """Return the texts of units, but for the latest user turn."""
    users = [unit for unit in units if unit.side == "user"]
    return [unit.text for unit in units if not users or unit is not users[-1]]


def _ceiling(case: Case, budget: int) -> list[str]:
    cost, chosen = _cheapest_cover(case)
    return [case.blocks[position].text for position in chosen] if cost <= budget else []


def _cheapest_cover(case: Case) -> tuple[int, tuple[int, ...]]:
    """Return the cost and the positions of the cheapest blocks that hold all needed values."""
    best: dict[frozenset[str], tuple[int, tuple[int, ...]]] = {frozenset(): (0, ())}
    for position, unit in enumerate(case.blocks):
        held = frozenset(value for value in case.needed if holds(unit.text, value))
        if not held:
            continue
        for covered, (cost, chosen) in list(best.items()):
            cover = (cost + words(unit.text), (*chosen, position))
            best[covered | held] = min(best.get(covered | held, cover), cover)
    return best[frozenset(case.needed)]
