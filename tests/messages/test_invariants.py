"""What holds for whatever conversation, budget and format: valid, within budget, explained."""

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsgc.errors import PinsOverBudgetError
from dsgc.messages import Compaction, compact
from tests.messages.conversations import Conversation, conversations
from tests.messages.renderings import FORMATS, RENDERERS
from tests.messages.validity import CHECKERS
from tests.messages.validity._atoms import Atom, pair

ROOM = 10**12
MANY = 100 if settings.default is None or settings.default.max_examples <= 100 else 2_000

with_each_format = pytest.mark.parametrize("name", FORMATS)


@dataclass(frozen=True)
class Case:
    """A conversation and how much of it there is room for, in tenths of what it costs."""

    conversation: Conversation
    tenths: int
    reserved_tenths: int = 0
    split_results: bool = True
    keep_first_user: bool | None = None


cases = st.builds(
    Case,
    conversations(),
    st.integers(0, 12),
    st.sampled_from([0, 0, 1, 2]),
    st.sampled_from([True, True, True, False]),
    st.sampled_from([None, None, True, False]),
)


@dataclass(frozen=True)
class Run:
    """One compaction: what was given, how, and what came out."""

    name: str
    messages: list[Any]
    room: int
    options: dict[str, Any]
    result: Compaction | PinsOverBudgetError

    @property
    def compaction(self) -> Compaction | None:
        return None if isinstance(self.result, PinsOverBudgetError) else self.result

    def again(self, messages: Sequence[Any]) -> Compaction:
        return compact(messages, **self.options)


def run(name: str, case: Case, **options: Any) -> Run:
    messages = RENDERERS[name](case.conversation)
    options |= {"format": name, "split_results": case.split_results}
    options |= {"keep_first_user": case.keep_first_user}
    total = compact(messages, ROOM, **options).tokens_before
    room, reserve = total * case.tenths // 10, total * case.reserved_tenths // 10
    options |= {"budget": room + reserve, "reserve": reserve}
    try:
        result: Compaction | PinsOverBudgetError = compact(messages, **options)
    except PinsOverBudgetError as error:
        assert total > room, "there was room for everything"
        result = error
    return Run(name, messages, room, options, result)


def atoms(name: str, messages: Sequence[Any]) -> list[Atom]:
    return CHECKERS[name].atoms(messages)


def anywhere(found: Sequence[Atom], kind: str) -> list[str]:
    return [atom.says for atom in found if atom.kind == kind]


def origins(name: str, after: Sequence[Any], before: Sequence[Any]) -> list[int]:
    """Return where each message of the output was in the input, in order."""
    found: list[int] = []
    position = 0
    for index, message in enumerate(after):
        later = {id(other) for other in after[index:]}
        while message is not before[position]:
            is_source = id(before[position]) not in later
            if is_source and is_cut_of(name, message, before[position]):
                break
            position += 1
            assert position < len(before), f"output {index} is of no message given: {message}"
        found.append(position)
        position += 1
    return found


def is_cut_of(name: str, cut: Any, message: Any) -> bool:
    """Whether a message may be a cut copy: only results differ, or parts are missing."""
    after, before = atoms(name, [cut]), atoms(name, [message])
    shapes = [
        [(atom.kind, atom.keys, "" if atom.kind == "result" else atom.says) for atom in found]
        for found in (after, before)
    ]
    rest = iter(shapes[1])
    holds_result = any(atom.kind == "result" for atom in before)
    return type(cut) is type(message) and holds_result and all(one in rest for one in shapes[0])


@with_each_format
@settings(max_examples=MANY)
@given(case=cases)
def test_the_output_is_valid_and_fits_the_budget(name: str, case: Case) -> None:
    done = run(name, case)
    if done.compaction is None:
        return
    assert CHECKERS[name].problems(done.compaction.messages, done.messages) == []
    assert 0 <= done.compaction.tokens_after <= done.room
    assert done.compaction.tokens_after <= done.compaction.tokens_before


@with_each_format
@given(case=cases)
def test_what_must_stay_is_all_that_can_exceed_the_budget(name: str, case: Case) -> None:
    done = run(name, case)
    if done.compaction is None:
        error = done.result
        assert isinstance(error, PinsOverBudgetError)
        assert error.budget == done.room < error.cost
        enough = done.options | {"budget": error.cost + done.options["reserve"]}
        assert compact(done.messages, **enough).tokens_after <= error.cost


@with_each_format
@given(conversation=conversations())
def test_with_room_for_everything_only_orphans_go(name: str, conversation: Conversation) -> None:
    messages = RENDERERS[name](conversation)
    before = atoms(name, messages)
    total = compact(messages, ROOM, format=name).tokens_before
    compaction = compact(messages, total, format=name)
    orphans = {before[index].position for index in pair(before).orphans}
    # Gemini: a text that an orphan stood behind has no place before a call.
    strays = {
        position
        for row in compaction.report.rows
        if name == "gemini" and orphans and row.reason.startswith("no text may stand")
        for position in row.positions
    }
    lost = orphans | strays
    whole = [message for index, message in enumerate(messages) if index not in lost]
    kept = {id(message) for message in compaction.messages}
    assert all(id(message) in kept for message in whole)
    outcomes = {row.outcome for row in compaction.report.rows}
    assert outcomes <= ({"kept", "dropped", "cut"} if orphans else {"kept"})
    n_results = len(anywhere(before, "result")) - len(pair(before).orphans)
    assert len(anywhere(atoms(name, compaction.messages), "result")) == n_results


@with_each_format
@given(case=cases)
def test_the_system_text_the_latest_user_message_and_pending_calls_survive(
    name: str, case: Case
) -> None:
    done = run(name, case)
    if done.compaction is None:
        return
    before, after = atoms(name, done.messages), atoms(name, done.compaction.messages)
    assert anywhere(after, "system") == anywhere(before, "system")
    latest = max((atom.position for atom in before if atom.kind == "user"), default=None)
    says = [atom.says for atom in before if atom.kind == "user" and atom.position == latest]
    assert anywhere(after, "user")[-len(says) :] == says
    pending_before = [before[index].says for index in pair(before).pending]
    assert [after[index].says for index in pair(after).pending] == pending_before


@with_each_format
@given(case=cases)
def test_faults_of_the_input_are_reported_where_they_are(name: str, case: Case) -> None:
    done = run(name, case)
    if done.compaction is None:
        return
    before = atoms(name, done.messages)
    faults = pair(before)
    for kind, expected in [("orphan result", faults.orphans), ("unanswered call", faults.pending)]:
        records = [found for found in done.compaction.report.problems if found.kind == kind]
        reported = {position for record in records for position in record.positions}
        assert reported == {before[index].position for index in expected}
        assert all(record.message.strip() for record in records)
    kinds = {found.kind for found in done.compaction.report.problems}
    assert kinds <= {"orphan result", "unanswered call"}


@with_each_format
@given(case=cases)
def test_messages_keep_their_order_and_are_the_objects_given_unless_cut(
    name: str, case: Case
) -> None:
    done = run(name, case)
    if done.compaction is None:
        return
    after = done.compaction.messages
    places = origins(name, after, done.messages)
    assert places == sorted(set(places))
    assert type(after) is list
    for message, place in zip(after, places, strict=True):
        if message is not done.messages[place]:
            assert atoms(name, [message]) != atoms(name, [done.messages[place]])


@with_each_format
@given(case=cases)
def test_every_message_is_explained_by_the_rows_that_say_what_became_of_it(
    name: str, case: Case
) -> None:
    done = run(name, case)
    if done.compaction is None:
        return
    rows = done.compaction.report.rows
    assert len({row.id for row in rows}) == len(rows)
    assert all(row.reason.strip() for row in rows)
    outcomes: dict[int, set[str]] = {index: set() for index in range(len(done.messages))}
    for row in rows:
        assert row.positions
        for position in row.positions:
            outcomes[position].add(row.outcome)
    after = dict(
        zip(
            origins(name, done.compaction.messages, done.messages),
            done.compaction.messages,
            strict=True,
        )
    )
    # Where ids recur, a cut copy may be of more than one message.
    doubtful: set[int] = set()
    for position, message in after.items():
        if message is not done.messages[position]:
            sources = [
                index
                for index, other in enumerate(done.messages)
                if is_cut_of(name, message, other)
            ]
            doubtful.update(sources if len(sources) > 1 else ())
    for position, message in enumerate(done.messages):
        found = outcomes[position]
        if position in doubtful:
            continue
        if position not in after:
            assert found in [{"evicted"}, {"dropped"}, {"evicted", "dropped"}]
        elif after[position] is message:
            assert found in [{"kept"}, {"cut"}, {"kept", "cut"}]
        else:
            assert found & {"kept", "cut"}
            assert found != {"kept"}


@with_each_format
@given(case=cases)
def test_compacting_again_changes_nothing(name: str, case: Case) -> None:
    done = run(name, case)
    if done.compaction is None:
        return
    first = done.compaction
    second = done.again(first.messages)
    assert second.tokens_before == first.tokens_after == second.tokens_after
    assert len(second.messages) == len(first.messages)
    pairs = zip(first.messages, second.messages, strict=True)
    assert all(one is other for one, other in pairs)
    tightest = done.options | {"budget": first.tokens_after + done.options["reserve"]}
    third = compact(first.messages, **tightest)
    assert list(map(id, third.messages)) == list(map(id, first.messages))


@with_each_format
@given(case=cases)
def test_the_input_is_left_alone_and_the_same_call_gives_the_same_result(
    name: str, case: Case
) -> None:
    before = RENDERERS[name](case.conversation)
    done = run(name, case)
    assert done.messages == before
    again = run(name, case)
    if done.compaction is None or again.compaction is None:
        assert str(again.result) == str(done.result)
        return
    assert again.compaction.messages == done.compaction.messages
    assert again.compaction.report == done.compaction.report
    assert again.compaction.tokens_after == done.compaction.tokens_after


MARK = re.compile(
    r"\[left out(?: \d+)?(?:: (?:\d+ of \d+, )?\d+ tokens)?\]|^\d+ of \d+, \d+ tokens$"
)


def leaves(value: Any) -> list[str]:
    """Return the texts, keys and numbers of a value; what is JSON inside a text counts as well."""
    if isinstance(value, dict):
        return [*value, *(leaf for inner in value.values() for leaf in leaves(inner))]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner)]
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        with suppress(ValueError):
            return leaves(json.loads(value, object_pairs_hook=dict_with_all, parse_float=str))
    return [str(value)]


def dict_with_all(pairs: list[tuple[str, Any]]) -> list[Any]:
    """Return an object as a list: keys may come twice."""
    return [inner for pair_of_two in pairs for inner in pair_of_two]


def repeats(leaf: str, source: str) -> bool:
    """Whether a text without its marks is made of pieces of the source, in their order."""
    start = 0
    for piece in MARK.split(leaf):
        start = source.find(piece.strip(), start)
        if start < 0:
            return False
        start += len(piece.strip())
    return True


@with_each_format
@given(case=cases)
def test_what_is_left_of_a_result_are_its_own_pieces_and_marks_of_numbers_only(
    name: str, case: Case
) -> None:
    done = run(name, case)
    if done.compaction is None:
        return
    after = done.compaction.messages
    for message, place in zip(after, origins(name, after, done.messages), strict=True):
        if message is done.messages[place]:
            continue
        sources = leaves([json.loads(atom.says) for atom in atoms(name, [done.messages[place]])])
        for leaf in leaves([json.loads(atom.says) for atom in atoms(name, [message])]):
            is_frame = name == "gemini" and leaf == "result"  # of a response that had no text
            assert is_frame or leaf in sources or any(repeats(leaf, each) for each in sources)


COUNTERS: dict[str, Callable[[str], int]] = {
    "characters": len,
    "words": lambda text: len(text.split()),
    "one": lambda _text: 1,
    "nothing": lambda _text: 0,
    "squares": lambda text: len(text) ** 2,
}


@with_each_format
@given(case=cases, counter=st.sampled_from(sorted(COUNTERS)))
def test_tokens_are_counted_as_asked(name: str, case: Case, counter: str) -> None:
    count = COUNTERS[counter]
    done = run(name, case, count_tokens=count)
    if done.compaction is None:
        return
    compaction = done.compaction
    assert CHECKERS[name].problems(compaction.messages, done.messages) == []
    assert compaction.tokens_after <= done.room
    assert done.again(compaction.messages).tokens_before == compaction.tokens_after
    if name != "gemini":  # whose responses are counted in their JSON form
        results = [atom for atom in atoms(name, compaction.messages) if atom.kind == "result"]
        least = sum(count(atom.texts[0]) for atom in results if len(atom.texts) == 1)
        assert compaction.tokens_after >= least
