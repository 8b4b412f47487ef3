"""What a format's order of messages makes a unit need, beside its calls and results."""

from collections.abc import Sequence
from itertools import chain, pairwise

from dsgc.messages._format import Order
from dsgc.messages._units import Unit

Need = tuple[int, int]  # a unit, and the unit that it cannot be kept without, by position


def needs_of(
    units: Sequence[Unit], order: Order, pinned: Sequence[bool], fits: Sequence[bool]
) -> list[Need]:
    """Return what units need so that every closed set of them is in a valid order.

    Args:
        units: Oldest first.
        order: What the format demands.
        pinned: Which units are kept in any case.
        fits: Which units could be kept at all.
    """
    return list(
        chain(
            _beginnings(units, pinned, fits) if order.begins_with_user else (),
            _turns(units) if order.calls_follow_user else (),
            _texts_before_results(units) if order.calls_follow_user else (),
            _leaders(units) if order.reasoning_leads else (),
        )
    )


def _beginnings(units: Sequence[Unit], pinned: Sequence[bool], fits: Sequence[bool]) -> list[Need]:
    """Let a unit need the nearest user turn before it, unless the first is there in any case."""
    spoken = [number for number, unit in enumerate(units) if unit.side != "system"]
    if not spoken or units[spoken[0]].side != "user" or pinned[spoken[0]]:
        return []
    needs, nearest = [], spoken[0]
    for number in spoken:
        if units[number].side != "user":
            needs.append((number, nearest))
        elif fits[number]:
            nearest = number
    return needs


def _turns(units: Sequence[Unit]) -> list[Need]:
    """Let a unit with calls need the user turn that it is part of."""
    needs, latest = [], None
    for number, unit in enumerate(units):
        if unit.side == "user":
            latest = number
        elif unit.calls and latest is not None:
            needs.append((number, latest))
    return needs


def _texts_before_results(units: Sequence[Unit]) -> list[Need]:
    """Let a text that a late result follows need its unit: else it might come to precede a call."""
    standing = sorted(
        (member, number, piece.kind)
        for number, unit in enumerate(units)
        for member, piece in zip(unit.members, unit.pieces, strict=True)
    )
    return [
        (number, following)
        for (_, number, _), (_, following, kind) in pairwise(standing)
        if kind == "result" and units[number].side == "assistant" and not units[number].calls
    ]


def _leaders(units: Sequence[Unit]) -> list[Need]:
    """Let a call without reasoning need the first of its turn, if that one has it."""
    needs: list[Need] = []
    leader, is_open = None, True
    for number, unit in enumerate(units):
        if unit.side == "user":
            leader, is_open = None, True
        elif unit.calls:
            reasons = any(piece.kind == "reasoning" for piece in unit.pieces)
            if reasons and is_open:
                leader = number
            elif leader is not None and not reasons:
                needs.append((number, leader))
            is_open = False
    return needs
