"""Edges read off the trace: from each call to what introduced the values of its arguments."""

import json
import re
import time
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.messages import InducedEdge, induce_edges, read_units
from dsgc.messages._induction import Caller, Source, edges_among


def user(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}]


def asked(arguments: Any, result: str = "done", *, key: str = "c1") -> list[dict[str, Any]]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": key, "type": "function", "function": {"name": "look", "arguments": text}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": key, "content": result},
    ]


def edges_of(*turns: Iterable[dict[str, Any]]) -> list[tuple[str, str, str]]:
    edges = induce_edges(read_units([message for turn in turns for message in turn]))
    return [(edge.dependent, edge.prerequisite, edge.value) for edge in edges]


def pairs_of(*turns: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(dependent, prerequisite) for dependent, prerequisite, _ in edges_of(*turns)]


def test_a_call_depends_on_the_message_or_result_that_introduced_its_value() -> None:
    edges = edges_of(
        user("I am yusuf_rossi_9620."),
        asked({"user_id": "yusuf_rossi_9620"}, '{"orders": ["#W2378156"]}'),
        asked({"order_id": "#W2378156"}),
    )
    assert edges == [("m1", "m0", "yusuf_rossi_9620"), ("m3", "m1", "#W2378156")]


def test_an_edge_tells_value_argument_and_tool() -> None:
    units = read_units([*user("order #W23"), *asked({"order": {"ids": ["#W23"]}})])
    assert induce_edges(units) == (InducedEdge("m1", "m0", "#W23", "order.ids", "look"),)


@pytest.mark.parametrize(
    "value",
    [
        "#W2378156",
        "W23a",
        1008292230,
        1000,
        10.75,
        "src/main.py",
        "alice@example.com",
        "2024-05-20",
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "https://example.com/a?b=c",
        "订单12",
        "electroencephalography",
    ],
)
def test_a_specific_value_makes_an_edge(value: Any) -> None:
    said = user(f"It is {value}, I think.")
    assert edges_of(said, asked({"value": value})) == [("m1", "m0", str(value))]


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        None,
        "true",
        1,
        7.5,
        123,
        "en",
        "yes",
        "USD",
        "celsius",
        "delivered",
        "订单编号",
    ],
)
def test_a_value_that_could_be_anything_makes_none(value: Any) -> None:
    said = user(f"It is {value} {str(value).lower()} {json.dumps(value)}, I think.")
    assert edges_of(said, asked({"value": value})) == []


@pytest.mark.parametrize(
    "said",
    ["W23781567", "XW2378156", "9W2378156", "W2378156_b", "_W2378156", "w2378156", "W 2378156"],
)
def test_an_id_inside_a_longer_id_or_in_another_spelling_is_not_the_id(said: str) -> None:
    assert edges_of(user(f"It is {said}."), asked({"id": "W2378156"})) == []


@pytest.mark.parametrize(
    "said", ["#W2378156", "(W2378156)", '"W2378156"', "id=W2378156&x", "/W2378156/", "\nW2378156\n"]
)
def test_an_id_between_other_signs_is_the_id(said: str) -> None:
    assert pairs_of(user(said), asked({"id": "W2378156"})) == [("m1", "m0")]


@pytest.mark.parametrize(
    ("result", "value"),
    [
        (r'{"name": "\u8ba2\u535512"}', "订单12"),
        (r'{"name": "\u00dcnal_7"}', "Ünal_7"),
        (r'{"url": "https:\/\/example.com\/a"}', "https://example.com/a"),
        (r'{"text": "one\nW2378156\ttwo"}', "W2378156"),
        (r'{"text": "{\"id\": \"W2378156\"}"}', "W2378156"),
        (r'{"path": "C:\\data\\a.txt"}', r"C:\data\a.txt"),
    ],
)
def test_a_value_is_found_where_json_has_escaped_it(result: str, value: str) -> None:
    edges = edges_of(asked({}, result), asked({"value": value}, key="c2"))
    assert edges == [("m2", "m0", value)]


def test_chinese_is_found_between_other_signs_only() -> None:
    wanted = asked({"id": "订单W2378156"})
    assert pairs_of(user("查询:订单W2378156。谢谢"), wanted) == [("m1", "m0")]
    assert pairs_of(user("查询订单W2378156。谢谢"), wanted) == []


def test_names_inside_a_command_have_edges_of_their_own() -> None:
    edges = edges_of(
        user("Fix src/main.py, as alice@example.com asks."),
        asked({"command": "git blame src/main.py | grep alice@example.com"}, "a1b2c3d is to blame"),
        asked({"command": "git show a1b2c3d --stat 'src/main.py'"}),
    )
    assert edges == [
        ("m1", "m0", "src/main.py"),
        ("m1", "m0", "alice@example.com"),
        ("m3", "m1", "a1b2c3d"),
        ("m3", "m0", "src/main.py"),
    ]


def test_a_value_has_one_edge_of_a_call_however_often_it_is_an_argument() -> None:
    units = read_units(
        [
            *user("See src/main.py."),
            *asked({"command": "cat src/main.py", "path": "src/main.py", "more": ["src/main.py"]}),
        ]
    )
    assert induce_edges(units) == (InducedEdge("m1", "m0", "src/main.py", "path", "look"),)


def test_each_call_of_a_unit_has_its_own_edges() -> None:
    calls = [
        {"id": f"c{n}", "function": {"name": name, "arguments": '{"id": "W2378156"}'}}
        for n, name in enumerate(["get", "put"])
    ]
    units = read_units([*user("W2378156"), {"role": "assistant", "tool_calls": calls}])
    assert [edge.tool for edge in induce_edges(units)] == ["get", "put"]


def test_a_value_is_introduced_by_the_earliest_unit_that_says_it() -> None:
    asks = asked({"id": "W2378156"}, "W2378156 is late")
    again = asked({"id": "W2378156"}, key="c2")
    assert pairs_of(user("Hello"), user("W2378156"), asks, user("W2378156?"), again) == [
        ("m2", "m1"),
        ("m5", "m1"),
    ]


def test_a_value_that_the_model_made_up_was_introduced_by_its_call() -> None:
    edges = pairs_of(
        user("Write it down."),
        asked({"path": "notes/a1.txt"}, "written"),
        asked({"path": "notes/a1.txt"}, key="c2"),
    )
    assert edges == [("m3", "m1")]


def test_a_unit_never_depends_on_itself_or_on_a_later_one() -> None:
    itself = asked({"id": "W2378156"}, "W2378156 is late")
    assert edges_of(itself) == []
    assert edges_of(itself, user("Oh, W2378156!")) == []


def test_a_value_that_nobody_said_has_no_edge() -> None:
    assert edges_of(user("Hello"), asked({"id": "W2378156"})) == []
    assert edges_of() == []


def test_arguments_that_are_no_json_are_looked_through_too() -> None:
    edges = edges_of(user("src/main.py"), asked("*** Update File: src/main.py\n+x = 1\n"))
    assert edges == [("m1", "m0", "src/main.py")]


def test_arguments_may_be_nested_to_any_depth() -> None:
    arguments = '{"a": ' * 10_000 + '"W2378156"' + "}" * 10_000
    assert pairs_of(user("W2378156"), asked(arguments)) == [("m1", "m0")]


def test_sources_and_callers_may_be_blocks_of_one_unit() -> None:
    sources = [
        Source("m0", 0, "look"),
        Source("m0#1", 0, "W111 is late"),
        Source("m0#2", 0, "W222 is lost"),
        Source("m1", 1, "W111 W333"),
    ]
    callers = [Caller("m0", 0, "look", "W111"), Caller("m1", 1, "look", ["W111", "W222", "W333"])]
    assert edges_among(sources, callers) == [
        InducedEdge("m1", "m0#1", "W111", "", "look"),
        InducedEdge("m1", "m0#2", "W222", "", "look"),
    ]


NAMES = ["a123", "a123b", "b/a123", "c-99", "99", "q@x1.io", "mere", "7.25"]
SENTENCES = st.lists(st.sampled_from([*NAMES, "the", "a", "x."]), max_size=5).map(" ".join)


def plain_edges(texts: Sequence[str], calls: dict[int, list[str]]) -> set[tuple[int, int, str]]:
    """Return the edges of calls whose values are words, by a look for each of these in each text.

    The names are such that a value is held where its own characters are not continued.
    """
    found = set()
    for caller, values in calls.items():
        for value in values:
            if len(value) < 4 or value.isalpha():
                continue
            pattern = re.compile(rf"(?<![0-9A-Za-z]){re.escape(value)}(?![0-9A-Za-z])")
            first = next(n for n in range(len(texts)) if pattern.search(texts[n]) or n == caller)
            if first < caller:
                found.add((caller, first, value))
    return found


@given(
    st.lists(st.tuples(SENTENCES, st.none() | st.lists(st.sampled_from(NAMES), max_size=3))),
)
def test_edges_are_those_of_a_look_for_each_value_in_each_unit(
    units: list[tuple[str, list[str] | None]],
) -> None:
    texts = [text for text, _ in units]
    calls = {number: values for number, (_, values) in enumerate(units) if values is not None}
    sources = [Source(str(number), number, text) for number, text in enumerate(texts)]
    callers = [Caller(str(number), number, "look", values) for number, values in calls.items()]
    edges = edges_among(sources, callers)
    assert {(int(e.dependent), int(e.prerequisite), e.value) for e in edges} == plain_edges(
        texts, calls
    )
    assert len(edges) == len(set(edges))
    assert [int(e.dependent) for e in edges] == sorted(int(e.dependent) for e in edges)


@pytest.mark.parametrize(
    "name",
    ["W{:07}", "/home/user/project/src/file{}.py", "user{}@departments.example.com"],
    ids=["ids", "paths", "mails"],
)
@pytest.mark.parametrize("is_said", [True, False])
def test_five_thousand_calls_of_names_with_common_parts_take_a_moment(
    name: str, is_said: bool
) -> None:
    turns = [
        asked({"name": name.format(n)}, f"next {name.format(n + is_said)} " + "and so on " * 30)
        for n in range(5_000)
    ]
    units = read_units([message for turn in turns for message in turn])
    start = time.process_time()
    edges = induce_edges(units)
    took = time.process_time() - start
    assert len(edges) == (4_999 if is_said else 0)
    assert took < 2.0  # a look into each text for each name takes more than twice that
