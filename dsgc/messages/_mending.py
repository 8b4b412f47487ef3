"""What else has to go once a result without a call is left out."""

from collections.abc import Sequence

from dsgc.messages._format import Order
from dsgc.messages._pieces import Piece
from dsgc.messages._units import Conversation


def mended(conversation: Conversation, pieces: Sequence[Piece], order: Order) -> Conversation:
    """Return the conversation without texts that now stand right before a call, if none may.

    Only those go that the result which was left out had stood behind.
    """
    if not order.calls_follow_user or not conversation.orphans:
        return conversation
    owner = {
        member: number for number, unit in enumerate(conversation.units) for member in unit.members
    }
    strays: set[int] = set()
    before: list[int] = []  # what is left of the pieces so far
    is_behind_orphan = False
    for position in range(len(pieces)):
        if position not in owner:
            is_behind_orphan = True
            continue
        unit = conversation.units[owner[position]]
        if is_behind_orphan and unit.calls and position == unit.members[0]:
            while before and _is_text(conversation, owner[before[-1]]):
                strays.add(owner[before.pop()])
        before.append(position)
        is_behind_orphan = False
    units = [unit for number, unit in enumerate(conversation.units) if number not in strays]
    gone = [conversation.units[number] for number in sorted(strays)]
    return conversation._replace(units=tuple(units), strays=tuple(gone))


def _is_text(conversation: Conversation, number: int) -> bool:
    unit = conversation.units[number]
    return unit.side == "assistant" and not unit.calls
