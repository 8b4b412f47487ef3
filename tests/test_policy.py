"""What a retention values: ranges, presets and what they do."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dsgc import Block, RetentionPolicy, retain
from tests.strategies import GivenSimilarities

PRESETS = {
    "dsgc": RetentionPolicy.dsgc(),
    "no_graph": RetentionPolicy.no_graph(),
    "sliding_window": RetentionPolicy.sliding_window(),
    "chain_safe": RetentionPolicy.chain_safe(),
    "agent": RetentionPolicy.agent(),
}
WEIGHTS = [
    "relevance_weight",
    "prerequisite_weight",
    "recency_weight",
    "recency_exponent",
    "activation_weight",
    "activation_decay",
    "density_exponent",
]


def test_the_defaults_are_the_rule_of_the_paper() -> None:
    assert RetentionPolicy().model_dump() == {
        "temperature": 0.25,
        "relevance_weight": 1.0,
        "prerequisite_weight": 1.0,
        "hops": 1,
        "damping": 1.0,
        "aggregate": "sum",
        "recency_weight": 0.0,
        "recency_exponent": 3.0,
        "activation_weight": 0.0,
        "activation_decay": 1.0,
        "density_exponent": 0.0,
        "overflow": "skip",
        "closed": False,
        "deduplicate": False,
    }
    assert RetentionPolicy.dsgc() == RetentionPolicy()


def test_no_graph_differs_from_the_rule_by_lambda_alone() -> None:
    assert RetentionPolicy.no_graph() == RetentionPolicy(prerequisite_weight=0.0)


def test_sliding_window_values_nothing_but_being_new() -> None:
    policy = RetentionPolicy.sliding_window()
    assert (policy.relevance_weight, policy.prerequisite_weight) == (0.0, 0.0)
    assert (policy.activation_weight, policy.density_exponent) == (0.0, 0.0)
    assert policy.recency_weight == 1.0


def test_chain_safe_is_liveness_over_many_hops_closed_and_deduplicated() -> None:
    policy = RetentionPolicy.chain_safe()
    assert (policy.aggregate, policy.closed, policy.deduplicate) == ("max", True, True)
    assert policy.hops == 32
    assert policy.damping == 1.0


def test_agent_joins_relevance_activation_and_recency_and_no_support() -> None:
    policy = RetentionPolicy.agent()
    assert policy.relevance_weight == 1.0
    assert min(policy.activation_weight, policy.recency_weight) > 0.0
    assert policy.prerequisite_weight == 0.0


def test_presets_of_a_subclass_are_of_that_subclass() -> None:
    class Mine(RetentionPolicy):
        pass

    for name in PRESETS:
        assert type(getattr(Mine, name)()) is Mine
    assert type(Mine().replace(hops=2)) is Mine


def test_a_misspelt_name_is_refused() -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted") as caught:
        RetentionPolicy(temprature=1)  # type: ignore[call-arg]
    assert [error["loc"] for error in caught.value.errors()] == [("temprature",)]


def test_a_policy_is_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        RetentionPolicy().hops = 2  # type: ignore[misc]


def test_a_policy_with_some_fields_replaced_is_a_new_policy() -> None:
    policy = RetentionPolicy.agent()
    closed = policy.replace(closed=True, hops=3)
    assert closed == RetentionPolicy(**policy.model_dump() | {"closed": True, "hops": 3})
    assert policy == RetentionPolicy.agent()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"temprature": 1.0}, "Extra inputs are not permitted"),
        ({"hops": 0}, "greater than or equal to 1"),
        ({"damping": 2.0}, "less than or equal to 1"),
    ],
)
def test_what_is_replaced_is_checked_like_a_new_policy(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        RetentionPolicy().replace(**changes)


def test_equal_policies_are_one_key_of_a_dict() -> None:
    assert {RetentionPolicy(): "paper", RetentionPolicy(hops=2): "two"}[RetentionPolicy.dsgc()] == (
        "paper"
    )


@pytest.mark.parametrize("name", PRESETS)
def test_a_policy_survives_json(name: str) -> None:
    policy = PRESETS[name]
    assert RetentionPolicy.model_validate_json(policy.model_dump_json()) == policy


@pytest.mark.parametrize("field", WEIGHTS)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-0.1, "greater than or equal to 0"),
        (math.nan, "finite number|greater than or equal to 0"),
        (math.inf, "finite number"),
        ("much", "valid number"),
        (None, "valid number"),
    ],
)
def test_a_weight_is_a_finite_number_from_zero(field: str, value: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message) as caught:
        RetentionPolicy(**{field: value})
    assert caught.value.errors()[0]["loc"] == (field,)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("temperature", 0, "greater than 0"),
        ("temperature", -1.0, "greater than 0"),
        ("temperature", math.nan, "finite number|greater than 0"),
        ("temperature", math.inf, "finite number"),
        ("hops", 0, "greater than or equal to 1"),
        ("hops", -1, "greater than or equal to 1"),
        ("hops", 1.5, "valid integer"),
        ("damping", -0.1, "greater than or equal to 0"),
        ("damping", 1.1, "less than or equal to 1"),
        ("damping", math.nan, "greater than or equal to 0|less than or equal to 1|finite number"),
        ("aggregate", "mean", "'sum' or 'max'"),
        ("overflow", "fail", "'skip' or 'stop'"),
        ("closed", "perhaps", "valid boolean"),
        ("deduplicate", 2, "valid boolean"),
    ],
)
def test_a_value_out_of_its_range_is_refused(field: str, value: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message) as caught:
        RetentionPolicy(**{field: value})
    assert caught.value.errors()[0]["loc"] == (field,)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", 5e-324),
        ("temperature", 1e308),
        ("hops", 1),
        ("damping", 0.0),
        ("damping", 1.0),
        *[(weight, 0.0) for weight in WEIGHTS],
    ],
)
def test_the_ends_of_a_range_belong_to_it_and_can_be_used(field: str, value: float) -> None:
    policy = RetentionPolicy.model_validate({field: value})
    assert getattr(policy, field) == value
    blocks = [Block("a", "red"), Block("b", "blue")]
    assert retain(blocks, "red", 1, policy=policy).kept_ids == ("a",)


def test_sliding_window_keeps_the_newest_whatever_they_say() -> None:
    blocks = [Block("old", "red fox", 1), Block("mid", "sea", 1), Block("new", "sky", 1)]
    kept = retain(blocks, "red fox", 2, [("mid", "old")], policy=RetentionPolicy.sliding_window())
    assert kept.kept_ids == ("mid", "new")


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=8, unique=True))
def test_no_graph_ranks_by_similarity_whatever_the_edges(similarity: list[float]) -> None:
    blocks = [Block(str(place), str(place), 1) for place in range(len(similarity))]
    edges = [(dependent.id, blocks[0].id) for dependent in blocks[1:]]
    encoder = GivenSimilarities({str(place): value for place, value in enumerate(similarity)})
    retention = retain(
        blocks, "query", 1, edges, policy=RetentionPolicy.no_graph(), encoder=encoder
    )
    best_first = sorted(retention.records, key=lambda record: record.rank)
    assert [record.similarity for record in best_first] == sorted(similarity, reverse=True)


def test_a_policy_that_values_nothing_falls_back_on_similarity_then_order() -> None:
    policy = RetentionPolicy(relevance_weight=0.0, prerequisite_weight=0.0)
    blocks = [Block("a", "sky", 1), Block("b", "red", 1), Block("c", "sea", 1)]
    assert retain(blocks, "red", 2, policy=policy).kept_ids == ("a", "b")
