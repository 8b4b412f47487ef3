"""Which result belongs to which call: by id, never by neighbourhood."""

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import NamedTuple

from dsgc.messages._pieces import Piece


class Pairing(NamedTuple):
    """Calls and results by their positions among the pieces.

    Attributes:
        call_of: The call of each result that has one.
        orphans: Results without a call, in order.
        unanswered: Calls that wait for a result, in order.
    """

    call_of: dict[int, int]
    orphans: list[int]
    unanswered: list[int]


def pair(pieces: Sequence[Piece]) -> Pairing:
    """Give each result to the nearest earlier unanswered call of its key.

    Keys may recur, even in one turn. Where a key is no more than the name of the tool, the calls of
    a turn are answered in their order.
    """
    open_calls: dict[str, list[tuple[int, deque[int]]]] = defaultdict(list)
    call_of: dict[int, int] = {}
    orphans = []
    for position, piece in enumerate(pieces):
        turns = open_calls[piece.key]
        if piece.kind == "call":
            if not turns or turns[-1][0] != piece.turn:
                turns.append((piece.turn, deque()))
            turns[-1][1].append(position)
        elif piece.kind == "result":
            if not turns:
                orphans.append(position)
                continue
            _, waiting = turns[-1]
            call_of[position] = waiting.popleft() if piece.by_order else waiting.pop()
            if not waiting:
                turns.pop()
    answered = set(call_of.values())
    unanswered = [
        position
        for position, piece in enumerate(pieces)
        if piece.kind == "call" and piece.awaits_result and position not in answered
    ]
    return Pairing(call_of, orphans, unanswered)
