"""The measure: in what share of the cases every needed value survives."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from time import monotonic
from typing import NamedTuple

from dsgc.bench.real._cases import Case, cases_of, words
from dsgc.bench.real._peers import PEER, PEERS, Peer
from dsgc.bench.real._rules import Rule, own_rules
from dsgc.bench.real._traces import read_traces
from dsgc.errors import InputError

Notify = Callable[[str], None]


class Share(NamedTuple):
    """The share of the cases in which all survived, and its standard error."""

    survival: float
    standard_error: float


class Row(NamedTuple):
    """What one rule reached: a cell for each budget and their mean, or a note why there is none.

    `version` names the distribution of a peer.
    """

    rule: str
    group: str
    cells: tuple[Share, ...] = ()
    mean: Share | None = None
    note: str = ""
    version: str = ""


class Measurement(NamedTuple):
    """What was measured on one file of traces, with budgets in per cent."""

    file: str
    n_traces: int
    n_cases: int
    budgets: tuple[int, ...]
    rows: tuple[Row, ...]


class _TimeIsUpError(Exception):
    """A peer took longer than it may."""


class Comparison:
    """All rules under the same budgets."""

    def __init__(
        self, budgets: Sequence[int], *, with_peers: bool = True, peer_seconds: float = 300.0
    ) -> None:
        self.budgets = tuple(budgets)
        self.rules = list(own_rules())
        self.peers: Sequence[Peer] = PEERS if with_peers else ()
        self.peer_seconds = peer_seconds

    def measure(self, file: Path, notify: Notify = lambda _: None) -> Measurement:
        """Measure all rules on a file of traces; `notify` is told of each.

        Raises:
            InputError: a line is no trace, or no call needs anything of a longer history.
        """
        traces = read_traces(file)
        cases = [case for trace in traces for case in cases_of(trace)]
        if not cases:
            raise InputError(f"{file} has no call that needs a value of a history of some length.")
        rows = []
        for rule in self.rules:
            notify(f"{file.stem}: {rule.name}")
            rows.append(self._row(rule, cases))
        for peer in self.peers:
            notify(f"{file.stem}: {peer.name}")
            rows.append(self._row_of_peer(peer, cases))
        return Measurement(file.stem, len(traces), len(cases), self.budgets, tuple(rows))

    def _row(self, rule: Rule, cases: Iterable[Case]) -> Row:
        survived = [
            [_survives(case, rule, case.budget(share)) for share in self.budgets] for case in cases
        ]
        cells = tuple(share_of(column) for column in zip(*survived, strict=True))
        return Row(rule.name, rule.group, cells, share_of([fmean(each) for each in survived]))

    def _row_of_peer(self, peer: Peer, cases: Sequence[Case]) -> Row:
        try:
            keep = peer.load()
        except ImportError:
            return Row(peer.name, PEER, note="not installed")
        try:
            rule = Rule(peer.name, PEER, keep)
            row = self._row(rule, _until(monotonic() + self.peer_seconds, cases))
        except _TimeIsUpError:
            return Row(peer.name, PEER, note=f"stopped after {self.peer_seconds:g} s")
        except Exception as error:  # noqa: BLE001  # whatever it raises is what it does here
            return Row(peer.name, PEER, note=f"failed: {type(error).__name__}")
        return row._replace(version=peer.version())


def _survives(case: Case, rule: Rule, budget: int) -> bool:
    """Say whether all is kept that is needed, and no more than fits."""
    kept = rule.keep(case, budget)
    return sum(map(words, kept)) <= budget and case.survives(kept)


def share_of(survived: Sequence[float]) -> Share:
    """Return the mean of what survived, case by case, and its standard error."""
    n_cases = len(survived)
    error = stdev(survived) / n_cases**0.5 if n_cases > 1 else 0.0
    return Share(fmean(survived), error)


def _until(deadline: float, cases: Iterable[Case]) -> Iterable[Case]:
    for case in cases:
        if monotonic() > deadline:
            raise _TimeIsUpError
        yield case
