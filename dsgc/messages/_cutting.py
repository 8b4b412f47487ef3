"""Putting a result together again from the parts that were kept, with marks for the rest.

A mark says how much went and quotes nothing of it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import count, groupby
from operator import attrgetter

from dsgc._tokens import TokenCounter
from dsgc.messages._splitting import Node

_LEFT_OUT = "left out"
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def cut(node: Node, kept: Sequence[bool], count_tokens: TokenCounter) -> str:
    """Return the text of a result with only the kept ones of its parts.

    Args:
        node: The result, split.
        kept: Whether each part stays, in the order of `leaves_of`.
        count_tokens: What the marks count in.

    Returns:
        The very text if all parts are kept. JSON stays JSON: a mark is an element of its array, a
        member of its object or a stretch of its string.
    """
    keeps = _Kept(node, iter(kept))
    if node.kind in ("leaf", "text") and not keeps.anything:
        return _stretch(node.text, count_tokens).rstrip()
    return _rendered(keeps, count_tokens)


class _Kept:
    """A node and whether all or some of it is kept."""

    def __init__(self, node: Node, flags: Iterator[bool]) -> None:
        self.node = node
        self.children = [_Kept(child, flags) for child in node.children]
        is_leaf = node.kind == "leaf"
        self.everything: bool = next(flags) if is_leaf else all(c.everything for c in self.children)
        self.anything: bool = self.everything if is_leaf else any(c.anything for c in self.children)


def _rendered(keeps: _Kept, count_tokens: TokenCounter) -> str:
    node = keeps.node
    if keeps.everything:
        return node.text
    if node.kind in ("object", "array"):
        return _container(keeps, count_tokens)
    said = _stretches(keeps, count_tokens)
    return _json_string(said, node.text) if node.kind == "string" else said


def _container(keeps: _Kept, count_tokens: TokenCounter) -> str:
    is_object = keeps.node.kind == "object"
    gone = [child for child in keeps.children if not child.anything]
    members: list[str] = []
    is_marked = False
    for child in keeps.children:
        if child.anything:
            text = _rendered(child, count_tokens)
            members.append(f"{child.node.key}: {text}" if is_object else text)
        elif not is_marked:
            members.append(_mark(keeps, gone, count_tokens))
            is_marked = True
    inside = ", ".join(members)
    return f"{{{inside}}}" if is_object else f"[{inside}]"


def _mark(keeps: _Kept, gone: Sequence[_Kept], count_tokens: TokenCounter) -> str:
    """Return the member of an object or array that stands for those that are gone."""
    tokens = sum(count_tokens(lost.node.key + lost.node.text) for lost in gone)
    how_much = f"{len(gone)} of {len(keeps.children)}, {tokens} tokens"
    if keeps.node.kind == "array":
        return json.dumps(f"[{_LEFT_OUT}: {how_much}]")
    keys = {json.loads(child.node.key) for child in keeps.children}
    names = (f"[{_LEFT_OUT}{' ' * bool(n)}{n or ''}]" for n in count())
    return f"{json.dumps(next(name for name in names if name not in keys))}: {json.dumps(how_much)}"


def _stretches(keeps: _Kept, count_tokens: TokenCounter) -> str:
    said: list[str] = []
    for is_kept, stretch in groupby(keeps.children, key=attrgetter("anything")):
        text = "".join(child.node.text for child in stretch)
        said.append(text if is_kept else _stretch(text, count_tokens))
    return "".join(said)


def _stretch(lost: str, count_tokens: TokenCounter) -> str:
    ending = "\n" if lost.endswith("\n") else " " if lost.endswith(" ") else ""
    return f"[{_LEFT_OUT}: {count_tokens(lost)} tokens]{ending}"


def _json_string(said: str, before: str) -> str:
    """Return a JSON string, escaped as it was before, and where no encoding could express it."""
    is_escaped = before.isascii() or _LONE_SURROGATE.search(said) is not None
    return json.dumps(said, ensure_ascii=is_escaped)
