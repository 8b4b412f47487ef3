"""The order of the blocks, and how the budget is filled along it."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsgc._selection import Fill, FillRules, fill, ranked
from tests import oracle
from tests.strategies import edges_among, lists_of, prerequisites_of


class Case(NamedTuple):
    """The input of one fill."""

    merit: list[float]
    similarity: list[float]
    costs: list[int]
    budget: int
    rules: oracle.Rules = oracle.SKIP

    @property
    def order(self) -> list[int]:
        return oracle.order(self.merit, self.similarity)


def filled(case: Case) -> Fill:
    edges, texts = case.rules.edges, case.rules.texts
    rules = FillRules(
        stop=case.rules.stop,
        prerequisites=None if edges is None else prerequisites_of(len(case.costs), edges),
        text_group=None if texts is None else np.array(texts, dtype=np.int64),
    )
    return fill(
        np.array(case.merit, dtype=np.float64),
        np.array(case.similarity, dtype=np.float64),
        np.array(case.costs, dtype=np.int64),
        case.budget,
        np.array(case.rules.pinned, dtype=np.int64),
        rules,
    )


def by_sake(result: Fill) -> list[tuple[int, list[int]]]:
    """Return for whose sake blocks were kept, in this order, and which blocks, ascending."""
    groups: dict[int, list[int]] = {}
    for block, sake in zip(result.taken.tolist(), result.taken_for.tolist(), strict=True):
        groups.setdefault(sake, []).append(block)
    return [(sake, sorted(blocks)) for sake, blocks in groups.items()]


def expected(case: Case) -> list[tuple[int, list[int]]]:
    return oracle.fill(case.order, case.costs, case.budget, case.rules)


def kept(case: Case) -> list[int]:
    return sorted(filled(case).taken.tolist())


def again_with(case: Case, survivors: list[int]) -> Case:
    """Return the same case without the blocks that did not survive."""
    place = {block: position for position, block in enumerate(survivors)}
    edges, texts = case.rules.edges, case.rules.texts
    return Case(
        [case.merit[block] for block in survivors],
        [case.similarity[block] for block in survivors],
        [case.costs[block] for block in survivors],
        case.budget,
        case.rules._replace(
            pinned=[place[block] for block in case.rules.pinned],
            edges=None
            if edges is None
            else [(place[a], place[b]) for a, b in edges if a in place and b in place],
            texts=None if texts is None else [texts[block] for block in survivors],
        ),
    )


MERITS = st.sampled_from([0.0, 0.25, 0.5, np.nextafter(0.5, 1)]) | st.floats(0, 1)


@st.composite
def cases(draw: st.DrawFn, with_pins: bool = False) -> Case:
    """Return a few blocks under any rules, with many ties, cycles and blocks that cost nothing."""
    n_blocks = draw(st.integers(0, 9))
    blocks = st.integers(0, max(n_blocks - 1, 0))
    merit, similarity = draw(lists_of(MERITS, n_blocks)), draw(lists_of(MERITS, n_blocks))
    costs = draw(lists_of(st.integers(0, 6), n_blocks))
    edges = draw(st.none() | edges_among(n_blocks, loops=True))
    texts = draw(st.none() | lists_of(st.integers(0, 3), n_blocks))
    pinned = draw(st.lists(blocks, unique=True, max_size=3)) if with_pins and n_blocks else []
    rules = oracle.Rules(sorted(pinned), draw(st.booleans()), edges, texts)
    budget = oracle.price_of_pins(costs, rules) + draw(st.integers(0, 15))
    return Case(merit, similarity, costs, budget, rules)


@st.composite
def large_cases(draw: st.DrawFn) -> Case:
    """Return more blocks than are ordered at first, with many ties and a budget for a few."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_blocks = draw(st.sampled_from([129, 250, 1000]))
    n_values = draw(st.sampled_from([1, 3, 1000]))
    merit = rng.integers(0, n_values, n_blocks).astype(np.float64)
    similarity = rng.integers(0, n_values, n_blocks).astype(np.float64)
    # What still fits, or is too dear, stands far down the order.
    prices = [[1], [0, 1, 90], [2, 40, 41, 50], [0] * 150 + [1, 400]]
    costs = rng.choice(draw(st.sampled_from(prices)), n_blocks)
    n_edges = draw(st.sampled_from([0, 30, 250]))
    ends = rng.integers(0, n_blocks, (n_edges, 2)).tolist()
    edges = draw(st.none() | st.just([(dependent, required) for dependent, required in ends]))
    texts = draw(st.none() | st.just(rng.integers(0, n_blocks // 2, n_blocks).tolist()))
    rules = oracle.Rules((), draw(st.booleans()), edges, texts)
    budget = draw(st.integers(0, 300))
    return Case(merit.tolist(), similarity.tolist(), costs.tolist(), budget, rules)


def test_order_is_merit_then_similarity_then_as_given() -> None:
    merit = np.array([0.5, 0.9, 0.5, 0.5, 0.9])
    similarity = np.array([0.1, 0.2, 0.3, 0.1, 0.2])
    assert ranked(merit, similarity).tolist() == [1, 4, 2, 0, 3]


@given(cases())
def test_order_equals_its_oracle(case: Case) -> None:
    assert ranked(np.array(case.merit), np.array(case.similarity)).tolist() == case.order


def test_skip_passes_over_what_does_not_fit_and_stop_ends_there() -> None:
    case = Case([0.9, 0.8, 0.7, 0.6], [0.0] * 4, [3, 4, 2, 1], 6)
    assert filled(case).taken.tolist() == [0, 2, 3]
    assert filled(case._replace(rules=oracle.Rules(stop=True))).taken.tolist() == [0]


def test_a_block_that_costs_exactly_what_is_left_is_kept() -> None:
    assert kept(Case([0.9, 0.8], [0.0] * 2, [3, 4], 7)) == [0, 1]
    assert kept(Case([0.9, 0.8], [0.0] * 2, [3, 4], 6)) == [0]


def test_without_a_budget_only_what_costs_nothing_is_kept() -> None:
    case = Case([0.9, 0.8, 0.7], [0.0] * 3, [1, 0, 0], 0)
    assert kept(case) == [1, 2]
    assert kept(case._replace(rules=oracle.Rules(stop=True))) == []
    assert kept(Case([0.9], [0.0], [1], 0)) == []


def test_no_blocks_fill_nothing() -> None:
    result = filled(Case([], [], [], 10))
    assert (result.taken.tolist(), result.taken_for.tolist()) == ([], [])


def test_a_closed_fill_keeps_a_block_together_with_all_that_it_needs() -> None:
    # 0 needs 1, which needs 2; 3 needs 2.
    rules = oracle.Rules(edges=[(0, 1), (1, 2), (3, 2)])
    case = Case([0.9, 0.1, 0.2, 0.8], [0.0] * 4, [1, 2, 3, 1], 6, rules)
    assert by_sake(filled(case)) == [(0, [0, 1, 2])]
    assert by_sake(filled(case._replace(budget=5))) == [(3, [2, 3])]
    assert by_sake(filled(case._replace(budget=7))) == [(0, [0, 1, 2]), (3, [3])]
    assert by_sake(filled(case._replace(budget=3))) == [(2, [2])]


def test_a_closed_fill_keeps_or_evicts_a_cycle_whole() -> None:
    rules = oracle.Rules(edges=[(0, 1), (1, 2), (2, 0)])
    case = Case([0.9, 0.8, 0.7, 0.1], [0.0] * 4, [2, 2, 2, 2], 5, rules)
    assert kept(case) == [3]
    assert kept(case._replace(budget=6)) == [0, 1, 2]


def test_a_block_is_skipped_once_a_block_of_equal_text_is_kept() -> None:
    case = Case([0.9, 0.8, 0.7], [0.0] * 3, [2, 1, 1], 4, oracle.Rules(texts=[5, 5, 6]))
    assert kept(case) == [0, 2]
    # The first of the two does not fit, so the second is no duplicate.
    assert kept(case._replace(budget=1)) == [1]


def test_a_duplicate_does_not_stop_the_fill() -> None:
    rules = oracle.Rules(stop=True, texts=[5, 5, 6, 7])
    case = Case([0.9, 0.8, 0.7, 0.6], [0.0] * 4, [2, 90, 1, 90], 4, rules)
    assert kept(case) == [0, 2]


def test_a_duplicate_that_a_kept_block_needs_is_kept() -> None:
    rules = oracle.Rules(edges=[(1, 2)], texts=[5, 6, 5])
    assert by_sake(filled(Case([0.9, 0.8, 0.1], [0.0] * 3, [1] * 3, 9, rules))) == [
        (0, [0]),
        (1, [1, 2]),
    ]


@given(cases())
def test_the_fill_equals_its_oracle_under_any_rules(case: Case) -> None:
    assert by_sake(filled(case)) == expected(case)


@given(cases(with_pins=True))
def test_the_fill_with_pinned_blocks_equals_its_oracle_under_any_rules(case: Case) -> None:
    assert by_sake(filled(case)) == expected(case)


@settings(max_examples=60)
@given(large_cases())
def test_the_fill_of_a_large_memory_equals_the_walk_along_its_full_order(case: Case) -> None:
    assert by_sake(filled(case)) == expected(case)


@pytest.mark.parametrize("rules", [oracle.SKIP, oracle.Rules(edges=[])])
def test_a_block_at_the_very_end_of_a_large_memory_is_found(rules: oracle.Rules) -> None:
    n_blocks = 5000
    costs = [10] * (n_blocks - 1) + [1]
    merit = [1.0 - block / n_blocks for block in range(n_blocks)]
    assert kept(Case(merit, merit, costs, 25, rules)) == [0, 1, n_blocks - 1]


@pytest.mark.parametrize("edges", [None, []])
def test_a_large_memory_is_filled_up_to_the_first_block_that_does_not_fit(
    edges: list[tuple[int, int]] | None,
) -> None:
    costs = [0] * 3000 + [11] + [1] * 1000
    merit = [1.0 - block / len(costs) for block in range(len(costs))]
    case = Case(merit, merit, costs, 10, oracle.Rules(stop=True, edges=edges))
    assert kept(case) == list(range(3000))


def test_tied_blocks_of_a_large_memory_are_kept_as_similarity_then_input_order_has_it() -> None:
    n_blocks = 5000
    similarity = [float(block % 2) for block in range(n_blocks)]
    case = Case([0.5] * n_blocks, similarity, [1] * n_blocks, 2600)
    assert filled(case).taken.tolist() == case.order[:2600]


def test_what_needs_a_block_far_behind_it_that_does_not_fit_is_skipped() -> None:
    # A chain longer than the fill looks ahead; only its last block is too dear.
    n_blocks = 300
    edges = [(block, block + 1) for block in range(n_blocks - 2)]
    merit = [1.0 - block / n_blocks for block in range(n_blocks)]
    costs = [0] * (n_blocks - 2) + [9, 8]
    case = Case(merit, merit, costs, 8, oracle.Rules(edges=edges))
    assert kept(case) == [n_blocks - 1]
    assert kept(case._replace(budget=9)) == list(range(n_blocks - 1))


@given(cases(with_pins=True) | large_cases())
def test_kept_blocks_never_cost_more_than_the_budget_and_none_is_kept_twice(case: Case) -> None:
    taken = filled(case).taken.tolist()
    assert len(set(taken)) == len(taken)
    assert sum(case.costs[block] for block in taken) <= case.budget
    assert set(case.rules.pinned) <= set(taken)


@given(cases(with_pins=True) | large_cases())
def test_a_closed_fill_leaves_no_kept_block_without_what_it_needs(case: Case) -> None:
    edges = case.rules.edges or []
    taken = set(
        filled(case._replace(rules=case.rules._replace(edges=edges, pinned=()))).taken.tolist()
    )
    assert [edge for edge in edges if edge[0] in taken and edge[1] not in taken] == []


@given(cases(with_pins=True), st.data())
def test_permuting_blocks_permutes_what_is_kept(case: Case, data: st.DataObject) -> None:
    n_blocks = len(case.costs)
    merit = [value + 2.0 * block for block, value in enumerate(case.merit)]  # no ties
    case = case._replace(merit=merit)
    place = data.draw(st.permutations(range(n_blocks)))
    source = [place.index(block) for block in range(n_blocks)]
    edges, texts, pinned = case.rules.edges, case.rules.texts, case.rules.pinned
    rules = oracle.Rules(
        pinned=[place[block] for block in pinned],
        stop=case.rules.stop,
        edges=None if edges is None else [(place[a], place[b]) for a, b in edges],
        texts=None if texts is None else [texts[block] for block in source],
    )
    moved = Case(
        [merit[block] for block in source],
        [case.similarity[block] for block in source],
        [case.costs[block] for block in source],
        case.budget,
        rules,
    )
    assert kept(moved) == sorted(place[block] for block in kept(case))


@given(cases(), st.integers(0, 20))
def test_filling_with_what_was_kept_keeps_all_of_it(case: Case, budget: int) -> None:
    case = case._replace(budget=budget, rules=oracle.SKIP)
    survivors = kept(case)
    assert kept(again_with(case, survivors)) == list(range(len(survivors)))


def test_a_twin_that_is_needed_is_kept_beside_one_that_was_kept_for_its_rank() -> None:
    # 0 and 2 say the same, and 1 needs 2.
    rules = oracle.Rules(edges=[(1, 2)], texts=[5, 6, 5])
    result = filled(Case([0.9, 0.8, 0.1], [0.0] * 3, [1] * 3, 9, rules))
    assert by_sake(result) == [(0, [0]), (1, [1, 2])]


def test_a_long_chain_that_does_not_fit_is_passed_over_as_a_whole() -> None:
    n_blocks = 3_000
    chain = oracle.Rules(edges=[(block, block + 1) for block in range(n_blocks - 1)])
    merit = [float(-block) for block in range(n_blocks)]
    result = filled(Case(merit, [0.0] * n_blocks, [1] * n_blocks, 500, chain))
    assert sorted(result.taken.tolist()) == list(range(2_500, 3_000))
    assert set(result.taken_for.tolist()) == {2_500}


def test_a_pinned_block_is_kept_and_paid_for_once() -> None:
    case = Case([0.9, 0.8], [0.0] * 2, [1, 1], 2, oracle.Rules(pinned=[0]))
    assert filled(case).taken.tolist() == [0, 1]


def test_pinned_blocks_are_kept_before_better_ones() -> None:
    rules = oracle.Rules(pinned=[2], edges=[(2, 1)])
    case = Case([0.9, 0.2, 0.1], [0.0] * 3, [2, 2, 2], 5, rules)
    assert by_sake(filled(case)) == [(2, [1, 2])]
    assert by_sake(filled(case._replace(budget=6))) == [(2, [1, 2]), (0, [0])]


def test_pinned_duplicates_are_all_kept_and_bar_the_others() -> None:
    rules = oracle.Rules(pinned=[1, 2], texts=[5, 5, 5])
    assert kept(Case([0.9, 0.2, 0.1], [0.0] * 3, [1] * 3, 9, rules)) == [1, 2]


def test_the_inputs_of_a_fill_are_left_as_they_were() -> None:
    merit, similarity = np.array([0.1, 0.9]), np.array([0.2, 0.3])
    cost, pinned, group = np.array([1, 2]), np.array([0]), np.array([4, 4])
    rules = FillRules(prerequisites=prerequisites_of(2, [(0, 1)]), text_group=group)
    fill(merit, similarity, cost, 3, pinned, rules)
    arrays = (merit, similarity, cost, pinned, group)
    assert [array.tolist() for array in arrays] == [[0.1, 0.9], [0.2, 0.3], [1, 2], [0], [4, 4]]
