"""What a format demands of the order of messages, as needs of one unit for another."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsgc.messages._format import Order
from dsgc.messages._order import Need, needs_of
from dsgc.messages._pieces import Piece
from dsgc.messages._units import Unit, units_of
from dsgc.messages.formats import FORMATS

BEGINS = Order(begins_with_user=True)
FOLLOWS = Order(calls_follow_user=True)
LEADS = Order(reasoning_leads=True)
ORDERS = {
    "beginnings": BEGINS,
    "turns": FOLLOWS,
    "beginnings and turns": Order(begins_with_user=True, calls_follow_user=True),
    "beginnings and leaders": Order(begins_with_user=True, reasoning_leads=True),
    "all": Order(begins_with_user=True, calls_follow_user=True, reasoning_leads=True),
}


def units_from(letters: str) -> tuple[Unit, ...]:
    """Return a unit for each letter: System, User, Assistant, Call, Reasoned call."""
    pieces = []
    for number, letter in enumerate(letters):
        match letter:
            case "S":
                pieces.append(Piece(number, 0, number, "system", ""))
            case "U":
                pieces.append(Piece(number, 0, number, "user", ""))
            case "A":
                pieces.append(Piece(number, 0, number, "assistant", ""))
            case _:
                if letter == "R":
                    pieces.append(Piece(number, 0, number, "reasoning", "hm"))
                pieces.append(Piece(number, 0, number, "call", "", key=str(number)))
                pieces.append(Piece(number, 1, number, "result", "", key=str(number)))
    return units_of(pieces).units


def needs(letters: str, order: Order, *, pinned: str = "", too_large: str = "") -> list[Need]:
    """Return the needs of units; marks say below each letter what is pinned or too large."""
    is_pinned = [mark == "x" for mark in pinned.ljust(len(letters))]
    fits = [mark != "x" for mark in too_large.ljust(len(letters))]
    return needs_of(units_from(letters), order, is_pinned, fits)


def test_a_format_that_demands_nothing_makes_nothing_needed() -> None:
    assert needs("SUARC", Order()) == []
    assert needs("", Order(True, True, True)) == []


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("UA", [(1, 0)]),
        ("SUARUC", [(2, 1), (3, 1), (5, 4)]),
        ("USA", [(2, 0)]),
        ("UU", []),
        ("AUA", []),  # broken on entry: nothing can be asked of it
        ("S", []),
    ],
)
def test_what_a_model_says_needs_the_nearest_user_turn_before_it(
    letters: str, expected: list[Need]
) -> None:
    assert needs(letters, BEGINS) == expected


def test_where_the_first_user_turn_stays_none_is_needed() -> None:
    assert needs("SUAUA", BEGINS, pinned=" x") == []
    assert needs("SUAUA", BEGINS, pinned="   x") == [(2, 1), (4, 3)]


def test_a_user_turn_too_large_to_be_kept_is_not_needed_where_an_earlier_one_will_do() -> None:
    assert needs("UAUAUA", BEGINS, too_large="  x") == [(1, 0), (3, 0), (5, 4)]
    assert needs("UA", BEGINS, too_large="x") == [(1, 0)]


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("UCRA", [(1, 0), (2, 0)]),
        ("UCUUC", [(1, 0), (4, 3)]),
        ("SCUC", [(3, 2)]),
        ("UAU", []),
    ],
)
def test_a_call_needs_the_user_turn_it_is_part_of(letters: str, expected: list[Need]) -> None:
    assert needs(letters, FOLLOWS) == expected
    assert needs(letters, FOLLOWS, pinned="xxxxx", too_large="xxxxx") == expected


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("URCC", [(2, 1), (3, 1)]),
        ("URRC", [(3, 1)]),
        ("UCRC", []),
        ("URUC", []),
        ("URACSC", [(3, 1), (5, 1)]),
        ("RC", [(1, 0)]),
        ("UR", []),
    ],
)
def test_a_call_without_reasoning_needs_the_first_of_its_turn_if_that_has_it(
    letters: str, expected: list[Need]
) -> None:
    assert needs(letters, LEADS) == expected


def test_demands_are_made_together() -> None:
    assert needs("URC", Order(True, True, True)) == [(1, 0), (2, 0), (1, 0), (2, 0), (2, 1)]


@dataclass(frozen=True)
class Case:
    """Units in letters, some pinned, some too large to be kept, and some that someone wishes."""

    letters: str
    pinned: tuple[bool, ...]
    fits: tuple[bool, ...]
    wished: tuple[bool, ...]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    letters = draw(st.text("SUUACR", max_size=12))
    flags = st.lists(st.booleans(), min_size=len(letters), max_size=len(letters)).map(tuple)
    latest = letters.rfind("U")
    pinned = tuple(
        letter == "S" or number == latest or flag
        for number, (letter, flag) in enumerate(zip(letters, draw(flags), strict=True))
    )
    return Case(letters, pinned, draw(flags), draw(flags))


def closed(case: Case, needed: Sequence[Need]) -> list[int]:
    """Return what is pinned or wished and all that it needs, oldest first."""
    kept = {
        number
        for number, flags in enumerate(zip(case.pinned, case.wished, strict=True))
        if any(flags)
    }
    for _ in case.letters:
        kept |= {need for dependent, need in needed if dependent in kept}
    return sorted(kept)


def begins_wrong(letters: str) -> bool:
    """Whether a model speaks before any user does."""
    return letters.replace("S", "")[:1] in ("A", "C", "R")


def calls_after_texts(letters: str) -> int:
    """Return how many calls come right after a text of the model, or after nothing."""
    spoken = letters.replace("S", "")
    return sum(
        letter in "CR" and (place == 0 or spoken[place - 1] == "A")
        for place, letter in enumerate(spoken)
    )


def turns(letters: str, kept: Sequence[int]) -> list[tuple[str, str]]:
    """Return the calls of each turn as they were given, and as they are kept."""
    found = [("", "")]
    for number, letter in enumerate(letters):
        if letter == "U":
            found.append(("", ""))
        elif letter in "CR":
            before, after = found[-1]
            found[-1] = (before + letter, after + letter * (number in kept))
    return found


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@given(case=cases())
def test_whatever_is_kept_with_its_needs_is_in_a_valid_order(order: Order, case: Case) -> None:
    needed = needs_of(units_from(case.letters), order, case.pinned, case.fits)
    kept = closed(case, needed)
    left = "".join(case.letters[number] for number in kept)
    if order.begins_with_user and not begins_wrong(case.letters):
        assert not begins_wrong(left)
    if order.calls_follow_user and calls_after_texts(case.letters) == 0:
        assert calls_after_texts(left) == 0
    if order.reasoning_leads:
        for before, after in turns(case.letters, kept):
            assert not (before.startswith("R") and after.startswith("C"))


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@given(case=cases())
def test_units_need_only_earlier_ones_so_that_no_two_need_each_other(
    order: Order, case: Case
) -> None:
    units = units_from(case.letters)
    for dependent, need in needs_of(units, order, case.pinned, case.fits):
        assert need < dependent
        assert case.letters[dependent] in "ACR"
        assert case.letters[need] in "UR"


def test_each_format_demands_what_its_endpoint_or_framework_does() -> None:
    assert {name: each.order for name, each in FORMATS.items()} == {
        "openai-chat": Order(),
        "openai-responses": Order(),
        "anthropic": Order(begins_with_user=True, reasoning_leads=True),
        "gemini": Order(begins_with_user=True, calls_follow_user=True),
        "langchain": Order(begins_with_user=True),
        "pydantic-ai": Order(begins_with_user=True),
    }
