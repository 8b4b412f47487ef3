"""Arguments of the wrong kind are refused by name."""

from typing import Any

import pytest

from dsgc import Block, retain
from dsgc.errors import DsgcError, InputTypeError

BLOCK = Block("a", "b")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"blocks": BLOCK}, r"blocks is of the type Block\. Give a list of blocks"),
        ({"blocks": 3}, r"blocks is of the type int"),
        ({"query": None}, r"query is of the type NoneType\. Say in words"),
        ({"edges": None}, r"edges is of the type NoneType\..*or leave it out"),
        ({"count_tokens": None}, r"count_tokens is of the type NoneType\. Give a function"),
        ({"policy": "dsgc"}, r"policy is of the type str\..*RetentionPolicy\.dsgc\(\)"),
        ({"blocks": ["text"]}, r"blocks\[0\] is a str, not a Block\. Wrap it"),
        ({"encoder": 3}, r"encoder is of the type int, without a method encode\(texts\)"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_named_with_what_to_give(
    arguments: dict[str, Any], message: str
) -> None:
    right: dict[str, Any] = {"blocks": [BLOCK], "query": "q", "budget": 3}
    with pytest.raises(InputTypeError, match=message) as caught:
        retain(**right | arguments)
    assert isinstance(caught.value, DsgcError)
    assert isinstance(caught.value, TypeError)
