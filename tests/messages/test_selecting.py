"""The decision which blocks of a conversation survive."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dsgc import RetentionPolicy
from dsgc._decision import Decision
from dsgc.errors import PinsOverBudgetError
from dsgc.messages import InducedEdge, induce_edges, read_units
from dsgc.messages._candidates import candidates_of
from dsgc.messages._pricing import Pricing
from dsgc.messages._selecting import Competition, Wish
from dsgc.messages._units import Unit

BY_SIMILARITY = RetentionPolicy.no_graph()
LINES = "".join(f"line {n}{' word' * 23}\n" for n in range(3))  # three parts of 25 words


def count(text: str) -> int:
    return len(text.split())


def turn(key: str, arguments: Any, result: str) -> list[dict[str, Any]]:
    call = {"id": key, "function": {"name": "look", "arguments": json.dumps(arguments)}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": key, "content": result},
    ]


def user(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}]


class ByWord:
    """An encoder of two directions: texts with the word "key", and others."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return np.array([[1.0, 0.0] if "key" in text else [0.0, 1.0] for text in texts])


def competition(
    messages: Sequence[Any],
    policy: RetentionPolicy = BY_SIMILARITY,
    query: str = "key",
    *,
    split_results: bool = True,
) -> Competition:
    units = read_units(messages)
    candidates = candidates_of(units, Pricing(count), (), split_results=split_results)
    return Competition(units, candidates, Wish(query, policy, ByWord()))


def kept(decision: Decision) -> list[str]:
    return [decision.columns.ids[block] for block in sorted(decision.fill.taken.tolist())]


CHAT = [*user("one two"), *user("key one"), *user("three four five"), *user("key two")]


def test_blocks_are_kept_by_their_similarity_to_the_query_within_the_budget() -> None:
    decision = competition(CHAT).decide((), (), 6)
    assert decision.scores.similarity.tolist() == [0.0, 1.0, 0.0, 1.0]
    assert decision.columns.cost.tolist() == [2, 2, 3, 2]
    assert kept(decision) == ["m0", "m1", "m3"]
    assert (decision.budget, decision.policy) == (6, BY_SIMILARITY)


def test_pinned_units_stay_whatever_their_score() -> None:
    assert kept(competition(CHAT).decide([2], (), 5)) == ["m1", "m2"]
    assert kept(competition(CHAT).decide({0, 2}, (), 5)) == ["m0", "m2"]


def test_pinned_units_that_do_not_fit_are_named_with_what_they_need() -> None:
    message = "'m0', 'm2' with their prerequisites 'm3' cost 7 tokens, but the budget is 6"
    with pytest.raises(PinsOverBudgetError, match=message):
        competition(CHAT).decide([0, 2], [(2, 3)], 6)


def test_a_unit_is_not_kept_without_what_it_needs_under_any_policy() -> None:
    for policy in (BY_SIMILARITY, RetentionPolicy.agent(), RetentionPolicy.chain_safe()):
        decision = competition(CHAT, policy).decide((), [(1, 2)], 4)
        assert kept(decision) == ["m0", "m3"]
    assert kept(competition(CHAT).decide((), [(1, 2)], 7)) == ["m1", "m2", "m3"]


def test_a_need_is_no_edge_so_that_no_support_flows_along_it() -> None:
    decision = competition(CHAT, RetentionPolicy()).decide((), [(1, 2)], 9)
    assert decision.scores.support.tolist() == [0.0] * 4


def test_a_decision_can_be_made_again_with_other_pins() -> None:
    rivals = competition(CHAT)
    assert kept(rivals.decide([0], (), 4)) == ["m0", "m1"]
    assert kept(rivals.decide([2], (), 4)) == ["m2"]
    assert kept(rivals.decide([0], (), 4)) == ["m0", "m1"]


def test_edges_among_short_units_are_those_induced() -> None:
    messages = [
        *user("I am yusuf_rossi_9620."),
        *turn("c1", {"user_id": "yusuf_rossi_9620"}, "orders: #W2378156"),
        *turn("c2", {"order": "#W2378156"}, "late"),
    ]
    rivals = competition(messages, RetentionPolicy())
    assert rivals.edges == induce_edges(read_units(messages))
    decision = rivals.decide((), (), 99)
    relevance, support = decision.scores.relevance.tolist(), decision.scores.support.tolist()
    assert support == [relevance[1], relevance[2], 0.0]


def test_an_edge_leads_to_the_very_part_that_introduced_the_value() -> None:
    records = json.dumps([{"id": f"W{n}000", "note": "word " * 20} for n in range(3)])
    messages = [*turn("c1", {}, records), *turn("c2", {"id": "W1000"}, "late")]
    rivals = competition(messages)
    assert rivals.edges == (InducedEdge("m2", "m0#2", "W1000", "id", "look"),)
    whole = competition(messages, split_results=False)
    assert whole.edges == (InducedEdge("m2", "m0", "W1000", "id", "look"),)


def test_a_part_introduces_what_is_in_the_keys_on_the_way_to_it() -> None:
    orders = json.dumps({f"W{n}000": {"note": "word " * 30, "by": "post"} for n in range(2)})
    rivals = competition([*turn("c1", {}, orders), *turn("c2", {"id": "W1000"}, "late")])
    assert [edge.prerequisite for edge in rivals.edges] == ["m0#3"]


def test_a_value_is_found_where_json_has_escaped_it() -> None:
    for text in (r'{"id": "\u8ba2\u535512"}', "[" + '"word", ' * 60 + r'"\u8ba2\u535512"]'):
        rivals = competition([*turn("c1", {}, text), *turn("c2", {"id": "订单12"}, "late")])
        assert [edge.value for edge in rivals.edges] == ["订单12"]


def test_a_part_is_not_kept_without_its_unit_under_any_policy() -> None:
    messages = [*turn("c1", {"a": "b"}, LINES.replace("line 1", "the key")), *user("one two three")]
    own = 3 + 4  # the call, and the mark that stands for what is left out
    assert kept(competition(messages).decide((), (), own + 25)) == ["m0", "m0#2"]
    for policy in (BY_SIMILARITY, RetentionPolicy.dsgc(), RetentionPolicy.chain_safe()):
        rivals = competition(messages, policy)
        assert kept(rivals.decide((), (), own + 24)) == ["m0", "m2"]


def test_texts_that_are_equal_are_encoded_once_and_score_the_same() -> None:
    encoded: list[int] = []

    class Counted(ByWord):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
            encoded.append(len(texts))
            return super().encode(texts)

    units = read_units([*user("key"), *user("one"), *user("key")])
    candidates = candidates_of(units, Pricing(count), (), split_results=True)
    rivals = Competition(units, candidates, Wish("key two", BY_SIMILARITY, Counted()))
    decision = rivals.decide((), (), 9)
    assert sum(encoded) == 3  # two texts and the query
    assert decision.columns.text_group.tolist() == [0, 1, 0]
    assert decision.scores.similarity.tolist() == [1.0, 0.0, 1.0]


def test_a_policy_that_keeps_one_block_of_each_text_does_so_here_too() -> None:
    messages = [*user("key"), *user("one"), *user("key")]
    rivals = competition(messages, BY_SIMILARITY.replace(deduplicate=True))
    assert kept(rivals.decide((), (), 9)) == ["m0", "m1"]


def test_a_policy_that_is_closed_is_closed_under_edges_and_needs() -> None:
    messages = [
        *user("yusuf_rossi_9620"),
        *user("one two"),
        *turn("c1", {"key": "yusuf_rossi_9620"}, "late"),
    ]
    closed = BY_SIMILARITY.replace(closed=True)
    cost = 1 + 2 + 1 + 2 + 1
    assert kept(competition(messages, closed).decide((), [(2, 1)], cost)) == ["m0", "m1", "m2"]
    assert kept(competition(messages, closed).decide((), [(2, 1)], cost - 1)) == ["m0", "m1"]
    assert kept(competition(messages).decide((), [(2, 1)], cost - 1)) == ["m1", "m2"]


def test_no_units_are_decided_on_too() -> None:
    decision = competition([]).decide((), (), 0)
    assert kept(decision) == []
    assert competition([]).edges == ()


def standing_of(messages: Sequence[Any], pinned: Sequence[int]) -> tuple[list[float], list[float]]:
    standing = competition(messages).decide(pinned, (), 999).columns.standing
    assert standing is not None
    return standing.age.tolist(), standing.share.tolist()


def test_units_are_as_old_as_there_are_newer_ones() -> None:
    assert standing_of(CHAT, ()) == ([3, 2, 1, 0], [1, 1, 1, 1])


def test_a_pinned_unit_takes_no_share_and_makes_nothing_older() -> None:
    assert standing_of(CHAT, (1, 3)) == ([1, 1, 0, 0], [1, 0, 1, 0])


def test_the_parts_of_a_unit_share_its_place() -> None:
    messages = [*user("one"), *turn("c1", {}, LINES), *user("two")]
    assert standing_of(messages, ()) == ([2, 1, 1, 1, 1, 0], [1, 0.25, 0.25, 0.25, 0.25, 1])


def test_the_parts_of_a_pinned_unit_still_compete_and_share_its_place() -> None:
    messages = [*user("one"), *turn("c1", {}, LINES), *user("two")]
    third = pytest.approx(1 / 3)
    age, share = standing_of(messages, (1,))
    assert age == [2, 1, 1, 1, 1, 0]
    assert share == [1, 0, third, third, third, 1]


def test_where_everything_is_pinned_nothing_competes() -> None:
    assert standing_of(CHAT, range(4)) == ([0] * 4, [0] * 4)
    decision = competition(CHAT, RetentionPolicy.agent()).decide(range(4), (), 9)
    assert kept(decision) == ["m0", "m1", "m2", "m3"]
    assert decision.scores.score.tolist() == [0.0] * 4


def plain_standing(n_parts: Sequence[int], pinned: set[int]) -> tuple[list[float], list[float]]:
    """Return ages and shares where unit `i` has a block of its own and `n_parts[i]` parts."""
    competing = [parts + (unit not in pinned) for unit, parts in enumerate(n_parts)]
    age: list[float] = []
    share: list[float] = []
    for unit, parts in enumerate(n_parts):
        newer = sum(1 for other in competing[unit + 1 :] if other)
        part = 1 / competing[unit] if competing[unit] else 0.0
        age += [newer] * (parts + 1)
        share += [0.0 if unit in pinned else part] + [part] * parts
    return age, share


@given(st.lists(st.booleans(), max_size=6), st.sets(st.integers(0, 5)))
def test_places_and_shares_are_those_of_a_plain_count(
    has_long_result: list[bool], wanted: set[int]
) -> None:
    messages: list[Any] = []
    for number, is_long in enumerate(has_long_result):
        messages += turn(f"c{number}", {}, LINES) if is_long else user("one")
    pinned = {number for number in wanted if number < len(has_long_result)}
    age, share = plain_standing([3 * is_long for is_long in has_long_result], pinned)
    actual_age, actual_share = standing_of(messages, sorted(pinned))
    assert actual_age == age
    assert actual_share == pytest.approx(share)


@given(
    st.lists(st.sampled_from(["key one", "two", "three four", LINES]), min_size=1, max_size=6),
    st.integers(0, 120),
    st.sampled_from([BY_SIMILARITY, RetentionPolicy.agent(), RetentionPolicy.chain_safe()]),
    st.data(),
)
def test_what_is_kept_fits_and_has_all_that_it_needs(
    results: list[str], budget: int, policy: RetentionPolicy, data: st.DataObject
) -> None:
    messages = [each for n, text in enumerate(results) for each in turn(f"c{n}", {}, text)]
    units: Sequence[Unit] = read_units(messages)
    numbers = st.integers(0, len(units) - 1)
    pairs = st.tuples(numbers, numbers).filter(lambda pair: pair[0] > pair[1])
    needs = data.draw(st.lists(pairs, max_size=4)) if len(units) > 1 else []
    decision = competition(messages, policy).decide((), needs, budget)
    taken = set(kept(decision))
    assert decision.columns.cost[decision.fill.taken].sum() <= budget
    assert all(name.split("#")[0] in taken for name in taken)
    names = [unit.id for unit in units]
    assert all(names[needed] in taken for unit, needed in needs if names[unit] in taken)
