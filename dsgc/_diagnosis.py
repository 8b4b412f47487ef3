"""Why a chain did not survive: the paper's trace diagnostics."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from dsgc._ids import listed, position_of
from dsgc._reachability import distances
from dsgc._retention import Retention
from dsgc.errors import InputTypeError

Cause = Literal["budget", "ranking", "reach"]


@dataclass(frozen=True, slots=True)
class IndirectPrerequisite:
    """A chain block that a more similar chain block depends on (definition 1).

    Attributes:
        id: The block.
        witnesses: The chain blocks that depend on it and are more similar to the query.
        kept: Whether it survived.
        kept_witnesses: Those of the witnesses that survived.
    """

    id: str
    witnesses: tuple[str, ...]
    kept: bool
    kept_witnesses: tuple[str, ...]

    @property
    def is_failure(self) -> bool:
        """Whether it was dropped and a witness kept: a retention-stage failure (definition 2)."""
        return not self.kept and bool(self.kept_witnesses)


@dataclass(frozen=True, slots=True)
class Displacement:
    """A chain block that was evicted, and what took its place.

    Attributes:
        id: The block.
        rank: Its place in the order of scores, from 1.
        competitor: The lowest-scored kept block outside the chain, `None` if there is none.
        margin: The competitor's score minus the block's (the paper's wording, Table 3).
        top_competitor: The top-ranked block outside the chain, kept or not.
        top_margin: Its score minus the block's (the number in the released artifact).
        cause: `"budget"`: chain and pins together exceed it. `"reach"`: the most similar chain
            block that needs it is more hops away than support travels. `"ranking"`: otherwise.
    """

    id: str
    rank: int
    competitor: str | None
    margin: float | None
    top_competitor: str | None
    top_margin: float | None
    cause: Cause


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What became of a chain.

    Attributes:
        survived: Whether every chain block was kept.
        ranks: The place of each chain block in the order of scores, from 1.
        indirect: The structurally indirect prerequisites (definition 1).
        failures: Those of them that are retention-stage failures (definition 2).
        displaced: The chain blocks that were evicted.
        cause: Why, `None` if the chain survived; where causes differ, `"budget"` before `"reach"`
            before `"ranking"`.
    """

    survived: bool
    ranks: Mapping[str, int]
    indirect: tuple[IndirectPrerequisite, ...]
    failures: tuple[IndirectPrerequisite, ...]
    displaced: tuple[Displacement, ...]
    cause: Cause | None

    def to_dict(self) -> dict[str, Any]:
        """Return the diagnosis as JSON-ready data.

        Example:
            >>> from dsgc import Block, retain
            >>> diagnose(retain([Block("a", "x")], "x", 1), ["a"]).to_dict()["survived"]
            True
        """
        return asdict(self)


def diagnose(retention: Retention, chain: Iterable[str]) -> Diagnosis:
    """Say which blocks of a chain were lost, to what, and for which cause.

    A chain block is structurally indirect when a chain block that depends on it is more similar to
    the query; dropping it while keeping that dependent is a retention-stage failure (DSGC paper,
    definitions 1 and 2 in section 2.2; margins as in section 6).

    Args:
        retention: What `retain` returned.
        chain: Ids of the blocks that are all needed to answer the query.

    Raises:
        UnknownBlockError: the chain names a block that the retention did not see.

    Example:
        >>> from dsgc import Block, RetentionPolicy, retain
        >>> blocks = [
        ...     Block("c2", "Bundle M maps to clearance N"),
        ...     Block("n1", "The backup dashboard is redesigned"),
        ...     Block("c3", "Clearance N permits deletion of the backup"),
        ... ]
        >>> query, edges = "May Alice delete the backup?", [("c3", "c2")]
        >>> lost = retain(blocks, query, 13, edges, policy=RetentionPolicy.no_graph())
        >>> diagnosis = diagnose(lost, ["c2", "c3"])
        >>> diagnosis.cause, [failure.id for failure in diagnosis.failures]
        ('ranking', ['c2'])
    """
    if not isinstance(retention, Retention):
        raise InputTypeError(
            f"retention is of the type {type(retention).__name__}. Give what retain() returned."
        )
    case = _Case(retention, chain)
    indirect = tuple(filter(None, map(case.indirect, case.chain)))
    displaced = tuple(map(case.displacement, case.evicted))
    causes = {displacement.cause for displacement in displaced}
    return Diagnosis(
        survived=not displaced,
        ranks={name: retention.records[name].rank for name in case.chain},
        indirect=indirect,
        failures=tuple(found for found in indirect if found.is_failure),
        displaced=displaced,
        cause=next((cause for cause in _BY_WEIGHT if cause in causes), None),
    )


_BY_WEIGHT: tuple[Cause, ...] = ("budget", "reach", "ranking")


class _Case:
    """A chain beside the decision about it."""

    def __init__(self, retention: Retention, chain: Iterable[str]) -> None:
        self._decision = retention.decision
        self._records = retention.records
        self._index = retention.index
        self._kept = set(retention.kept_ids)
        names = retention.decision.columns.ids
        positions = [position_of(name, self._index, "the chain") for name in listed(chain, "chain")]
        self.chain = [names[position] for position in dict.fromkeys(positions)]
        self.evicted = [block_id for block_id in self.chain if block_id not in self._kept]
        members = set(self.chain)
        outside = [name for name in retention.ranking if name not in members]
        self._top = outside[0] if outside else None
        self._lowest = next((name for name in reversed(outside) if name in self._kept), None)
        self._is_over_budget = self._cost_with_pins() > self._decision.budget

    def indirect(self, block_id: str) -> IndirectPrerequisite | None:
        similarity = self._records[block_id].similarity
        dependents = set(self._decision.links.dependents.row(self._index[block_id]))
        witnesses = tuple(
            other
            for other in self.chain
            if self._index[other] in dependents and self._records[other].similarity > similarity
        )
        if not witnesses:
            return None
        kept = tuple(witness for witness in witnesses if witness in self._kept)
        return IndirectPrerequisite(block_id, witnesses, block_id in self._kept, kept)

    def displacement(self, block_id: str) -> Displacement:
        return Displacement(
            id=block_id,
            rank=self._records[block_id].rank,
            competitor=self._lowest,
            margin=self._margin(self._lowest, block_id),
            top_competitor=self._top,
            top_margin=self._margin(self._top, block_id),
            cause=self._cause(block_id),
        )

    def _margin(self, competitor: str | None, block_id: str) -> float | None:
        if competitor is None:
            return None
        return self._records[competitor].score - self._records[block_id].score

    def _cause(self, block_id: str) -> Cause:
        policy = self._decision.policy
        if self._is_over_budget:
            return "budget"
        distance = self._distances(block_id)
        needing = [other for other in self.chain if distance.get(other)]
        if not needing or not policy.prerequisite_weight:
            return "ranking"
        root = max(needing, key=lambda other: self._records[other].similarity)
        return "reach" if distance[root] > policy.hops else "ranking"

    def _cost_with_pins(self) -> int:
        """Return what the chain and the pinned blocks cost together, each block once."""
        columns = self._decision.columns
        is_needed = columns.pinned.copy()
        is_needed[[self._index[name] for name in self.chain]] = True
        return int(columns.cost[is_needed].sum())

    def _distances(self, block_id: str) -> dict[str, int]:
        """Return how many edges away each direct and indirect dependent is, and itself at 0."""
        names = self._decision.columns.ids
        found = distances(self._decision.links.dependents, self._index[block_id])
        return {names[block]: steps for block, steps in found.items()}
