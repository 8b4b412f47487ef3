"""What else goes with a result that has no call: texts that would then stand before a call."""

import re
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.messages import compact, read_units
from dsgc.messages._format import Order
from dsgc.messages._mending import mended
from dsgc.messages._pieces import Kind, Piece
from dsgc.messages._units import Conversation, Unit, units_of
from dsgc.messages.formats import FORMATS

CALLS_FOLLOW_USER = Order(calls_follow_user=True)
KINDS: dict[str, tuple[Kind, ...]] = {
    "U": ("user",),
    "T": ("assistant",),
    "H": ("reasoning",),  # a thought, and no more
    "P": ("reasoning", "assistant", "assistant"),  # a text of several parts
    "C": ("call",),
    "S": ("assistant", "call"),  # a call with a text of its own
    "O": ("result",),  # without a call
    "R": ("result",),  # of the earliest call that waits, if there is one
    "B": ("result", "user"),  # a result without a call, and what a user says behind it
}


def pieces_of(sketch: str) -> list[Piece]:
    """Return the pieces of messages, one a letter."""
    waiting: list[str] = []
    pieces = []
    for message, letter in enumerate(sketch):
        for part, kind in enumerate(KINDS[letter]):
            key = ""
            if kind == "call":
                key = f"call {message}"
                waiting.append(key)
            elif kind == "result":
                key = waiting.pop(0) if letter == "R" and waiting else f"gone {message}"
            pieces.append(Piece(message, part, message, kind, letter, key))
    return pieces


def mended_of(sketch: str, order: Order = CALLS_FOLLOW_USER) -> Conversation:
    pieces = pieces_of(sketch)
    return mended(units_of(pieces), pieces, order)


def places(units: tuple[Unit, ...]) -> list[int]:
    return [unit.positions[0] for unit in units]


def strays_of(sketch: str) -> list[int]:
    return places(mended_of(sketch).strays)


@pytest.mark.parametrize(
    ("sketch", "strays"),
    [
        ("UTOC", [1]),
        ("UTOCR", [1]),
        ("UTOS", [1]),
        ("UHOC", [1]),
        ("UPOC", [1]),
        ("TOC", [0]),
        ("UCRTOCR", [3]),
        ("UTOOC", [1]),
    ],
)
def test_a_text_goes_that_only_an_orphan_kept_apart_from_a_call(
    sketch: str, strays: list[int]
) -> None:
    assert strays_of(sketch) == strays


@pytest.mark.parametrize(
    ("sketch", "strays"), [("UTTOC", [1, 2]), ("UTOTOC", [1, 3]), ("UTPHOC", [1, 2, 3])]
)
def test_all_texts_in_a_row_before_the_orphan_go(sketch: str, strays: list[int]) -> None:
    assert strays_of(sketch) == strays


def test_each_orphan_takes_the_texts_of_its_own_place() -> None:
    assert strays_of("UTOCRTUTOCRT") == [1, 7]


@pytest.mark.parametrize(
    "sketch",
    [
        "",
        "O",
        "OC",
        "UOC",
        "UTUOC",
        "UTOUC",
        "UTBC",
        "UTOT",
        "UTO",
        "UCROC",
        "UCTROC",
        "UTCOC",
    ],
)
def test_no_text_goes_that_does_not_come_to_stand_before_a_call(sketch: str) -> None:
    assert strays_of(sketch) == []


@pytest.mark.parametrize("sketch", ["UTC", "UTCR", "UOTC", "OUTTCR", "UTOTC", "UTCRO"])
def test_a_text_that_stood_right_before_a_call_from_the_start_stays(sketch: str) -> None:
    assert strays_of(sketch) == []


def test_a_late_result_keeps_a_text_apart_from_the_next_call() -> None:
    assert strays_of("UCTRC") == []
    assert strays_of("UCTOCRR") == [2]


def test_a_stray_leaves_the_units_and_nothing_else_changes() -> None:
    before = units_of(pieces_of("UCRTOCU"))
    after = mended_of("UCRTOCU")
    assert [unit.id for unit in after.units] == ["m0", "m1", "m5", "m6"]
    assert [unit.id for unit in after.strays] == ["m3"]
    assert after.strays == before.units[2:3]
    assert after.orphans == before.orphans
    assert [piece.message for piece in after.orphans] == [4]
    assert after.unanswered == before.unanswered
    assert [piece.message for piece in after.unanswered] == [5]


@pytest.mark.parametrize(
    "order", [Order(), Order(begins_with_user=True), Order(reasoning_leads=True)]
)
def test_where_texts_may_precede_calls_all_stay(order: Order) -> None:
    assert mended_of("UTOC", order) == units_of(pieces_of("UTOC"))


def test_only_gemini_demands_that_calls_follow_a_user_or_a_result() -> None:
    names = [name for name, form in FORMATS.items() if form.order.calls_follow_user]
    assert names == ["gemini"]


sketches = st.text("".join(KINDS), max_size=14) | st.text("UTCOR", max_size=14)


def plain_strays(sketch: str) -> list[int]:
    """Return the texts behind which stand texts and orphans only, then an orphan, then a call."""
    waiting, letters = 0, []
    for letter in sketch:
        is_late = letter == "R" and waiting > 0
        waiting += (letter in "CS") - is_late
        letters.append("O" if letter == "R" and not is_late else letter)
    spelled = "".join(letters).translate(str.maketrans("HPSB", "TTCU"))
    return [found.start() for found in re.finditer("T(?=[TO]*OC)", spelled)]


@given(sketches)
def test_the_texts_that_go_are_those_of_a_pattern(sketch: str) -> None:
    assert strays_of(sketch) == plain_strays(sketch)


def texts_before_calls(conversation: Conversation) -> Iterator[tuple[int, int]]:
    """Yield the messages of texts and calls that stand right behind each other."""
    standing = sorted(
        (member, unit.positions[0], bool(unit.calls), piece.kind)
        for unit in conversation.units
        for member, piece in zip(unit.members, unit.pieces, strict=True)
    )
    for (_, text, has_calls, said), (_, call, calls, kind) in pairwise(standing):
        if said in ("assistant", "reasoning") and not has_calls and calls and kind != "result":
            yield text, call


@given(sketches)
def test_a_text_stands_right_before_a_call_only_if_it_did_so_from_the_start(sketch: str) -> None:
    for text, call in texts_before_calls(mended_of(sketch)):
        assert call == text + 1


@given(sketches)
def test_units_and_strays_are_all_units_and_only_texts_go(sketch: str) -> None:
    before, after = units_of(pieces_of(sketch)), mended_of(sketch)
    assert sorted(places(after.units) + places(after.strays)) == sorted(places(before.units))
    assert [unit for unit in before.units if unit in after.units] == list(after.units)
    assert {sketch[place] for place in places(after.strays)} <= set("THP")


@given(sketches)
def test_mending_again_takes_nothing_more(sketch: str) -> None:
    pieces = pieces_of(sketch)
    gone = mended_of(sketch).strays
    left = [piece for piece in pieces if not any(piece in unit.pieces for unit in gone)]
    assert mended(units_of(left), left, CALLS_FOLLOW_USER).strays == ()


def content(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def call(name: str) -> dict[str, Any]:
    return {"function_call": {"name": name, "args": {}}}


def response(name: str) -> dict[str, Any]:
    return {"function_response": {"name": name, "response": {"result": "ok"}}}


BROKEN = [
    content("user", {"text": "Where is my order?"}),
    content("model", {"text": "I look.", "thought": True}, {"text": "One moment."}),
    content("user", response("lost")),
    content("model", call("get_order")),
    content("user", response("get_order")),
    content("model", {"text": "It is on its way."}),
]


def test_a_gemini_conversation_loses_the_text_that_an_orphan_stood_behind() -> None:
    assert [unit.id for unit in read_units(BROKEN)] == ["m0", "m3", "m5"]
    compaction = compact(BROKEN, 10_000)
    assert compaction.messages == [BROKEN[0], *BROKEN[3:]]
    rows = {row.positions: (row.outcome, row.reason) for row in compaction.report.rows}
    assert rows[1,] == (
        "dropped",
        "no text may stand right before a call, once the result between them is gone",
    )
    assert rows[2,] == ("dropped", "result without a call")
    assert [problem.kind for problem in compaction.report.problems] == ["orphan result"]


def test_a_gemini_conversation_without_orphans_keeps_a_text_before_a_call() -> None:
    whole = [message for message in BROKEN if message is not BROKEN[2]]
    assert compact(whole, 10_000).messages == whole


def test_ten_thousand_texts_with_orphans_are_mended_in_a_moment() -> None:
    pieces = pieces_of("U" + "TO" * 10_000 + "C" + "TOC" * 5_000)
    conversation = units_of(pieces)
    start = time.process_time()
    after = mended(conversation, pieces, CALLS_FOLLOW_USER)
    assert time.process_time() - start < 1.0
    assert len(after.strays) == 15_000
