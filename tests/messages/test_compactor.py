"""A compactor keeps what it made of a conversation for as long as the conversation goes on."""

import asyncio
import pickle
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import FrozenInstanceError, dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call

from dsgc import RetentionPolicy
from dsgc.errors import (
    InputError,
    InputTypeError,
    InvalidBudgetError,
    PinsOverBudgetError,
    UnknownFormatError,
    UnreadableMessageError,
)
from dsgc.messages import Compaction, compact, estimate_tokens
from dsgc.messages._compactor import Compactor
from tests.messages.conversations import (
    Assistant,
    Call,
    Calls,
    Content,
    Conversation,
    Event,
    Result,
    Results,
    System,
    User,
    conversations,
)
from tests.messages.renderings import FORMATS, RENDERERS
from tests.messages.validity import CHECKERS

ROOM = 10**12
MANY = 40 if settings.default is None or settings.default.max_examples <= 100 else 200
CAME_AFTER = "came after the compaction"

with_each_format = pytest.mark.parametrize("name", FORMATS)


@dataclass(frozen=True)
class Case:
    """A conversation that grows, in shares of its length, and the room for it in tenths."""

    conversation: Conversation
    lengths: tuple[int, ...]
    tenths: int
    marks: tuple[float | None, float | None]

    def options(self, name: str, messages: Sequence[Any]) -> dict[str, Any]:
        total = compact(messages, ROOM, format=name).tokens_before
        high, low = self.marks
        marks = {"high_water": high, "low_water": low}
        return {"budget": total * self.tenths // 10, "format": name, **marks}

    def histories(self, messages: Sequence[Any]) -> list[list[Any]]:
        ends = sorted(len(messages) * length // 10 for length in self.lengths)
        return [list(messages[:end]) for end in ends]


cases = st.builds(
    Case,
    conversations(),
    st.lists(st.integers(1, 10), min_size=2, max_size=6).map(tuple),
    st.integers(1, 10),
    st.sampled_from([(None, None), (None, 0.5), (0.9, 0.3), (0.6, 0.6), (1.0, 0.0)]),
)


def compacted(compactor: Compactor, messages: Sequence[Any]) -> Compaction | None:
    try:
        return compactor.compact(messages)
    except PinsOverBudgetError:
        return None


def new_faults(name: str, after: Sequence[Any], history: Sequence[Any]) -> list[str]:
    """Return what is wrong, less what is so when only the orphans are dropped."""
    repaired = compact(history, ROOM, format=name).messages
    excused = CHECKERS[name].problems(repaired, history)
    return [each for each in CHECKERS[name].problems(after, history) if each not in excused]


def went_on(compaction: Compaction) -> bool:
    return any(row.reason == CAME_AFTER for row in compaction.report.rows)


def are_same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return list(map(id, one)) == list(map(id, other))


@with_each_format
@settings(max_examples=MANY)
@given(case=cases)
def test_a_conversation_that_grows_stays_valid_and_within_budget(name: str, case: Case) -> None:
    messages = RENDERERS[name](case.conversation)
    options = case.options(name, messages)
    compactor = Compactor(**options)
    for history in case.histories(messages):
        compaction = compacted(compactor, history)
        if compaction is None:
            continue
        assert new_faults(name, compaction.messages, history) == []
        assert compaction.tokens_after <= options["budget"]
        recount = compact(compaction.messages, ROOM, format=name)
        assert compaction.tokens_after == recount.tokens_before == recount.tokens_after


@with_each_format
@settings(max_examples=MANY)
@given(case=cases)
def test_it_leaves_the_beginning_as_it_was_or_compacts_all_anew(name: str, case: Case) -> None:
    messages = RENDERERS[name](case.conversation)
    options = case.options(name, messages)
    compactor, before = Compactor(**options), None
    for history in case.histories(messages):
        compaction = compacted(compactor, history)
        if compaction is None:
            before = None
            continue
        anew = compact(history, **options)
        if compaction.report == anew.report:
            assert compaction.messages == anew.messages
        else:
            assert before is not None
            assert are_same(compaction.messages[: len(before)], before)
            came = {id(message) for message in history}
            added = compaction.messages[len(before) :]
            copies = [message for message in added if id(message) not in came]
            problems = compaction.report.problems
            assert len(copies) <= sum(found.kind == "orphan result" for found in problems)
        before = compaction.messages


@with_each_format
@settings(max_examples=MANY)
@given(case=cases)
def test_the_report_explains_the_whole_conversation_at_every_step(name: str, case: Case) -> None:
    messages = RENDERERS[name](case.conversation)
    compactor = Compactor(**case.options(name, messages))
    for history in case.histories(messages):
        compaction = compacted(compactor, history)
        if compaction is None:
            continue
        whole = compact(history, ROOM, format=name)
        assert compaction.tokens_before == whole.tokens_before
        assert compaction.report.problems == whole.report.problems
        told = [(row.id, row.positions, row.tokens_before) for row in compaction.report.rows]
        assert told == [(row.id, row.positions, row.tokens_before) for row in whole.report.rows]
        assert compaction.to_dict()["retention"]["budget"] >= 0
        assert repr(compaction).startswith(
            f"Compaction(kept {len(compaction.messages)} of {len(history)} messages"
        )


@with_each_format
@settings(max_examples=MANY)
@given(case=cases, other=conversations(), n_conversations=st.sampled_from([0, 1, 64]))
def test_conversations_that_take_turns_never_get_each_others_messages(
    name: str, case: Case, other: Conversation, n_conversations: int
) -> None:
    messages = RENDERERS[name](case.conversation)
    compactor = Compactor(**case.options(name, messages), n_conversations=n_conversations)
    strangers = [deepcopy(messages), RENDERERS[name](other)]
    for history in case.histories(messages):
        for own in (history, *(each[: len(history)] for each in strangers)):
            compaction = compacted(compactor, own)
            if compaction is None:
                continue
            assert new_faults(name, compaction.messages, own) == []
            others = {id(each) for given in (messages, *strangers) for each in given}
            others -= {id(each) for each in own}
            assert all(id(message) not in others for message in compaction.messages)


def asked(serial: int, text: str) -> tuple[Event, Event]:
    call = Call(f"call_{serial}", "search", serial, f"topic {serial}")
    return Calls((call,)), Results((Result(call.id, "search", Content(text)),))


def history_of(name: str, n_calls: int, text: str = "nothing of note. " * 40) -> list[Any]:
    events: list[Event] = [System("be brief"), User("find it")]
    for serial in range(n_calls):
        events += asked(serial, f"{text} {serial}")
    return RENDERERS[name](Conversation(tuple(events)))


def tokens(name: str, messages: Sequence[Any]) -> int:
    return compact(messages, ROOM, format=name).tokens_before


@with_each_format
@pytest.mark.parametrize("high", [None, 0.7])
def test_the_beginning_is_the_same_until_the_high_mark_and_changes_there(
    name: str, high: float | None
) -> None:
    history = history_of(name, 30)
    head = len(history_of(name, 0))
    step = (len(history) - head) // 30
    budget = tokens(name, history) * 10 // (30 if high is None else 21)
    compactor = Compactor(budget, format=name, high_water=high, low_water=0.2)
    mark = budget if high is None else int(high * budget)
    n_same, n_anew, before = 0, 0, compactor.compact(history[:head])
    for end in range(head + step, len(history) + 1, step):
        after = compactor.compact(history[:end])
        assert after.tokens_after <= mark
        if are_same(after.messages[: len(before.messages)], before.messages):
            n_same += 1
            assert after.messages[-1] is history[end - 1]
        else:
            n_anew += 1
            assert before.tokens_after + tokens(name, history[end - step : end]) > mark
            assert after.tokens_after <= 0.2 * budget
        before = after
    assert (n_same, n_anew) == (27, 3)


@with_each_format
def test_equal_messages_that_are_other_objects_go_on_with_these(name: str) -> None:
    history = history_of(name, 8)
    compactor = Compactor(tokens(name, history) // 2, format=name, low_water=0.3)
    first = compactor.compact(history[:-2])
    again = deepcopy(history)
    second = compactor.compact(again)
    assert went_on(second)
    assert second.messages[: len(first.messages)] == first.messages
    own = {id(message) for message in again}
    cut = {id(message) for message in first.messages} - {id(message) for message in history}
    assert all(id(message) in own | cut for message in second.messages)


def test_a_result_that_is_cut_is_cut_from_the_message_as_it_is_now() -> None:
    lines = "\n".join(f"line {number} of the log" for number in range(300))
    history = history_of("langchain", 1, lines)
    compactor = Compactor(400, low_water=0.5)
    first = compactor.compact(history).messages[-1]
    asks = HumanMessage("go on")
    same = compactor.compact([*history, asks]).messages[-2]
    assert first is same is not history[-1]
    history[-1].response_metadata["trace"] = "t1"
    history[-1].artifact = [1, 2]
    now = compactor.compact([*history, asks]).messages[-2]
    assert now.content == first.content
    assert now.response_metadata == {"trace": "t1"}
    assert now.artifact == [1, 2]


@with_each_format
@pytest.mark.parametrize("low", [0.2, 0.5])
def test_an_earlier_message_that_was_edited_has_all_compacted_anew(name: str, low: float) -> None:
    history = history_of(name, 8)
    options: dict[str, Any] = {"budget": tokens(name, history) // 2, "format": name}
    compactor = Compactor(**options, low_water=low)
    compactor.compact(history[:-2])
    edited = history_of(name, 8)
    edited[:4] = history_of(name, 1, "something else. " * 40)[:4]
    after = compactor.compact(edited)
    assert not went_on(after)
    assert after.messages == compact(edited, **options, low_water=low).messages


@with_each_format
def test_a_conversation_that_was_cut_short_is_compacted_anew(name: str) -> None:
    history = history_of(name, 8)
    compactor = Compactor(tokens(name, history) // 2, format=name)
    compactor.compact(history)
    assert not went_on(compactor.compact(history[:-2]))
    assert compactor.compact(history[:4]).messages == history[:4]


@with_each_format
def test_the_result_of_a_call_that_was_pending_joins_it(name: str) -> None:
    (calls, results), text = asked(99, "approved"), "nothing of note. " * 40
    events: list[Event] = [User("find it"), calls, User("and look up these")]
    for serial in range(6):
        events += asked(serial, f"{text} {serial}")
    history = RENDERERS[name](Conversation((*events, User("and?"))))
    answered = RENDERERS[name](Conversation((*events, User("and?"), results)))
    late = [*history, answered[-1]]
    compactor = Compactor(tokens(name, late) // 2, format=name, low_water=0.5)
    first, second = compactor.compact(history), compactor.compact(late)
    assert [problem.kind for problem in first.report.problems] == ["unanswered call"]
    assert second.report.problems == ()
    assert are_same(second.messages[:-1], first.messages)
    assert second.messages[-1] is late[-1]
    (row,) = [row for row in second.report.rows if len(late) - 1 in row.positions]
    assert row.id == "m1"
    assert row.outcome == "kept"
    assert row.tokens_after == row.tokens_before == tokens(name, [late[1], late[-1]])


def test_a_late_result_of_a_call_that_went_has_all_compacted_anew() -> None:
    call = invalid_tool_call(name="search", args="{", id="c1", error="no JSON")
    given = [
        HumanMessage("find the order"),
        AIMessage("", invalid_tool_calls=[call]),
        *(AIMessage(f"the order is not on page {page}. " * 9) for page in range(6)),
        HumanMessage("go on with the order"),
    ]
    result = ToolMessage("That was no JSON. Call again.", tool_call_id="c1")
    compactor = Compactor(150, low_water=0)
    first = compactor.compact(given)
    assert given[1] not in first.messages
    second = compactor.compact([*given, result])
    assert not went_on(second)
    assert second.report.problems == ()
    assert (given[1] in second.messages) == (result in second.messages)


def test_a_call_that_needs_the_reasoning_of_one_that_went_has_all_compacted_anew() -> None:
    (first, found), (second, read) = asked(0, "nothing of note. " * 40), asked(1, "a page")
    assert isinstance(first, Calls)
    thought = replace(first, reasoning="think")
    said = Conversation((User("find it"), thought, found, second, read))
    history = RENDERERS["anthropic"](said)
    compactor = Compactor(160, format="anthropic", low_water=0, split_results=False)
    start = compactor.compact(history[:3])
    assert start.messages == history[:1]
    after = compactor.compact(history)
    assert not went_on(after)
    assert CHECKERS["anthropic"].problems(after.messages, history) == []


def test_a_text_that_loses_its_place_by_what_came_has_all_compacted_anew() -> None:
    first, second = asked(0, "nothing of note. " * 40), asked(1, "a page")
    lost = Results((Result("lost", "search", Content("a page")),))
    said = Conversation((User("find it"), *first, Assistant("so far so good"), lost, *second))
    history = RENDERERS["gemini"](said)
    compactor = Compactor(160, format="gemini", low_water=0.5)
    start = compactor.compact(history[:4])
    assert start.messages[-1] is history[3]
    assert start.tokens_after <= 80
    after = compactor.compact(history)
    assert not went_on(after)
    assert history[3] not in after.messages
    assert CHECKERS["gemini"].problems(after.messages, history) == []


def test_what_is_added_to_the_last_message_in_place_is_not_lost_and_not_doubled() -> None:
    history = history_of("anthropic", 8)
    compactor = Compactor(tokens("anthropic", history) // 2, format="anthropic", low_water=0.5)
    compactor.compact(history)
    history[-1]["content"].append({"type": "text", "text": "And be quick."})
    after = compactor.compact(history).messages
    assert repr(after).count("And be quick.") == 1
    assert after[-1] is history[-1]
    assert CHECKERS["anthropic"].problems(after, history) == []


def test_a_message_that_is_pinned_after_it_went_comes_back() -> None:
    history = history_of("openai-chat", 8)
    pinned: list[Any] = []
    budget = tokens("openai-chat", history) // 2
    compactor = Compactor(budget, low_water=0.4, pin=lambda message: message in pinned)
    first = compactor.compact(history[:-2])
    gone = next(message for message in history if message not in first.messages)
    pinned.append(gone)
    second = compactor.compact(history)
    assert not went_on(second)
    assert gone in second.messages
    third = compactor.compact([*history, {"role": "user", "content": "go on"}])
    assert went_on(third)
    assert gone in third.messages


def marked(messages: Sequence[dict[str, Any]]) -> list[int]:
    return [
        position
        for position, message in enumerate(messages)
        if "cache_control" in repr(message["content"])
    ]


def mark(message: dict[str, Any]) -> None:
    if isinstance(message["content"], str):
        message["content"] = [{"type": "text", "text": message["content"]}]
    message["content"][-1]["cache_control"] = {"type": "ephemeral"}


def unmark(message: dict[str, Any]) -> None:
    message["content"][-1].pop("cache_control")


def test_a_cache_marker_that_moves_along_leaves_the_beginning_alone() -> None:
    history = history_of("anthropic", 20)
    compactor = Compactor(tokens("anthropic", history) // 2, format="anthropic", low_water=0.4)
    before: list[Any] = []
    n_same = 0
    for end in range(3, len(history) + 1, 2):
        if end > 3:
            unmark(history[end - 3])
        mark(history[end - 1])
        after = compactor.compact(history[:end]).messages
        assert set(marked(after)) <= {len(after) - 1}
        n_same += after[: len(before)] == before
        before = after
    assert n_same >= 14


def test_a_marker_that_moves_off_a_result_that_was_cut_does_not_stay_there() -> None:
    history = history_of("anthropic", 1, "\n".join(f"line {n} of the log" for n in range(300)))
    compactor = Compactor(400, format="anthropic", low_water=0.5)
    mark(history[-1])
    first = compactor.compact(history)
    assert first.messages[-1] is not history[-1]
    assert marked(first.messages) == [2]
    unmark(history[-1])
    asks = {"role": "user", "content": [{"type": "text", "text": "go on"}]}
    mark(asks)
    second = compactor.compact([*history, asks])
    assert marked(second.messages) == [3]


def test_what_was_done_to_a_returned_copy_does_not_return() -> None:
    history = history_of("openai-chat", 1, "\n".join(f"line {n} of the log" for n in range(300)))
    compactor = Compactor(400, low_water=0.5)
    first = compactor.compact(history)
    first.messages[-1]["content"] = "overwritten"
    first.messages.clear()
    second = compactor.compact([*history, {"role": "user", "content": "go on"}])
    assert "overwritten" not in repr(second.messages)
    assert len(second.messages) == 5


def test_a_conversation_that_fits_comes_back_as_it_is_and_is_not_remembered() -> None:
    history = history_of("openai-chat", 3)
    compactor = Compactor(ROOM)
    assert are_same(compactor.compact(history).messages, history)
    assert compactor._memory._pasts == []


def test_no_more_conversations_are_remembered_than_asked_for() -> None:
    compactor = Compactor(200, format="openai-chat", low_water=0.5, n_conversations=2)
    histories = [history_of("openai-chat", 4, f"number {n} " * 40) for n in range(5)]
    for history in histories:
        compactor.compact(history)
    asks = {"role": "user", "content": "go on"}
    assert len(compactor._memory._pasts) == 2
    assert [went_on(compactor.compact([*history, asks])) for history in histories[::-1]] == [
        True, True, False, False, False,
    ]  # fmt: skip


def test_the_conversation_that_waited_longest_is_forgotten_first() -> None:
    compactor = Compactor(200, format="openai-chat", low_water=0.5, n_conversations=2)
    first, second, third = (history_of("openai-chat", 4, f"number {n} " * 40) for n in range(3))
    asks = {"role": "user", "content": "go on"}
    compactor.compact(first)
    compactor.compact(second)
    assert went_on(compactor.compact([*first, asks]))
    compactor.compact(third)
    assert went_on(compactor.compact([*first, asks]))
    assert not went_on(compactor.compact([*second, asks]))


def test_a_conversation_takes_one_place_however_often_it_is_compacted() -> None:
    history = history_of("openai-chat", 30)
    compactor = Compactor(400, low_water=0.5)
    for end in range(2, len(history), 2):
        compactor.compact(history[:end])
    assert len(compactor._memory._pasts) == 1


def test_tools_of_a_call_count_beside_those_of_the_settings() -> None:
    history = history_of("openai-chat", 1)
    tools = [{"name": "search", "description": "x" * 396}]
    cost = tokens("openai-chat", history)
    schema = compact([], 10_000).budget - compact([], 10_000, tools=tools).budget
    assert Compactor(cost + schema, tools=tools).compact(history).tokens_after == cost
    assert Compactor(cost + schema).compact(history, tools=tools).tokens_after == cost
    both = Compactor(cost + schema, tools=iter(tools))
    assert both.compact(history).tokens_after == cost
    assert both.compact(history, tools=iter(tools)).tokens_after <= cost - schema


def test_tools_that_come_later_may_have_all_compacted_anew() -> None:
    history = history_of("openai-chat", 8)
    compactor = Compactor(tokens("openai-chat", history) // 2, low_water=0.9)
    compactor.compact(history[:-2])
    tools = [{"name": "search", "description": "x" * 1_000}]
    after = compactor.compact([*history[:-2], history[0]], tools=tools)
    assert not went_on(after)
    assert after.tokens_after <= after.budget < compactor.budget


def test_it_is_told_what_the_agent_is_about_to_do() -> None:
    history = [
        {"role": "user", "content": f"All about {topic}. " * 20}
        for topic in ("bread", "wine", "cheese", "salt", "the rest")
    ]
    policy = RetentionPolicy.no_graph()
    compactor = Compactor(200, policy=policy, keep_first_user=False, n_conversations=0)
    for topic, position in [("wine", 1), ("cheese", 2), ("bread", 0)]:
        kept = compactor.compact(history, f"buy {topic}").messages
        assert history[position] in kept


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"budget": -1}, InvalidBudgetError, "budget must be a whole number of tokens"),
        ({"reserve": 1_001}, InputError, r"reserve \(1001 tokens\) and tools \(0 tokens\) exceed"),
        ({"format": "telegram"}, UnknownFormatError, "there is no format 'telegram'"),
        ({"format": None}, InputTypeError, "format is of the type NoneType"),
        ({"policy": "agent"}, InputTypeError, "policy is of the type str"),
        ({"count_tokens": 4}, InputTypeError, "count_tokens is of the type int"),
        ({"tools": 4}, InputTypeError, "tools is of the type int"),
        ({"tools": "search"}, InputTypeError, "tools is of the type str"),
        ({"pin": 4}, InputTypeError, "pin is of the type int"),
        ({"high_water": 2_000}, InputError, "high_water must lie between 0 and the 1000 tokens"),
        ({"high_water": 0.2, "low_water": 0.3}, InputError, "is above high_water"),
        ({"n_conversations": -1}, InputError, "n_conversations must be a whole number, 0 or more"),
        ({"n_conversations": 1.5}, InputError, "n_conversations must be a whole number, 0 or more"),
        ({"n_conversations": True}, InputError, "n_conversations must be a whole number"),
    ],
)
def test_settings_that_cannot_be_are_refused_at_once(
    options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        Compactor(**{"budget": 1_000, **options})


def test_unknown_settings_and_changes_are_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'highwater'"):
        Compactor(1_000, highwater=0.5)  # type: ignore[call-arg]  # the very thing being tested
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'budget'"):
        Compactor(1_000).budget = 2  # type: ignore[misc]  # the very thing being tested


def test_messages_query_and_tools_are_checked_at_each_call() -> None:
    compactor = Compactor(1_000, format="openai-chat")
    with pytest.raises(InputTypeError, match="messages is of the type str"):
        compactor.compact("hello")
    with pytest.raises(InputTypeError, match="query is of the type int"):
        compactor.compact([], 4)  # type: ignore[arg-type]  # the very thing being tested
    with pytest.raises(InputTypeError, match="tools is of the type str"):
        compactor.compact([], tools="search")
    with pytest.raises(UnreadableMessageError, match=r"messages\[0\] has the role 'bot'"):
        compactor.compact([{"role": "bot", "content": "hello"}])


def test_what_must_stay_and_does_not_fit_is_a_typed_error_at_every_step() -> None:
    compactor = Compactor(20)
    asks = {"role": "user", "content": "x" * 400}
    for _ in range(2):
        with pytest.raises(PinsOverBudgetError, match="but the budget is 20"):
            compactor.compact([asks])
    assert compactor.compact([{"role": "user", "content": "hello"}]).tokens_after == 6


def test_it_shows_its_settings_and_takes_others() -> None:
    compactor = Compactor(1_000, low_water=0.5)
    assert repr(compactor).startswith("Compactor(budget=1000, format='auto', policy=Retention")
    assert "_memory" not in repr(compactor)
    smaller = replace(compactor, budget=500)
    assert (smaller.budget, smaller.low_water) == (500, 0.5)


def test_copies_of_it_have_its_settings_and_memories_of_their_own() -> None:
    history = history_of("openai-chat", 8)
    compactor = Compactor(400, low_water=0.5)
    compactor.compact(history)
    for copy in (deepcopy(compactor), pickle.loads(pickle.dumps(compactor))):
        assert (copy.budget, copy.low_water) == (400, 0.5)
        assert copy._memory._pasts == []
        assert copy.compact(history).messages == compactor.compact(history).messages


def test_many_threads_share_one_compactor_and_each_gets_its_own_messages() -> None:
    compactor = Compactor(300, low_water=0.5, n_conversations=3)

    def converse(number: int) -> int:
        tag, n_same = f"conversation-{number} ", 0
        history = history_of("openai-chat", 12, tag * 8)
        before: list[Any] = []
        own = {id(message) for message in history}
        for end in range(2, len(history) + 1, 2):
            after = compactor.compact(history[:end]).messages
            for message in after[2:]:
                is_own = id(message) in own or "left out" in message["content"]
                assert is_own
                assert (
                    message.get("content") is None
                    or "left out" in message["content"]
                    or (tag in message["content"])
                )
            n_same += are_same(after[: len(before)], before)
            before = after
        return n_same

    with ThreadPoolExecutor(4) as threads:
        same = list(threads.map(converse, range(24)))
    assert len(same) == 24
    assert min(same) >= 3


def test_the_event_loop_goes_on_while_it_compacts() -> None:
    counted_in: set[int] = set()

    def count(text: str) -> int:
        counted_in.add(threading.get_ident())
        time.sleep(0.002)
        return estimate_tokens(text)

    history = history_of("openai-chat", 60)
    compactor = Compactor(1_000, count_tokens=count)
    gaps: list[float] = []

    async def beat() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            gaps.append(time.perf_counter() - before)

    async def main() -> Compaction:
        counted_in.clear()
        heart = asyncio.create_task(beat())
        compaction = await compactor.acompact(history, "find it", tools=[{"name": "search"}])
        heart.cancel()
        return compaction

    compaction = asyncio.run(main())
    assert counted_in
    assert threading.get_ident() not in counted_in
    assert len(gaps) >= 10
    assert compaction.tokens_after <= 1_000
    with_tools = compactor.compact(history, "find it", tools=[{"name": "search"}])
    assert with_tools.messages == compaction.messages


def test_messages_are_taken_before_the_caller_can_add_to_them() -> None:
    taken_in: list[int] = []
    history = history_of("openai-chat", 2)

    def messages() -> Iterator[Any]:
        taken_in.append(threading.get_ident())
        yield from history

    compaction = asyncio.run(Compactor(ROOM).acompact(messages()))
    assert are_same(compaction.messages, history)
    assert taken_in == [threading.get_ident()]


def test_assistants_that_only_talk_are_compacted_too() -> None:
    events: list[Event] = [User("tell me")]
    events += [Assistant(f"part {number} " * 30) for number in range(10)]
    history = RENDERERS["openai-chat"](Conversation(tuple(events)))
    compactor = Compactor(400, low_water=0.3)
    first = compactor.compact(history[:-1])
    second = compactor.compact(history)
    assert are_same(second.messages, [*first.messages, history[-1]])
