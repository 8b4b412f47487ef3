"""Which items of OpenAI Responses belong to one response, and which call an output answers."""

from collections.abc import Iterator, Sequence
from typing import Any

from dsgc.messages._access import get
from dsgc.messages._pieces import ASSISTANT_SIDE, Kind, Piece

BESIDE = "mcp_list_tools"  # comes in the middle of a response, but is context too


def answering(items: Sequence[Any], kinds: list[str], pieces: list[Piece]) -> Iterator[Piece]:
    """Give results the key and name of their call; what answers a reference stays with it."""
    names: dict[str, str] = {}
    keys: dict[str, str] = {}
    has_references = "item_reference" in kinds
    for item, kind, piece in zip(items, kinds, pieces, strict=True):
        if piece.kind == "call":
            names[piece.key] = piece.name
            if kind == "local_shell_call":
                keys[str(get(item, "id"))] = piece.key
        if piece.kind != "result":
            yield piece
            continue
        key = piece.key
        if kind == "local_shell_call_output" and key not in names:
            key = keys.get(key, key)
        if key not in names and has_references:
            yield piece._replace(kind="system", key="", replaceable=False, pinned=True)
        else:
            yield piece._replace(key=key, name=piece.name or names.get(key, ""))


def in_turns(items: Sequence[Any], kinds: list[str], pieces: Iterator[Piece]) -> list[Piece]:
    """Give the pieces of one response one turn, and what belongs to another response its turn."""
    found: list[Piece] = []
    heads: dict[int, int] = {}  # of a turn that was joined to an earlier one
    homes: dict[str, int] = {}  # the turns of calls
    turn: int | None = None
    previous: Kind | None = None

    def join(first: int, second: int) -> None:
        first, second = sorted((_head(heads, first), _head(heads, second)))
        if first != second:
            heads[second] = first

    for item, kind, piece in zip(items, kinds, pieces, strict=True):
        found.append(piece)
        if kind == BESIDE:
            continue
        if piece.kind in ASSISTANT_SIDE:
            turn = piece.message if turn is None else turn
            found[-1] = piece._replace(turn=turn)
            owner = get(get(item, "caller"), "caller_id") or get(item, "approval_request_id")
            if owner in homes:
                join(turn, homes[owner])
            if piece.kind == "call" and piece.key:
                homes[piece.key] = turn
        elif piece.kind == "result" and previous == "reasoning" and turn is not None:
            # The item that the thought belongs to is this one's neighbour on either side.
            join(turn, homes.get(piece.key, turn))
            continue
        else:
            turn = None
        previous = piece.kind
    return [piece._replace(turn=_head(heads, piece.turn)) for piece in found]


def _head(heads: dict[int, int], turn: int) -> int:
    while turn in heads:
        turn = heads[turn]
    return turn
