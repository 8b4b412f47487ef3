"""Splitting a long result into parts that are kept or left out on their own."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from dsgc.messages._splitting import WORDS_PER_PART, Node, leaves_of, size, split
from tests.messages.results import json_texts, long_texts

WORDS = " ".join(f"w{n}" for n in range(60))  # more than two parts of text


def texts_of(node: Node) -> list[str]:
    return [leaf.text for leaf, _ in leaves_of(node)]


def paths_of(node: Node) -> list[str]:
    return [path for _, path in leaves_of(node)]


def test_a_short_text_is_one_part() -> None:
    assert split("nothing found") == Node("leaf", "nothing found")
    assert split("") == Node("leaf", "")
    assert split('{"a": [1, 2]}') == Node("leaf", '{"a": [1, 2]}')


def test_the_size_of_a_text_is_its_words_or_its_length_in_long_words() -> None:
    assert [size(text) for text in ("", "one", "one two", "中" * 48, "x" * 47, "  \n ")] == [
        0,
        1,
        2,
        4,
        3,
        0,
    ]


def test_records_of_json_are_parts_and_long_ones_are_split_further() -> None:
    short, long = '{"id": 1}', f'{{"id": 2, "text": "{WORDS}"}}'
    node = split(f'{{"orders": [{short}, {long}], "n" : 2}}')
    assert node.kind == "object"
    orders, number = node.children
    assert (orders.kind, orders.key) == ("array", '"orders"')
    assert number == Node("leaf", "2", '"n"')
    assert orders.children[0] == Node("leaf", short)
    assert orders.children[1].kind == "object"
    identity, text = orders.children[1].children
    assert identity == Node("leaf", "2", '"id"')
    assert (text.kind, text.key, text.text) == ("string", '"text"', f'"{WORDS}"')
    assert "".join(child.text for child in text.children) == WORDS


def test_each_leaf_comes_with_the_keys_on_the_way_to_it() -> None:
    node = split(f'{{"a": {{"b": [1, {{"c": "{WORDS}", "d": 2}}]}}, "e": 3}}')
    assert paths_of(node) == ['"a" "b"', *['"a" "b" "c"'] * 3, '"a" "b" "d"', '"e"']


def test_of_keys_that_are_many_or_long_only_the_nearest_are_repeated() -> None:
    key = '"' + "k" * 100_000 + '"'
    node = split(f"{{{key}: [{', '.join(['{}'] * 1_000)}], {key}: 1}}")
    *inside, beside = paths_of(node)
    assert inside == [key[-200:]] * 1_000
    assert beside == key


def test_a_json_value_spells_what_the_result_spells() -> None:
    numbers = ["1e400", "-0", "1.50", "1E5", "9" * 5_000, "NaN", "true", "null", r'"\u4e2d\/"']
    node = split("[ " + " ,\n".join(numbers) + " ]")
    assert node.kind == "array"
    assert texts_of(node) == numbers


def test_a_key_that_comes_twice_is_two_parts() -> None:
    node = split(f'{{"a": 1, "a": 2, "b": "{"x " * 30}", "\\u0061": 3}}')
    assert [(leaf.key, leaf.text) for leaf, _ in leaves_of(node)][:2] == [
        ('"a"', "1"),
        ('"a"', "2"),
    ]
    assert node.children[-1] == Node("leaf", "3", '"\\u0061"')


@pytest.mark.parametrize("empty", ["{}", "[]"])
def test_what_is_empty_but_for_space_is_one_part(empty: str) -> None:
    text = f"{empty[0]}{' ' * 1_000}{empty[1]}"
    assert split(text) == Node("leaf", text)
    assert texts_of(split(f"[{text}, {text}]")) == [text, text]


def test_space_around_json_belongs_to_no_part() -> None:
    node = split(f' \n[1, "{WORDS}"]\t\r\n')
    assert (node.kind, node.text[0], node.text[-1]) == ("array", "[", "]")


@pytest.mark.parametrize(
    "text",
    [
        f'{{"a": "{WORDS}"',
        f'{{"a": "{WORDS}"}} and more',
        f'{{"a": 1}}\n{{"a": "{WORDS}"}}',
        f"{{'a': '{WORDS}'}}",
        f'["{WORDS}\n"]',
        f'"{WORDS}"',
        "12 " * 60,
        f"[link] {WORDS}",
        "\ufeff" + f'["{WORDS}"]',
    ],
    ids=[
        "broken",
        "trailing",
        "lines",
        "quotes",
        "raw break",
        "string",
        "numbers",
        "words",
        "mark",
    ],
)
def test_what_is_no_json_object_or_array_is_text(text: str) -> None:
    node = split(text)
    assert node.kind == "text"
    assert "".join(texts_of(node)) == text


def test_text_is_split_into_paragraphs_that_are_long_enough() -> None:
    paragraphs = ["a " * 13 + "\n\n", "b " * 20 + "\n\n\n", "c\n\n", "d " * 12 + "\n\n", "e " * 30]
    node = split("".join(paragraphs))
    assert texts_of(node) == [
        paragraphs[0],
        paragraphs[1],
        paragraphs[2] + paragraphs[3],
        paragraphs[4],
    ]


def test_lines_are_gathered_until_they_are_long_enough() -> None:
    lines = [f"{n} two three four five six seven\n" for n in range(10)]
    assert texts_of(split("".join(lines))) == [
        "".join(lines[:4]),
        "".join(lines[4:8]),
        "".join(lines[8:]),
    ]


def test_a_line_of_middling_length_is_not_broken() -> None:
    line = "word " * 50 + "\n"
    assert texts_of(split(line + line)) == [line, line]


def test_a_very_long_line_is_broken_between_words() -> None:
    parts = texts_of(split("word " * 60))
    assert parts == ["word " * 25, "word " * 25, "word " * 10]


def test_a_text_without_spaces_is_broken_too() -> None:
    assert [len(part) for part in texts_of(split("中" * 1_000))] == [300, 300, 300, 100]
    assert "".join(texts_of(split("中" * 1_000))) == "中" * 1_000


def test_nothing_but_space_is_one_part() -> None:
    assert split(" " * 5_000) == Node("leaf", " " * 5_000)


def test_a_string_is_split_by_what_it_says() -> None:
    said = "first line\n" * 30
    (string,) = split(json.dumps([said])).children
    assert string.kind == "string"
    assert [child.text for child in string.children] == ["first line\n" * 13] * 2 + [
        "first line\n" * 4
    ]


def test_a_string_that_is_long_only_as_it_is_spelled_is_one_part() -> None:
    spelled = json.dumps("中" * 100)
    assert split(f"[{spelled}]").children == (Node("leaf", spelled),)


@pytest.mark.parametrize("depth", [33, 150, 400, 900])
def test_what_is_nested_more_than_32_levels_deep_is_one_part(depth: int) -> None:
    node = split("[" * depth + f'"{WORDS}"' + "]" * depth)
    (deepest,) = texts_of(node)
    assert deepest == "[" * (depth - 32) + f'"{WORDS}"' + "]" * (depth - 32)


def test_what_is_nested_32_levels_deep_is_split() -> None:
    node = split("[" * 32 + f'"{WORDS}"' + "]" * 32)
    assert "".join(texts_of(node)) == WORDS
    assert len(texts_of(node)) == 3


@pytest.mark.parametrize("opening", ["[", '{"a": '])
def test_what_is_nested_too_deep_to_be_read_is_text(opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    text = opening * 10_000 + f'"{WORDS}"' + closing * 10_000
    node = split(text)
    assert node.kind == "text"
    assert "".join(texts_of(node)) == text


@given(long_texts)
def test_the_parts_of_a_text_are_all_of_it(text: str) -> None:
    node = split(text)
    assert node.text == text
    assert "".join(texts_of(node)) == text
    assert "" not in texts_of(node) or text == ""


@given(long_texts)
def test_parts_of_a_text_are_neither_tiny_nor_huge(text: str) -> None:
    *parts, last = texts_of(split(text))
    assert all(5 * size(part) >= WORDS_PER_PART for part in parts)
    assert all(size(part.strip()) <= 4 * WORDS_PER_PART for part in [*parts, last])


def values_of(value: Any) -> Iterator[Any]:
    """Yield all numbers, texts, flags and empty containers in a value, in order."""
    if isinstance(value, dict) and value:
        for inner in value.values():
            yield from values_of(inner)
    elif isinstance(value, list) and value:
        for inner in value:
            yield from values_of(inner)
    else:
        yield value


def read_back(node: Node) -> Iterator[Any]:
    """Yield the same of a node, by its leaves alone."""
    if node.kind == "string":
        yield "".join(child.text for child in node.children)
    elif node.kind == "leaf":
        yield from values_of(json.loads(node.text))
    else:
        for child in node.children:
            yield from read_back(child)


@given(json_texts)
def test_the_parts_of_json_hold_its_values_in_order(text: str) -> None:
    assert list(read_back(split(text))) == list(values_of(json.loads(text)))


@given(json_texts)
def test_every_node_of_json_is_spelled_as_in_the_result(text: str) -> None:
    stack = [split(text)]
    while stack:
        node = stack.pop()
        assert node.text in text
        assert node.key in text
        assert bool(node.children) == (node.kind != "leaf")
        if node.kind in ("object", "array"):
            stack.extend(node.children)


RECORD = {"id": 1008292230, "name": "a name", "text": "some words here " * 3, "tags": ["x", "y"]}
MEGABYTES = {
    "records": json.dumps([RECORD] * 9_000),
    "one deep string": '{"k": [' * 100 + json.dumps("word " * 200_000) + "]}" * 100,
    "brackets": "[" + "[" * 900 + "]" * 900 + ", 1000000000" * 80_000 + "]",
    "words": "word " * 200_000,
    "no spaces": "中文" * 200_000,
    "breaks": "\n" * 1_000_000,
    "spaces": " " * 1_000_000 + "x",
    "short lines": "x\n" * 500_000,
    "broken json": json.dumps([RECORD] * 9_000)[:-1],
    "one number": f'[{"7" * 1_000_000}, "{WORDS}"]',
}


@pytest.mark.parametrize("text", MEGABYTES.values(), ids=MEGABYTES)
def test_a_megabyte_is_split_in_a_moment(text: str) -> None:
    start = time.process_time()
    node = split(text)
    parts = texts_of(node)
    assert time.process_time() - start < 10.0  # what grows with the square takes minutes
    if node.kind in ("text", "leaf"):
        assert "".join(parts) == text
