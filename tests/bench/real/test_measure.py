"""How cases become cells, and what becomes of peers that are missing, slow or broken."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from dsgc.bench.real import Case, Comparison, Trace, _measure
from dsgc.bench.real._measure import share_of
from dsgc.bench.real._peers import Peer
from dsgc.bench.real._rules import Keep, Rule
from dsgc.errors import InputError
from tests.bench.real.tiny import SHIPPING, assistant, user, with_message, write_traces

OTHER = with_message(SHIPPING, 3, assistant("it is ab-77"))  # m3 is short and holds the value


def only(comparison: Comparison, *rules: Rule) -> Comparison:
    comparison.rules = list(rules)
    comparison.peers = ()
    return comparison


def keep_the_shortest(case: Case, budget: int) -> Sequence[str]:
    """Keep whatever has three words, if that fits."""
    texts = [unit.text for unit in case.blocks if len(unit.text.split()) == 3]
    return [text for text in texts if budget >= 3]


def keep_everything(case: Case, budget: int) -> Sequence[str]:  # noqa: ARG001
    return [unit.text for unit in case.blocks]


def peer(keep: Keep | None, error: type[Exception] = ImportError) -> Peer:
    def make() -> Keep:
        if keep is None:
            raise error("no module of this name")
        return keep

    return Peer("a peer", "pytest", make)


def test_a_cell_is_the_share_of_cases_in_which_all_survived(tmp_path: Path) -> None:
    file = write_traces(tmp_path, "two", SHIPPING, OTHER)
    rule = Rule("the shortest", "mine", keep_the_shortest)
    measurement = only(Comparison([10, 60]), rule).measure(file)
    assert (measurement.file, measurement.n_traces, measurement.n_cases) == ("two", 2, 2)
    (row,) = measurement.rows
    assert [cell.survival for cell in row.cells] == [0.0, 0.5]
    assert row.mean is not None
    assert row.mean.survival == 0.25


def test_a_trace_without_a_case_counts_as_a_trace_only(tmp_path: Path) -> None:
    file = write_traces(tmp_path, "two", SHIPPING, Trace("short", [user("hello")]))
    measurement = only(Comparison([60]), Rule("all", "mine", keep_the_shortest)).measure(file)
    assert (measurement.n_traces, measurement.n_cases) == (2, 1)


def test_what_costs_more_than_the_budget_has_not_survived(tmp_path: Path) -> None:
    file = write_traces(tmp_path, "one", SHIPPING)
    rule = Rule("everything", "mine", keep_everything)
    (row,) = only(Comparison([99, 100]), rule).measure(file).rows
    assert [cell.survival for cell in row.cells] == [0.0, 1.0]


def test_the_standard_error_is_that_of_a_mean_over_cases() -> None:
    assert share_of([1, 0, 1, 0]) == pytest.approx((0.5, 0.5773503 / 2))
    assert share_of([1, 1, 1]) == (1.0, 0.0)
    assert share_of([1]) == (1.0, 0.0)


def test_the_mean_over_budgets_has_the_error_of_the_means_of_the_cases(tmp_path: Path) -> None:
    file = write_traces(tmp_path, "two", SHIPPING, OTHER)
    rule = Rule("the shortest", "mine", keep_the_shortest)
    (row,) = only(Comparison([10, 60]), rule).measure(file).rows
    assert row.mean == share_of([0.0, 0.5])


def test_a_file_without_any_case_is_refused(tmp_path: Path) -> None:
    file = write_traces(tmp_path, "none", Trace("short", [user("hello")]))
    with pytest.raises(InputError, match=r"none\.jsonl has no call that needs a value"):
        Comparison([25]).measure(file)


def test_a_peer_that_is_not_installed_has_a_row_that_says_so(tmp_path: Path) -> None:
    comparison = only(Comparison([25]))
    comparison.peers = [peer(None)]
    (row,) = comparison.measure(write_traces(tmp_path, "one", SHIPPING)).rows
    assert (row.rule, row.group, row.note, row.mean) == ("a peer", "peers", "not installed", None)


def test_a_peer_is_measured_like_any_rule_and_its_version_is_told(tmp_path: Path) -> None:
    comparison = only(Comparison([99, 100]))
    comparison.peers = [peer(keep_everything)]
    (row,) = comparison.measure(write_traces(tmp_path, "one", SHIPPING)).rows
    assert [cell.survival for cell in row.cells] == [0.0, 1.0]
    assert row.version == f"pytest {pytest.__version__}"


def test_a_peer_is_not_asked_under_a_budget_of_nothing(tmp_path: Path) -> None:
    def keep(case: Case, budget: int) -> Sequence[str]:
        assert budget > 0
        return keep_everything(case, budget)

    comparison = only(Comparison([1, 100]))
    comparison.peers = [peer(keep)]
    (row,) = comparison.measure(write_traces(tmp_path, "one", SHIPPING)).rows
    assert [cell.survival for cell in row.cells] == [0.0, 1.0]


def test_a_peer_that_takes_too_long_is_stopped_and_the_row_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 1.0, 6.0])
    monkeypatch.setattr(_measure, "monotonic", lambda: next(clock))
    comparison = only(Comparison([25], peer_seconds=5))
    comparison.peers = [peer(keep_everything)]
    (row,) = comparison.measure(write_traces(tmp_path, "two", SHIPPING, OTHER)).rows
    assert (row.note, row.cells) == ("stopped after 5 s", ())


def test_what_a_peer_raises_is_its_row_and_ends_nothing(tmp_path: Path) -> None:
    def keep(case: Case, budget: int) -> Sequence[str]:  # noqa: ARG001
        raise RuntimeError("out of order")

    comparison = only(Comparison([25]))
    comparison.peers = [peer(keep), peer(keep_everything)]
    broken, well = comparison.measure(write_traces(tmp_path, "one", SHIPPING)).rows
    assert (broken.note, broken.cells) == ("failed: RuntimeError", ())
    assert well.note == ""


def test_without_peers_none_is_measured() -> None:
    assert Comparison([25], with_peers=False).peers == ()


def test_it_is_told_what_is_measured(tmp_path: Path) -> None:
    told: list[str] = []
    comparison = only(Comparison([25]), Rule("mine", "group", keep_everything))
    comparison.peers = [peer(None)]
    comparison.measure(write_traces(tmp_path, "one", SHIPPING), told.append)
    assert told == ["one: mine", "one: a peer"]
