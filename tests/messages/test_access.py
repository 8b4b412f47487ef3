"""Messages as dicts and as objects: read, copied and written as JSON, whatever hangs on them."""

import copy
import json
from collections import UserDict
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessage
from pydantic import BaseModel
from pydantic_ai.messages import ToolReturnPart

from dsgc.messages._access import as_json, as_text, decoded, get, joined, plain, replaced

WRONG: dict[str, Any] = {"role": "tool", "content": 7}
UNVALIDATED = ChatCompletionMessage.model_construct(**WRONG)


@dataclass(frozen=True)
class Frozen:
    text: str
    rest: list[int]


class Order(BaseModel):
    number: int
    note: str | None = None
    inner: "Order | None" = None


class Foreign:
    """It has a `model_dump`, and that takes no options."""

    def model_dump(self) -> dict[str, int]:
        return {"number": 3}


def in_a_circle() -> dict[str, Any]:
    circle: dict[str, Any] = {"path": "a.txt"}
    circle["self"] = circle
    return circle


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "item",
    [
        {"text": "hello"},
        UserDict(text="hello"),
        MappingProxyType({"text": "hello"}),
        SimpleNamespace(text="hello"),
        Frozen("hello", []),
    ],
    ids=["dict", "mapping", "proxy", "object", "dataclass"],
)
def test_a_field_is_read_from_a_dict_as_from_an_object(item: Any) -> None:
    assert get(item, "text") == "hello"
    assert get(item, "name") is None
    assert get(item, "name", "nobody") == "nobody"


def test_a_key_that_is_named_like_a_method_of_dicts_is_read_as_a_key() -> None:
    assert get({"items": 3}, "items") == 3
    assert get({}, "items") is None


@pytest.mark.parametrize(
    "item",
    [
        {"text": "a", "rest": [1]},
        SimpleNamespace(text="a", rest=[1]),
        Frozen("a", [1]),
    ],
    ids=["dict", "object", "frozen dataclass"],
)
def test_a_copy_has_the_changes_and_shares_the_rest(item: Any) -> None:
    before = copy.deepcopy(item)
    changed = replaced(item, text="b")
    assert type(changed) is type(item)
    assert get(changed, "text") == "b"
    assert get(changed, "rest") is get(item, "rest")
    assert item == before


def test_messages_of_an_sdk_are_copied_as_what_they_are() -> None:
    message = ChatCompletionMessage(role="assistant", content="a")
    changed = replaced(message, content="b")
    assert isinstance(changed, ChatCompletionMessage)
    assert (changed.content, changed.role, message.content) == ("b", "assistant", "a")
    part = ToolReturnPart(tool_name="read", content="a", tool_call_id="c1")
    retold = replaced(part, content="b")
    assert isinstance(retold, ToolReturnPart)
    assert (retold.content, retold.tool_call_id, part.content) == ("b", "c1", "a")
    assert retold.timestamp == part.timestamp


def test_a_mapping_that_cannot_be_changed_becomes_a_dict() -> None:
    assert replaced(MappingProxyType({"a": 1, "b": 2}), b=3) == {"a": 1, "b": 3}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, None, True], "ä": "订"}, '{"a": [1, null, true], "ä": "订"}'),
        ("\ud800", '"\ud800"'),
        ({"when": Frozen("a", [])}, '{"when": "Frozen(text=\'a\', rest=[])"}'),
        ({1}, '"{1}"'),
        (b"\xff", r'''"b'\\xff'"'''),
        ({(1, 2): "x"}, "{(1, 2): 'x'}"),
        (in_a_circle(), "{'path': 'a.txt', 'self': {...}}"),
        (Order(number=3), '{"number": 3}'),
        (
            [Order(number=3), {"order": Order(number=4)}],
            '[{"number": 3}, {"order": {"number": 4}}]',
        ),
        (Foreign(), '{"number": 3}'),
        (UNVALIDATED, '{"content": 7, "role": "tool"}'),
        ({"of": UNVALIDATED}, '{"of": {"content": 7, "role": "tool"}}'),
        (Foreign, f'"{Foreign}"'),
    ],
    ids=[
        "JSON",
        "a lone surrogate",
        "an object",
        "a set",
        "bytes",
        "a key that is a tuple",
        "a circle",
        "a model",
        "models further down",
        "a model of another library",
        "a model with wrong values",
        "such a model further down",
        "a class",
    ],
)
def test_any_value_can_be_written_as_json_or_else_in_words(value: Any, text: str) -> None:
    assert as_json(value) == text


def test_a_model_that_holds_itself_and_a_nest_without_end_are_written_too() -> None:
    order = Order.model_construct(number=3)
    order.inner = order
    assert as_json(order).startswith("number=3 ")
    assert as_json(nested(100_000)).startswith("<list object at ")


def test_a_class_of_models_is_written_as_the_schema_that_a_model_is_shown() -> None:
    schema = Order.model_json_schema()
    assert json.loads(as_json(Order)) == schema
    assert json.loads(as_json({"args_schema": Order})) == {"args_schema": schema}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_what_json_knows_comes_back_from_its_text(value: Any) -> None:
    assert json.loads(as_json(value)) == value
    assert decoded(as_json(value)) == value
    assert decoded(value) is value or isinstance(value, str)


def test_only_models_are_made_plain() -> None:
    assert plain(Order(number=3, inner=Order(number=4))) == {"number": 3, "inner": {"number": 4}}
    assert plain(Foreign()) == {"number": 3}
    for value in (None, "a", [1], Foreign, Frozen("a", [])):
        assert plain(value) is value


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ('{"path": "a.txt"}', {"path": "a.txt"}),
        ("3", 3),
        ("", ""),
        ('{"path": "a.t', '{"path": "a.t'),
        ("[" * 100_000, "[" * 100_000),
        ("1" * 5_000, "1" * 5_000),
        ("rm -r build", "rm -r build"),
        (None, None),
    ],
    ids=["JSON", "a number", "nothing", "cut off", "a nest", "a huge number", "text", "none"],
)
def test_arguments_are_decoded_where_they_are_json(arguments: Any, value: Any) -> None:
    assert decoded(arguments) == value


def test_arguments_that_are_no_text_are_left_as_they_are() -> None:
    arguments = {"path": "a.txt", "raw": b"\xff", "order": Order(number=3)}
    assert decoded(arguments) is arguments


@pytest.mark.parametrize(
    "arguments", [in_a_circle(), {(1, 2): 3}, nested(100_000)], ids=["circle", "tuple", "nest"]
)
def test_arguments_that_json_cannot_express_become_their_text(arguments: Any) -> None:
    assert decoded(arguments) == as_json(arguments)


def test_arguments_are_read_as_text_in_the_spelling_they_have() -> None:
    assert as_text(None) == ""
    assert as_text('{"a":1}') == '{"a":1}'
    assert as_text({"a": 1}) == '{"a": 1}'
    assert as_text({}) == "{}"


def test_what_is_empty_takes_no_line() -> None:
    assert joined("a", "", "b\n", "c") == "a\nb\n\nc"
    assert joined("", "") == joined() == ""
