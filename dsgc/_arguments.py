"""Refusing arguments of the wrong kind before they fail somewhere inside."""

from collections.abc import Iterable

from dsgc._block import Block
from dsgc._policy import RetentionPolicy
from dsgc.errors import InputTypeError


def check_kinds(
    blocks: object, query: object, edges: object, policy: object, count_tokens: object
) -> None:
    if isinstance(blocks, Block) or not isinstance(blocks, Iterable):
        raise _wrong("blocks", blocks, "Give a list of blocks.")
    if not isinstance(query, str):
        raise _wrong("query", query, "Say in words, as a str, what the agent is about to do.")
    if not isinstance(edges, Iterable):
        raise _wrong("edges", edges, "Give a list of pairs, a PrerequisiteGraph, or leave it out.")
    if not isinstance(policy, RetentionPolicy):
        raise _wrong("policy", policy, "Give a RetentionPolicy, such as RetentionPolicy.dsgc().")
    if not callable(count_tokens):
        raise _wrong("count_tokens", count_tokens, "Give a function from text to tokens.")


def _wrong(name: str, value: object, advice: str) -> InputTypeError:
    return InputTypeError(f"{name} is of the type {type(value).__name__}. {advice}")
