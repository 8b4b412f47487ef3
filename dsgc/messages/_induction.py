"""Edges read off the trace: a call depends on what introduced the values of its arguments."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from dsgc.messages._units import Unit
from dsgc.messages._values import (
    Value,
    distinct,
    holds,
    leaves_of,
    legible,
    names_within,
    specific_values,
    tokens_of,
)


class InducedEdge(NamedTuple):
    """An edge, and what it was induced from.

    Attributes:
        dependent: The id of the block that makes the call.
        prerequisite: The id of the block that introduced the value.
        value: The value that the two have in common.
        argument: The name of the argument that holds it.
        tool: The name of the tool that was called.

    Example:
        >>> edge = InducedEdge("m3", "m1", "#W2378156", "order_id", "get_order")
        >>> edge.dependent, edge.prerequisite
        ('m3', 'm1')
    """

    dependent: str
    prerequisite: str
    value: str
    argument: str
    tool: str


class Source(NamedTuple):
    """A block in which a value may have been introduced: its unit, and what it says, legible."""

    id: str
    unit: int
    text: str


class Caller(NamedTuple):
    """A block that makes a call."""

    id: str
    unit: int
    tool: str
    arguments: Any


def induce_edges(units: Sequence[Unit]) -> tuple[InducedEdge, ...]:
    """Induce the edges among units: from each call to the unit that introduced an argument value.

    A value counts if it is specific, such as an id, a path, a mail address or a long number, and
    not an ordinary word; so does such a name inside a longer value, such as a command. It is
    introduced by the earliest unit that says it as a whole. A value that no earlier unit says has
    no edge. Precision comes before recall: a wrong edge lifts the wrong block, a missing one only
    loses support.

    Args:
        units: The units of a conversation, oldest first, as from `read_units`.

    Returns:
        An edge for each call and value, in the order of the calls, with its evidence.

    Example:
        >>> from dsgc.messages import read_units
        >>> call = {"id": "c1", "function": {"name": "get_order", "arguments": '{"id": "#W23"}'}}
        >>> units = read_units([
        ...     {"role": "user", "content": "Where is my order #W23?"},
        ...     {"role": "assistant", "content": None, "tool_calls": [call]},
        ... ])
        >>> induce_edges(units)[0]
        InducedEdge(dependent='m1', prerequisite='m0', value='#W23', argument='id', \
tool='get_order')
    """
    sources = [Source(unit.id, number, legible(unit.text)) for number, unit in enumerate(units)]
    return tuple(edges_among(sources, callers_of(units)))


def callers_of(units: Sequence[Unit]) -> list[Caller]:
    """Return the calls of units; the block that makes a call has the id of its unit."""
    return [
        Caller(unit.id, number, call.name, call.arguments)
        for number, unit in enumerate(units)
        for call in unit.calls
    ]


def edges_among(sources: Sequence[Source], callers: Sequence[Caller]) -> list[InducedEdge]:
    """Return the edges from callers to the earliest sources, all oldest first."""
    wanted = [(caller, value) for caller in callers for value in _values(caller.arguments)]
    holders = _holders(sources, {token for _, value in wanted for token in tokens_of(value.text)})
    introduced: dict[str, Source | None] = {}
    edges = []
    for caller, value in wanted:
        if value.text not in introduced:
            introduced[value.text] = _first_to_say(value, holders)
        source = introduced[value.text]
        if source is not None and source.unit < caller.unit:
            edges.append(InducedEdge(caller.id, source.id, value.text, value.argument, caller.tool))
    return edges


def _values(arguments: Any) -> list[Value]:
    """Return what may have been introduced earlier: whole values, and names inside longer ones."""
    inner = (
        Value(name, leaf.argument)
        for leaf in leaves_of(arguments)
        for name in names_within(leaf.text)
    )
    return distinct([*specific_values(arguments), *inner])


def _holders(sources: Sequence[Source], tokens: set[str]) -> dict[str, list[Source]]:
    """Return, for each of the tokens, the sources that hold it, oldest first."""
    holders: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        for token in tokens_of(source.text) & tokens:
            holders[token].append(source)
    return holders


def _first_to_say(value: Value, holders: dict[str, list[Source]]) -> Source | None:
    """Return the earliest source that says a value, looked for where its rarest token stands."""
    rarest = min((holders.get(token, []) for token in tokens_of(value.text)), key=len)
    return next((source for source in rarest if holds(source.text, value.text)), None)
