"""Why each block was kept or evicted."""

from hypothesis import given
from hypothesis import strategies as st

from dsgc import RetentionPolicy
from dsgc._decision import Decision, decide
from dsgc._records import Verdict
from dsgc._verdicts import Verdicts
from tests import oracle
from tests.strategies import Edges, Store, adjacency_of, edges_among, policies, stores

SIMILARITIES = st.lists(st.sampled_from([0.0, 0.3, 0.6]) | st.floats(0, 1), max_size=8)


def verdicts_on(store: Store, budget: int, **policy: object) -> list[Verdict]:
    """Return the verdicts where, unless support is asked for, the order is that of similarity."""
    by_similarity = RetentionPolicy.model_validate({"prerequisite_weight": 0.0, **policy})
    verdicts = Verdicts(store.decide(budget, by_similarity))
    return [verdicts.of(block) for block in range(len(store.costs))]


def test_a_block_that_fits_at_its_turn_is_ranked() -> None:
    assert verdicts_on(Store([0.9, 0.8], [1, 2]), 3) == [Verdict("ranked")] * 2


def test_over_budget_tells_by_how_many_tokens() -> None:
    # 6 tokens: 'a' takes 3, 'b' lacks 2, 'c' takes 2, 'd' lacks 1 of the 1 that is left.
    store = Store([0.9, 0.8, 0.7, 0.6], [3, 5, 2, 2])
    assert verdicts_on(store, 6) == [
        Verdict("ranked"),
        Verdict("over_budget", tokens=2),
        Verdict("ranked"),
        Verdict("over_budget", tokens=1),
    ]


def test_over_budget_counts_what_was_left_at_its_turn_not_at_the_end() -> None:
    store = Store([0.1, 0.9, 0.5], [4, 4, 5])
    assert verdicts_on(store, 8) == [
        Verdict("ranked"),
        Verdict("ranked"),
        Verdict("over_budget", tokens=1),
    ]


def test_a_pinned_block_is_pinned_even_if_another_needs_it() -> None:
    store = Store([0.9, 0.1, 0.2], [1, 1, 1], edges=[(0, 1)], pinned=[1])
    assert verdicts_on(store, 2, closed=True) == [
        Verdict("ranked"),
        Verdict("pinned"),
        Verdict("over_budget", tokens=1),
    ]


def test_pinned_blocks_are_paid_before_the_first_turn_without_a_closed_set_too() -> None:
    store = Store([0.9, 0.1, 0.5], [2, 2, 1], pinned=[1])
    assert verdicts_on(store, 3) == [
        Verdict("over_budget", tokens=1),
        Verdict("pinned"),
        Verdict("ranked"),
    ]


def test_a_prerequisite_names_the_block_for_whose_sake_it_was_kept() -> None:
    store = Store([0.9, 0.1, 0.2, 0.8], [1, 1, 1, 1], edges=[(0, 1), (1, 2), (3, 2)])
    assert verdicts_on(store, 4, closed=True) == [
        Verdict("ranked"),
        Verdict("prerequisite", "a"),
        Verdict("prerequisite", "a"),
        Verdict("ranked"),
    ]


def test_a_prerequisite_of_a_pinned_block_names_that_block() -> None:
    store = Store([0.9, 0.1, 0.2], [1, 1, 1], edges=[(2, 1)], pinned=[2])
    assert verdicts_on(store, 2, closed=True) == [
        Verdict("over_budget", tokens=1),
        Verdict("prerequisite", "c"),
        Verdict("pinned"),
    ]


def test_prerequisite_over_budget_names_the_dearest_missing_one_and_the_tokens_in_all() -> None:
    # 'a' fits alone but needs 'b' and 'c': 1 + 4 + 6 of 8. Then 'd' takes 2, and 'c' takes 6.
    store = Store([0.9, 0.1, 0.2, 0.5], [1, 4, 6, 2], edges=[(0, 1), (1, 2)])
    assert verdicts_on(store, 8, closed=True) == [
        Verdict("prerequisite_over_budget", "c", 3),
        Verdict("over_budget", tokens=4),
        Verdict("ranked"),
        Verdict("ranked"),
    ]


def test_prerequisites_kept_before_its_turn_cost_a_block_nothing_more() -> None:
    # 'b' keeps 'c'; 'a' then needs only itself and 'd': 2 + 2 of 3.
    store = Store([0.5, 0.9, 0.1, 0.2], [2, 1, 9, 2], edges=[(0, 2), (0, 3), (1, 2)])
    assert verdicts_on(store, 13, closed=True) == [
        Verdict("prerequisite_over_budget", "d", 1),
        Verdict("ranked"),
        Verdict("prerequisite", "b"),
        Verdict("ranked"),
    ]


def test_a_duplicate_names_the_block_that_was_kept_in_its_stead() -> None:
    store = Store([0.5, 0.9, 0.7], [1, 1, 1], texts=[0, 0, 1])
    assert verdicts_on(store, 9, deduplicate=True) == [
        Verdict("duplicate", "b"),
        Verdict("ranked"),
        Verdict("ranked"),
    ]
    assert verdicts_on(store, 9) == [Verdict("ranked")] * 3


def test_a_block_is_no_duplicate_of_one_that_was_kept_after_its_turn() -> None:
    store = Store([0.9, 0.5], [5, 1], texts=[0, 0])
    assert verdicts_on(store, 1, deduplicate=True) == [
        Verdict("over_budget", tokens=4),
        Verdict("ranked"),
    ]


def test_a_duplicate_names_the_first_of_several_kept_blocks_of_its_text() -> None:
    # Both 'a' and 'd' are needed, by 'c' and 'e', and 'a' was taken first.
    store = Store(
        [0.7, 0.6, 0.9, 0.1, 0.8], [1, 1, 1, 1, 1], edges=[(2, 0), (4, 3)], texts=[0, 0, 1, 0, 2]
    )
    assert verdicts_on(store, 9, deduplicate=True, closed=True) == [
        Verdict("prerequisite", "c"),
        Verdict("duplicate", "a"),
        Verdict("ranked"),
        Verdict("prerequisite", "e"),
        Verdict("ranked"),
    ]


def test_a_duplicate_names_the_twin_that_was_kept_before_it_not_one_needed_later() -> None:
    store = Store([0.9, 0.8, 0.7, 0.1], [1, 1, 1, 1], edges=[(2, 3)], texts=[0, 0, 1, 0])
    assert verdicts_on(store, 9, deduplicate=True, closed=True) == [
        Verdict("ranked"),
        Verdict("duplicate", "a"),
        Verdict("ranked"),
        Verdict("prerequisite", "c"),
    ]


def test_fill_stopped_names_the_block_that_did_not_fit() -> None:
    store = Store([0.9, 0.8, 0.7, 0.6], [3, 5, 2, 1])
    assert verdicts_on(store, 6, overflow="stop") == [
        Verdict("ranked"),
        Verdict("over_budget", tokens=2),
        Verdict("fill_stopped", "b"),
        Verdict("fill_stopped", "b"),
    ]


def test_a_duplicate_is_not_where_the_fill_stopped() -> None:
    store = Store([0.9, 0.8, 0.7, 0.6], [1, 1, 9, 1], texts=[0, 0, 1, 2])
    assert verdicts_on(store, 5, overflow="stop", deduplicate=True) == [
        Verdict("ranked"),
        Verdict("duplicate", "a"),
        Verdict("over_budget", tokens=5),
        Verdict("fill_stopped", "c"),
    ]


def test_a_closed_fill_stops_at_a_block_whose_prerequisite_does_not_fit() -> None:
    store = Store([0.9, 0.8, 0.1], [1, 1, 5], edges=[(0, 2)])
    assert verdicts_on(store, 3, overflow="stop", closed=True) == [
        Verdict("prerequisite_over_budget", "c", 3),
        Verdict("fill_stopped", "a"),
        Verdict("fill_stopped", "a"),
    ]


def decided(store: Store, needs: Edges, budget: int, policy: RetentionPolicy) -> Decision:
    """Decide where blocks cannot be kept without others, whatever the policy."""
    if not needs:
        return store.decide(budget, policy)
    columns = store.columns._replace(needs=adjacency_of(len(store.costs), needs))
    return decide(columns, store.links, budget, policy)


def test_what_a_block_needs_is_a_reason_like_a_prerequisite() -> None:
    store = Store([0.9, 0.1, 0.8, 0.2], [1, 1, 1, 4])
    verdicts = Verdicts(decided(store, [(0, 1), (2, 3)], 4, RetentionPolicy.no_graph()))
    assert [verdicts.of(block) for block in range(4)] == [
        Verdict("ranked"),
        Verdict("prerequisite", "a"),
        Verdict("prerequisite_over_budget", "d", 3),
        Verdict("over_budget", tokens=2),
    ]


def test_of_needs_and_prerequisites_the_dearest_is_named() -> None:
    store = Store([0.9, 0.1, 0.2], [1, 2, 3], edges=[(0, 1)])
    policy = RetentionPolicy.no_graph()
    assert Verdicts(decided(store, [(0, 2)], 5, policy)).of(0) == Verdict("ranked")
    closed = Verdicts(decided(store, [(0, 2)], 5, policy.replace(closed=True)))
    assert closed.of(0) == Verdict("prerequisite_over_budget", "c", 1)


def test_order_and_place_are_inverse_and_best_first() -> None:
    verdicts = Verdicts(Store([0.1, 0.9, 0.5], [1, 2, 3]).decide(2, RetentionPolicy()))
    assert verdicts.order.tolist() == [1, 2, 0]
    assert verdicts.place.tolist() == [2, 0, 1]
    assert verdicts.is_kept.tolist() == [False, True, False]


def check_against_the_walk(
    store: Store, spare: int, policy: RetentionPolicy, needs: Edges = ()
) -> None:
    """Assert that each verdict says what happened at the block's turn in the plain walk."""
    rules = oracle.Rules(
        store.pinned,
        policy.overflow == "stop",
        [*store.edges, *needs] if policy.closed else needs or None,
        store.texts if policy.deduplicate else None,
    )
    budget = spare + oracle.price_of_pins(store.costs, rules)
    decision = decided(store, needs, budget, policy)
    verdicts = Verdicts(decision)
    order = oracle.order(decision.scores.merit.tolist(), store.similarity)
    assert verdicts.order.tolist() == order
    turns = oracle.walk(order, store.costs, budget, rules)
    kept_for = {block: turn.block for turn in turns for block in turn.kept}
    turn_of = {turn.block: turn for turn in turns}
    stopper = turns[-1] if turns else None
    for block in range(len(store.costs)):
        verdict = verdicts.of(block)
        assert bool(verdicts.is_kept[block]) == (block in kept_for)
        if block in store.pinned:
            assert verdict == Verdict("pinned")
        elif kept_for.get(block) == block:
            assert verdict == Verdict("ranked")
        elif block in kept_for:
            assert verdict == Verdict("prerequisite", store.name(kept_for[block]))
        elif block in turn_of:
            check_eviction(store, turn_of[block], verdict)
        elif verdict.kind == "duplicate":
            check_duplicate(store, block, sorted(kept_for), verdict)
        else:
            assert rules.stop
            assert stopper is not None
            assert verdict == Verdict("fill_stopped", store.name(stopper.block))


def check_eviction(store: Store, turn: oracle.Turn, verdict: Verdict) -> None:
    if turn.twins:
        check_duplicate(store, turn.block, turn.twins, verdict)
        return
    own = store.costs[turn.block]
    if own > turn.left:
        assert verdict == Verdict("over_budget", tokens=own - turn.left)
        return
    lacking = sum(store.costs[block] for block in turn.missing) - turn.left
    assert (verdict.kind, verdict.tokens) == ("prerequisite_over_budget", lacking)
    others = [block for block in turn.missing if block != turn.block]
    dearest = max(store.costs[block] for block in others)
    assert verdict.block_id in [store.name(b) for b in others if store.costs[b] == dearest]


def check_duplicate(store: Store, block: int, kept: list[int], verdict: Verdict) -> None:
    texts = store.texts or []
    twins = [store.name(twin) for twin in kept if texts[twin] == texts[block]]
    assert verdict.kind == "duplicate"
    assert verdict.block_id in twins
    assert verdict.tokens is None


@given(stores(SIMILARITIES), st.integers(0, 15), policies)
def test_every_verdict_says_what_happened_at_the_blocks_turn(
    store: Store, budget: int, policy: RetentionPolicy
) -> None:
    check_against_the_walk(store, budget, policy)


@given(stores(SIMILARITIES, pins=True), st.integers(0, 9), policies)
def test_every_verdict_beside_pinned_blocks_says_what_happened_at_the_blocks_turn(
    store: Store, spare: int, policy: RetentionPolicy
) -> None:
    check_against_the_walk(store, spare, policy)


@given(stores(SIMILARITIES, pins=True), st.integers(0, 15), policies, st.data())
def test_every_verdict_on_blocks_with_needs_says_what_happened_at_the_blocks_turn(
    store: Store, spare: int, policy: RetentionPolicy, data: st.DataObject
) -> None:
    needs = data.draw(edges_among(len(store.costs)))
    check_against_the_walk(store, spare, policy, needs)


@given(stores(SIMILARITIES), st.integers(0, 15), policies)
def test_what_was_over_budget_fits_once_it_is_given_the_tokens_it_lacked(
    store: Store, budget: int, policy: RetentionPolicy
) -> None:
    verdicts = Verdicts(store.decide(budget, policy))
    # More budget may be spent on others first, so only the first eviction can be made good.
    for block in verdicts.order.tolist():
        verdict = verdicts.of(block)
        if verdict.tokens is None:
            continue
        assert verdict.tokens > 0
        # In a closed fill "over budget" speaks of the block alone, not of what it needs.
        if verdict.kind == "prerequisite_over_budget" or not policy.closed:
            more = Verdicts(store.decide(budget + verdict.tokens, policy))
            assert bool(more.is_kept[block]) or more.of(block).kind == "duplicate"
        return
