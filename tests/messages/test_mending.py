"""What else has to go once a result without a call is left out."""

from dsgc.messages._format import Order
from dsgc.messages._mending import mended
from dsgc.messages._pieces import Kind, Piece
from dsgc.messages._units import Conversation, units_of

AFTER_USERS = Order(calls_follow_user=True)


def mend(*said: tuple[Kind, str], order: Order = AFTER_USERS) -> Conversation:
    """Mend a conversation of one piece a message; what follows the kind is the text or the key."""
    pieces = [
        Piece(position, 0, position, kind, text, key=text if kind in ("call", "result") else "")
        for position, (kind, text) in enumerate(said)
    ]
    return mended(units_of(pieces), pieces, order)


def ids(conversation: Conversation) -> tuple[list[str], list[str]]:
    return (
        [unit.id for unit in conversation.units],
        [unit.id for unit in conversation.strays],
    )


def test_a_text_that_an_orphan_stood_behind_goes_if_a_call_follows() -> None:
    found = mend(
        ("user", "hi"), ("assistant", "well"), ("result", "lost"), ("call", "c"), ("result", "c")
    )
    assert ids(found) == (["m0", "m3"], ["m1"])


def test_several_such_texts_all_go() -> None:
    found = mend(
        ("user", "hi"),
        ("assistant", "well"),
        ("assistant", "so"),
        ("result", "lost"),
        ("result", "lost"),
        ("call", "c"),
    )
    assert ids(found) == (["m0", "m5"], ["m1", "m2"])


def test_a_text_stays_where_a_user_turn_or_a_healthy_result_stands_before_the_call() -> None:
    before_user = mend(("assistant", "well"), ("result", "lost"), ("user", "hi"), ("call", "c"))
    assert ids(before_user) == (["m0", "m2", "m3"], [])
    before_result = mend(
        ("user", "hi"),
        ("call", "a"),
        ("assistant", "well"),
        ("result", "a"),
        ("result", "lost"),
        ("call", "c"),
    )
    assert ids(before_result) == (["m0", "m1", "m2", "m5"], [])


def test_a_text_that_the_input_itself_has_before_a_call_is_not_touched() -> None:
    found = mend(("user", "hi"), ("result", "lost"), ("assistant", "well"), ("call", "c"))
    assert ids(found) == (["m0", "m2", "m3"], [])


def test_where_texts_may_stand_before_calls_nothing_goes() -> None:
    found = mend(
        ("user", "hi"), ("assistant", "well"), ("result", "lost"), ("call", "c"), order=Order()
    )
    assert ids(found) == (["m0", "m1", "m3"], [])
    assert [piece.key for piece in found.orphans] == ["lost"]


def test_without_orphans_there_is_nothing_to_mend() -> None:
    found = mend(("user", "hi"), ("assistant", "well"), ("call", "c"), ("result", "c"))
    assert ids(found) == (["m0", "m1", "m2"], [])
