"""Values that name one thing, and where a text holds them as a whole."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.messages._values import (
    Value,
    distinct,
    holds,
    is_specific,
    leaves_of,
    legible,
    names_within,
    specific_values,
    tokens_of,
)

WORD_CHARACTERS = "ab1_é中"
LITTLE_TEXTS = st.text(WORD_CHARACTERS + " -/.\n", max_size=12)


@pytest.mark.parametrize(
    "text",
    [
        "#W2378156",
        "W23a",
        "1000",
        "10.50",
        "src/main.py",
        "alice@example.com",
        "2024-05-20",
        "sara_doe_496",
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "+49 30 123456",
        "https://example.com/a?b=c",
        "Buy milk",
        "订单12",
        "internationalization",
        "x" * 200,
    ],
)
def test_what_names_one_thing_is_specific(text: str) -> None:
    assert is_specific(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "en",
        "no",
        "123",
        "yes",
        "a.b",
        "true",
        "null",
        "celsius",
        "delivered",
        "straßenname",
        "订单编号",
        "----",
        "*.*?",
        "x1" * 101,
    ],
)
def test_what_could_be_anything_is_not_specific(text: str) -> None:
    assert not is_specific(text)


@pytest.mark.parametrize(
    ("text", "shortest"), [("a" * 12, "a" * 11), ("1234", "123"), ("/a/b", "/ab")]
)
def test_a_value_is_specific_from_a_certain_length(text: str, shortest: str) -> None:
    assert is_specific(text)
    assert not is_specific(shortest)


def test_each_specific_value_comes_once_with_the_argument_that_first_held_it() -> None:
    arguments = {
        "order": {"id": "#W23", "items": [{"item_id": "1008292230"}, {"item_id": "1656367028"}]},
        "again": "#W23",
        "note": "gift",
        "paid": True,
        "count": 2,
        "total": 120.5,
    }
    assert specific_values(arguments) == [
        Value("#W23", "order.id"),
        Value("1008292230", "order.items.item_id"),
        Value("1656367028", "order.items.item_id"),
        Value("120.5", "total"),
    ]


@pytest.mark.parametrize("arguments", [None, "", [], {}, True, False, {"a": None}, [[], {}]])
def test_arguments_that_say_nothing_have_no_values(arguments: Any) -> None:
    assert specific_values(arguments) == []


def test_arguments_that_are_no_json_are_one_value_without_a_name() -> None:
    assert specific_values(" /tmp/a.txt\n") == [Value("/tmp/a.txt", "")]  # noqa: S108


def test_leaves_are_texts_and_numbers_in_order_by_the_names_on_the_way() -> None:
    arguments = {"a": [1, {"b": " x ", 7: (2.5, True, None)}], "c": {"d": ""}, "e": b"no"}
    assert leaves_of(arguments) == [
        Value("1", "a"),
        Value("x", "a.b"),
        Value("2.5", "a.7"),
        Value("", "c.d"),
    ]


def plain_leaves(value: Any, name: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [
            leaf
            for key, item in value.items()
            for leaf in plain_leaves(item, f"{name}.{key}" if name else key)
        ]
    if isinstance(value, list):
        return [leaf for item in value for leaf in plain_leaves(item, name)]
    is_flag = value is None or isinstance(value, bool)
    return [] if is_flag else [(value.strip() if isinstance(value, str) else str(value), name)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(json_values)
def test_leaves_are_those_of_a_plain_walk(arguments: Any) -> None:
    assert leaves_of(arguments) == plain_leaves(arguments)


@given(json_values)
def test_values_are_the_distinct_leaves_that_are_specific(arguments: Any) -> None:
    texts = [text for text, _ in plain_leaves(arguments) if is_specific(text)]
    assert [value.text for value in specific_values(arguments)] == list(dict.fromkeys(texts))


def test_arguments_may_be_nested_to_any_depth() -> None:
    arguments: Any = "W2378156"
    for _ in range(10_000):
        arguments = [arguments]
    assert leaves_of({"id": arguments}) == [Value("W2378156", "id")]


def test_of_equal_texts_the_first_value_stays() -> None:
    values = [Value("b", "x"), Value("a", "y"), Value("b", "z"), Value("a", "y")]
    assert distinct(values) == [Value("b", "x"), Value("a", "y")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("cat src/main.py | grep -n 'W2378156'", ["src/main.py", "W2378156"]),
        ("grep -rn TODO src/a.py src/a.py", ["src/a.py"]),
        ("mail alice@example.com, (bob@example.com)!", ["alice@example.com", "bob@example.com"]),
        ('curl "https://example.com/v1"', ["https://example.com/v1"]),
        ("pay invoice INV_2024 by 2024-05-20.", ["INV_2024", "2024-05-20"]),
        ("the weather is nice internationally", []),
        ("ls -la /etc a1b2c", []),
        ("查看 订单W2378156 状态", ["订单W2378156"]),
        ("//// @@@@@@ 12345", []),
        ("x1" * 101 + " x", []),
        ("", []),
    ],
)
def test_names_within_a_longer_text_hold_a_digit_a_slash_or_an_at_sign(
    text: str, names: list[str]
) -> None:
    assert names_within(text) == names


def test_a_text_that_is_itself_one_name_has_none_within() -> None:
    assert names_within("src/main.py") == []


@pytest.mark.parametrize(
    "text",
    [
        "W2378156",
        "order #W2378156.",
        '{"id":"W2378156"}',
        "W2378156-A",
        "x/W2378156/y",
        "XW2378156 and W2378156",
        "W23781567\nW2378156",
    ],
)
def test_a_value_is_held_where_no_letter_or_digit_goes_on(text: str) -> None:
    assert holds(text, "W2378156")


@pytest.mark.parametrize(
    "text",
    ["", "W2378", "W23781567", "XW2378156", "1W2378156", "_W2378156", "W2378156_", "éW2378156"],
)
def test_a_value_inside_a_longer_word_or_number_is_not_held(text: str) -> None:
    assert not holds(text, "W2378156")


def test_at_an_edge_that_is_no_letter_or_digit_anything_may_go_on() -> None:
    assert holds("id#W23.", "#W23.")
    assert holds("see/tmp/a.txt", "/tmp/a.txt")  # noqa: S108
    assert holds("a/b/c", "/b/")
    assert not holds("see/tmp/a.txt2", "/tmp/a.txt")  # noqa: S108


def test_a_value_is_held_where_it_overlaps_one_that_is_cut() -> None:
    assert holds("xa/a/a", "a/a")
    assert not holds("xa/a/ax", "a/a")


def test_the_whole_part_of_a_number_is_held() -> None:
    assert holds('{"mean": 6500.0}', "6500")
    assert not holds('{"mean": 16500.0}', "6500")


def plain_holds(text: str, value: str) -> bool:
    """Say whether a value stands anywhere between two characters that do not both go on."""

    def goes_on(one: str, other: str) -> bool:
        return all(each.isalnum() or each == "_" for each in (one, other))

    for start in range(len(text) - len(value) + 1):
        end = start + len(value)
        if (
            text[start:end] == value
            and not (start and goes_on(text[start - 1], value[0]))
            and not (end < len(text) and goes_on(text[end], value[-1]))
        ):
            return True
    return False


@given(LITTLE_TEXTS, st.text(WORD_CHARACTERS + "-/", min_size=1, max_size=3))
def test_values_are_held_where_a_look_at_each_place_says_so(text: str, value: str) -> None:
    assert holds(text, value) == plain_holds(text, value)


@given(LITTLE_TEXTS, LITTLE_TEXTS.filter(bool), LITTLE_TEXTS)
def test_a_text_that_holds_a_value_has_all_its_tokens(before: str, value: str, after: str) -> None:
    text = before + value + after
    if holds(text, value):
        assert tokens_of(value) <= tokens_of(text)


def test_tokens_are_the_distinct_runs_of_letters_digits_and_underscores() -> None:
    assert tokens_of("cat /srv/a_1.py, Ünal's /srv 订单12") == {
        "cat",
        "srv",
        "a_1",
        "py",
        "Ünal",
        "s",
        "订单12",
    }


@given(LITTLE_TEXTS)
def test_tokens_are_what_is_left_between_other_characters(text: str) -> None:
    spaced = "".join(each if each.isalnum() or each == "_" else " " for each in text)
    assert tokens_of(text) == set(spaced.split())


def test_a_text_without_escapes_is_legible_as_it_is() -> None:
    assert legible("order\n#W23") == "order\n#W23"


@pytest.mark.parametrize(
    ("escaped", "said"),
    [
        (r"\u8ba2\u535512", "订单12"),
        (r"https:\/\/example.com\/a", "https://example.com/a"),
        (r"one\nW2378156\ttwo\r\b\f", "one\nW2378156\ttwo\r\b\f"),
        (r"\"id\": \"W23\"", '"id": "W23"'),
        (r"C:\\data\\a.txt", r"C:\data\a.txt"),
        (r"\\u0041", r"\u0041"),
        (r"\u00e", "u00e"),
        (r"\uD842\udfb7\u91ce\u5bb6", "𠮷野家"),
        (r"\ud842-\udfb7", "\ud842-\udfb7"),
        ("end\\", "end\\"),
    ],
)
def test_a_text_with_escapes_is_followed_by_what_it_says(escaped: str, said: str) -> None:
    assert legible(escaped) == f"{escaped}\n{said}"


@given(st.text())
def test_what_json_has_escaped_is_legible(text: str) -> None:
    escaped = json.dumps(text)[1:-1]
    assert legible(escaped) == (f"{escaped}\n{text}" if "\\" in escaped else text)
