"""Making a conversation fit a budget, with each option and each way to be refused."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dsgc import Block, RetentionPolicy
from dsgc.errors import (
    EncodingError,
    InputError,
    InputTypeError,
    InvalidBudgetError,
    InvalidCostError,
    PinsOverBudgetError,
    UnknownFormatError,
    UnreadableMessageError,
)
from dsgc.messages import Compaction, InducedEdge, Problem, compact, estimate_tokens

BY_SIMILARITY = RetentionPolicy.no_graph()
LINES = [f"line {n}{' word' * 23}\n" for n in range(4)]  # parts of 25 words each


def words(text: str) -> int:
    return len(text.split())


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def turn(arguments: str, result: str, key: str = "c1") -> list[dict[str, Any]]:
    call = {"id": key, "type": "function", "function": {"name": "look", "arguments": arguments}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": key, "content": result},
    ]


def compacted(
    messages: Sequence[Any], budget: int, query: str = "key", **options: Any
) -> Compaction:
    """Compact by similarity and in words, unless options say otherwise."""
    return compact(
        messages, budget, query, **{"policy": BY_SIMILARITY, "count_tokens": words, **options}
    )


def numbers(compaction: Compaction, messages: Sequence[Any]) -> list[int]:
    """Return which of the messages given are left, as the very objects."""
    place = {id(message): number for number, message in enumerate(messages)}
    return [place[id(message)] for message in compaction.messages]


# A task, three remarks of which one is like the query, and a question: 2, 3, 4, 3 and 2 words.
CHAT = [user("the task"), said("no key here"), said("a b c d"), said("e f g"), user("go on")]


def test_the_example_of_the_docstring() -> None:
    compaction = compact(
        [
            user("Read a.txt"),
            *turn('{"path": "a.txt"}', "nothing of note " * 20),
            user("Thanks. What is the capital of France?"),
        ],
        budget=50,
    )
    assert [message["role"] for message in compaction.messages] == [
        "user",
        "assistant",
        "tool",
        "user",
    ]
    assert compaction.messages[2]["content"] == "[left out: 80 tokens]"
    assert (compaction.tokens_before, compaction.tokens_after) == (115, 41)


def test_a_conversation_that_fits_comes_back_as_it_is() -> None:
    compaction = compacted(CHAT, 14)
    assert numbers(compaction, CHAT) == [0, 1, 2, 3, 4]
    assert compaction.messages is not CHAT
    assert (compaction.tokens_before, compaction.tokens_after, compaction.budget) == (14, 14, 14)
    assert {row.reason for row in compaction.report.rows} == {"everything fits"}


def test_a_conversation_that_does_not_is_cut_down_to_what_is_like_the_query() -> None:
    compaction = compacted(CHAT, 13)
    assert numbers(compaction, CHAT) == [0, 1, 2, 4]
    assert (compaction.tokens_before, compaction.tokens_after, compaction.budget) == (14, 11, 13)


def test_no_messages_are_a_conversation_too() -> None:
    compaction = compact([], 0)
    assert (compaction.messages, compaction.tokens_before, compaction.tokens_after) == ([], 0, 0)
    assert compaction.retention.kept == ()


def test_messages_may_come_in_any_iterable_and_the_result_is_a_list() -> None:
    for given in (tuple(CHAT), iter(CHAT), (message for message in CHAT)):
        assert compacted(given, 13).messages == [CHAT[0], CHAT[1], CHAT[2], CHAT[4]]  # type: ignore[arg-type]


def test_what_is_broken_goes_also_where_everything_fits() -> None:
    orphan = {"role": "tool", "tool_call_id": "c7", "content": "one two"}
    compaction = compacted([orphan, *CHAT], 99)
    assert compaction.messages == CHAT
    assert (compaction.tokens_before, compaction.tokens_after) == (16, 14)
    assert compaction.report.problems == (
        Problem(
            "orphan result",
            (0,),
            "messages[0] holds a result without a call before it that still waits for "
            "one. It was left out: no model accepts it.",
        ),
    )


def test_the_latest_user_message_is_the_query_unless_one_is_given() -> None:
    messages = [said("the blue lamp"), said("the red chair"), user("which lamp?")]
    ask: dict[str, Any] = {"policy": BY_SIMILARITY, "count_tokens": words}
    assert numbers(compact(messages, 5, **ask), messages) == [0, 2]
    assert numbers(compact(messages, 5, "which chair?", **ask), messages) == [1, 2]


def test_without_a_user_message_nothing_is_asked() -> None:
    messages = [said("one two"), said("three four")]
    compaction = compact(messages, 2, policy=BY_SIMILARITY, count_tokens=words)
    assert numbers(compaction, messages) == [0]
    assert compaction.retention.records["m0"].similarity == 0.0


def test_the_reserve_and_the_tools_are_taken_off_the_budget() -> None:
    tools = [{"name": "look", "description": "see"}]
    price = words(json.dumps(tools[0]))
    assert price == 4
    for options in ({"reserve": 4}, {"tools": tools}, {"tools": iter(tools)}):
        compaction = compacted(CHAT, 17, **options)
        assert (compaction.budget, compaction.tokens_after) == (13, 11)
    assert compacted(CHAT, 18, reserve=4).tokens_after == 14
    assert compacted(CHAT, 17, reserve=2, tools=tools).budget == 11


def test_the_first_user_message_stays_by_default_if_it_fits_beside_what_must() -> None:
    assert numbers(compacted(CHAT, 4), CHAT) == [0, 4]
    assert numbers(compacted(CHAT, 3), CHAT) == [4]


def test_the_first_user_message_must_stay_where_that_is_asked_for() -> None:
    assert numbers(compacted(CHAT, 4, keep_first_user=True), CHAT) == [0, 4]
    message = "pinned blocks 'm0', 'm4' cost 4 tokens, but the budget is 3"
    with pytest.raises(PinsOverBudgetError, match=message):
        compacted(CHAT, 3, keep_first_user=True)


def test_the_first_user_message_competes_like_any_other_where_that_is_asked_for() -> None:
    assert numbers(compacted(CHAT, 5, keep_first_user=False), CHAT) == [1, 4]
    assert numbers(compacted(CHAT, 4, keep_first_user=False), CHAT) == [0, 4]


def test_what_is_pinned_stays_with_its_unit_and_is_not_cut() -> None:
    messages = [*turn("{}", "".join(LINES)), said("no key here"), user("go on")]
    assert compacted(messages, 104).tokens_after < 104
    by_result = compacted(messages, 104, pin=lambda message: message["role"] == "tool")
    by_call = compacted(messages, 104, pin=lambda message: message.get("tool_calls"))
    assert numbers(by_result, messages) == numbers(by_call, messages) == [0, 1, 3]


def test_pins_that_do_not_fit_are_an_error() -> None:
    message = "'m0', 'm3', 'm4' cost 7 tokens, but the budget is 6. Unpin or shorten some, or raise"
    with pytest.raises(PinsOverBudgetError, match=message) as caught:
        compacted(CHAT, 6, keep_first_user=True, pin=lambda message: message is CHAT[3])
    assert (caught.value.cost, caught.value.budget) == (7, 6)
    assert caught.value.block_ids == ("m0", "m3", "m4")


def test_a_system_message_that_does_not_fit_is_an_error() -> None:
    messages = [{"role": "system", "content": "be brief"}, user("go on")]
    with pytest.raises(PinsOverBudgetError, match="'m0', 'm1' cost 4 tokens, but the budget is 3"):
        compacted(messages, 3)


def test_a_call_that_waits_stays_and_is_reported() -> None:
    waiting = turn("{}", "")[0]
    messages = [waiting, *CHAT]
    compaction = compacted(messages, 4, keep_first_user=False)
    assert numbers(compaction, messages) == [0, 5]
    assert [problem.kind for problem in compaction.report.problems] == ["unanswered call"]


@pytest.mark.parametrize("high", [10, 10.0, np.int64(10), 0.5, np.float64(0.5)])
def test_compaction_sets_in_once_the_high_mark_is_passed(high: float) -> None:
    passed = compacted(CHAT, 20, high_water=high)
    assert (numbers(passed, CHAT), passed.budget) == ([0, 1, 3, 4], 20)
    assert compacted(CHAT[1:4], 20, high_water=high).messages == CHAT[1:4]


@pytest.mark.parametrize("low", [8, 8.0, 0.4])
def test_once_it_sets_in_it_goes_down_to_the_low_mark(low: float) -> None:
    compaction = compacted(CHAT, 20, high_water=13, low_water=low)
    assert (compaction.tokens_after, compaction.budget) == (7, 20)
    assert numbers(compaction, CHAT) == [0, 1, 4]
    assert compacted(CHAT, 20, high_water=14, low_water=low).tokens_after == 14


def test_a_low_mark_below_what_must_stay_leaves_just_that() -> None:
    assert numbers(compacted(CHAT, 13, low_water=0), CHAT) == [0, 4]
    assert numbers(compacted(CHAT, 13, low_water=0, keep_first_user=False), CHAT) == [4]


def test_marks_are_of_what_reserve_and_tools_leave() -> None:
    assert compacted(CHAT, 30, reserve=2, high_water=0.5).tokens_after == 14
    assert compacted(CHAT, 30, reserve=4, high_water=0.5).tokens_after == 11


HISTORY = [*turn('{"id": "a"}', "".join(LINES)), said("no line 2 here"), user("go on")]


def test_long_results_are_cut_unless_that_is_not_wished() -> None:
    cut = compacted(HISTORY, 47, "line 2")
    assert cut.messages[1]["content"] == (
        f"[left out: 50 tokens]\n{LINES[2]}[left out: 25 tokens]\n"
    )
    assert cut.tokens_after == 42
    whole = compacted(HISTORY, 47, "line 2", split_results=False)
    assert numbers(whole, HISTORY) == [2, 3]


IMAGE = {"type": "base64", "media_type": "image/png", "data": "AAAA" * 999}
SNAP = {"type": "tool_use", "id": "t1", "name": "snap", "input": {}}
SNAPPED = {
    "type": "tool_result",
    "tool_use_id": "t1",
    "content": [{"type": "image", "source": IMAGE}],
}
PHOTO: list[dict[str, Any]] = [
    user("the task"),
    {"role": "assistant", "content": [SNAP]},
    {"role": "user", "content": [SNAPPED]},
    said("I see."),
    user("go on"),
]


def test_an_image_that_is_too_large_is_left_out_of_its_result_which_stays_with_its_call() -> None:
    enough = 2 + 2 + 4 + 2 + 2  # the mark that stands for the image is four words
    compaction = compacted(PHOTO, enough, format="anthropic")
    assert numbers(compacted(PHOTO, enough - 3, format="anthropic"), PHOTO) == [0, 3, 4]
    assert compaction.tokens_after == enough
    assert compaction.messages[1] is PHOTO[1]
    (result,) = compaction.messages[2]["content"]
    ((kind, text),) = [(part["type"], part["text"]) for part in result["content"]]
    assert (result["tool_use_id"], kind) == ("t1", "text")
    assert text.startswith("[left out: ")
    assert [row.outcome for row in compaction.report.rows] == ["kept", "cut", "kept", "kept"]
    assert PHOTO[2]["content"][0]["content"][0]["source"] is IMAGE


UNREAD = [user("the task"), said("no key here"), *turn("{}", "".join(LINES))]


@pytest.mark.parametrize("keep_first_user", [None, False, True])
def test_results_that_no_model_has_read_stay_and_are_cut(keep_first_user: bool | None) -> None:
    enough = 2 + 2 + 4  # the task, the call and a mark, rather than what is like the query
    compaction = compacted(UNREAD, enough, keep_first_user=keep_first_user)
    assert [message["role"] for message in compaction.messages] == ["user", "assistant", "tool"]
    assert compaction.messages[2]["content"] == "[left out: 100 tokens]"
    less = compacted(UNREAD, enough - 1, keep_first_user=keep_first_user)
    assert numbers(less, UNREAD) == [0, 1]


def test_results_that_a_model_has_read_compete_like_any_other() -> None:
    read = [*UNREAD, said("so")]
    assert numbers(compacted(read, 8), read) == [0, 1, 4]


def test_where_results_are_not_cut_unread_ones_compete_too() -> None:
    assert numbers(compacted(UNREAD, 106, split_results=False), UNREAD) == [0, 1]
    assert numbers(compacted(UNREAD, 107, split_results=False), UNREAD) == [0, 1, 2, 3]


def test_a_larger_budget_never_loses_a_call_and_what_is_left_of_its_result() -> None:
    pair = turn("{}", json.dumps([{"note": "x"}, [1] * 9_000]))
    pair[0]["tool_calls"][0]["function"]["name"] = "f"
    messages = [user("hi"), *pair, user("thanks")]
    assert numbers(compact(messages, 28), messages) == [0, 3]
    for budget in (*range(29, 45), 100, 1_000, 4_000, 6_770):
        compaction = compact(messages, budget)
        roles = [message["role"] for message in compaction.messages]
        assert roles == ["user", "assistant", "tool", "user"], budget
        assert compaction.tokens_after <= budget


def test_the_retention_is_about_units_and_the_parts_of_results() -> None:
    retention = compacted(HISTORY, 47, "line 2").retention
    ids = [record.id for record in retention.records]
    assert ids == ["m0", "m0#1", "m0#2", "m0#3", "m0#4", "m2", "m3"]
    assert retention.kept_ids == ("m0", "m0#3", "m2", "m3")
    assert [record.cost for record in retention.records] == [7, 25, 25, 25, 25, 4, 2]
    assert retention.kept[2] == Block("m2", "no line 2 here", 4)
    assert (retention.used, retention.budget) == (7 + 25 + 4 + 2, 47)


def test_where_everything_fits_the_retention_keeps_all_whatever_the_policy() -> None:
    messages = [user("yes"), said("what?"), user("yes")]
    for policy in (RetentionPolicy.chain_safe(), RetentionPolicy.agent(), BY_SIMILARITY):
        retention = compacted(messages, 3, policy=policy).retention
        assert retention.kept_ids == ("m0", "m1", "m2")
        assert retention.evicted == ()


def test_where_everything_fits_by_the_high_mark_results_are_not_split() -> None:
    retention = compacted(HISTORY, 200, high_water=150).retention
    assert retention.kept_ids == ("m0", "m2", "m3")
    assert retention.budget == 200


def test_edges_are_reported_where_something_had_to_go() -> None:
    messages = [
        user("Where is #W2378156?"),
        *turn('{"order": "#W2378156"}', "late"),
        said("one two three"),
        user("And now?"),
    ]
    assert compacted(messages, 11).report.edges == (
        InducedEdge("m1", "m0", "#W2378156", "order", "look"),
    )
    assert compacted(messages, 99).report.edges == ()


def test_the_policy_says_what_is_valued() -> None:
    window = compacted(CHAT, 7, policy=RetentionPolicy.sliding_window())
    assert numbers(window, CHAT) == [0, 3, 4]
    assert window.retention.policy == RetentionPolicy.sliding_window()
    chosen = compacted(CHAT, 7)
    assert numbers(chosen, CHAT) == [0, 1, 4]


def test_the_default_policy_is_that_for_agents() -> None:
    retention = compact(CHAT, 25, count_tokens=estimate_tokens).retention
    assert retention.policy == RetentionPolicy.agent()


class ByLetter:
    """An encoder of two directions: texts with the letter f, and others."""

    def __init__(self, rows: Callable[[int], int] = lambda n: n) -> None:
        self.rows = rows

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        found = [[1.0, 0.0] if "f" in text else [0.0, 1.0] for text in texts]
        return np.array(found[: self.rows(len(found))]).reshape(-1, 2)


def test_the_encoder_says_what_is_alike() -> None:
    assert numbers(compacted(CHAT, 7, "f", encoder=ByLetter()), CHAT) == [0, 3, 4]


def test_an_encoder_of_too_few_rows_is_an_error() -> None:
    with pytest.raises(EncodingError, match=r"the encoder returned .* for "):
        compacted(CHAT, 7, encoder=ByLetter(lambda n: n - 1))


class Framed:
    framing = 3

    def __call__(self, text: str) -> int:
        return words(text)


def test_the_framing_of_a_counter_is_added_for_each_message() -> None:
    compaction = compacted(CHAT, 28, count_tokens=Framed())
    assert (compaction.tokens_before, compaction.tokens_after) == (14 + 5 * 3, 11 + 4 * 3)
    assert compact(CHAT, 99).tokens_before == sum(
        estimate_tokens(message["content"]) + 4 for message in CHAT
    )


def test_the_format_may_be_named() -> None:
    assert compacted(CHAT, 14, format="anthropic").messages == CHAT
    assert compacted(CHAT, 14, format="openai-chat").messages == CHAT


def test_the_same_call_gives_the_same_result() -> None:
    first, second = compacted(HISTORY, 47, "line 2"), compacted(HISTORY, 47, "line 2")
    assert first.messages == second.messages
    assert first.to_dict() == second.to_dict()


DEEP = "[" * 10_000 + '"word"' + "]" * 10_000


@pytest.mark.parametrize(
    "result",
    [
        DEEP,
        "[" * 300 + json.dumps(" ".join(LINES)) + "]" * 300,
        '{"a": ' * 170 + json.dumps(" ".join(LINES)) + "}" * 170,
        "[" + "9" * 5_000 + ", 1e400" * 60 + "]",
        json.dumps(["\ud83d \ude00"] * 60),
        "\ud83d word " * 60,
        "\x00\u2028\r\n" * 400,
    ],
    ids=["too deep", "deep arrays", "deep objects", "numbers", "halves", "half", "controls"],
)
@pytest.mark.parametrize("budget", [10, 30, 60])
def test_a_result_that_is_hard_to_read_is_cut_like_any_other(result: str, budget: int) -> None:
    messages = [user("word"), *turn("{}", result), user("go on")]
    compaction = compacted(messages, budget, count_tokens=estimate_tokens)
    assert compaction.tokens_after <= budget < compaction.tokens_before
    for message in compaction.messages:
        json.dumps(message)


def test_arguments_that_are_hard_to_read_do_no_harm() -> None:
    messages = [user("word"), *turn(DEEP, "late"), *turn("9" * 5_000, "late", "c2"), user("go on")]
    assert numbers(compacted(messages, 3), messages) == [0, 5]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"budget": -1}, InvalidBudgetError, "budget must be a whole number of tokens, 0 or more"),
        ({"budget": "8k"}, InvalidBudgetError, "0 or more, got '8k'. Round it down with int()"),
        ({"reserve": 1.5}, InputError, r"reserve must be a whole number .*, got 1\.5"),
        (
            {"reserve": 21},
            InputError,
            r"reserve \(21 tokens\) and tools \(0 tokens\) exceed the bu",
        ),
        ({"high_water": 1.5}, InputError, "high_water must lie between 0 and the 20 tokens there"),
        ({"low_water": -1}, InputError, "low_water must lie between 0 and the 20 tokens there"),
        ({"high_water": 0.2, "low_water": 0.5}, InputError, r"low_water \(10 tokens\) is above hi"),
        ({"high_water": "half"}, InputTypeError, "high_water is of the type str. Give a share of"),
        ({"tools": "look"}, InputTypeError, "tools is of the type str. Give a list of tool schem"),
        ({"query": 7}, InputTypeError, "query is of the type int. Say in words, as a str, what"),
        ({"policy": "agent"}, InputTypeError, "policy is of the type str. Give a RetentionPolicy"),
        ({"count_tokens": 4}, InputTypeError, "count_tokens is of the type int. Give a function"),
        ({"pin": "system"}, InputTypeError, "pin is of the type str. Give a function from a messa"),
        ({"format": 3}, InputTypeError, "format is of the type int. Give its name, a str."),
        ({"format": "openai"}, UnknownFormatError, "there is no format 'openai'. Known formats: "),
        ({"messages": "hello"}, InputTypeError, "messages is of the type str. Give a list of mes"),
        ({"messages": CHAT[0]}, InputTypeError, "messages is of the type dict. Give a list of me"),
        ({"messages": None}, InputTypeError, "messages is of the type NoneType. Give a list of"),
        (
            {"messages": [3]},
            UnreadableMessageError,
            r"messages\[0\] .*, so it cannot be read as op",
        ),
        (
            {"messages": [*CHAT, {"role": "robot", "content": "x"}]},
            UnreadableMessageError,
            r"messages\[5\] .*'robot'.*, so it cannot be read as openai-chat\. Correct the messag",
        ),
        (
            {"count_tokens": lambda _text: -1},
            InvalidCostError,
            "the cost of block 'a text of 8 characters' must be a whole number of .*, got -1",
        ),
        (
            {"count_tokens": lambda _text: 0.5},
            InvalidCostError,
            r"got 0\.5\. Correct its `cost`, or what `count_tokens` returns for its text",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        compact(**{"messages": CHAT, "budget": 20, **options})


def test_a_framing_that_is_no_number_of_tokens_is_refused() -> None:
    def count(text: str) -> int:
        return words(text)

    count.framing = -1  # type: ignore[attr-defined]  # a function can have attributes
    with pytest.raises(InvalidCostError, match="the cost of block 'framing' must be a whole numb"):
        compact(CHAT, 20, count_tokens=count)


def test_what_a_caller_gets_wrong_is_refused_also_where_everything_fits() -> None:
    with pytest.raises(InputTypeError, match="pin is of the type int"):
        compact(CHAT, 999, pin=7)  # type: ignore[arg-type]  # the very thing being tested
    with pytest.raises(InputTypeError, match="policy is of the type NoneType"):
        compact([], 999, policy=None)  # type: ignore[arg-type]  # the very thing being tested


def test_what_fits_once_its_orphans_are_gone_is_left_whole() -> None:
    said = [{"role": "user", "content": "word " * 40}, {"role": "user", "content": "go on"}]
    orphan = {"role": "tool", "tool_call_id": "lost", "content": "word " * 40}
    enough = compact(said, 1_000).tokens_before
    compaction = compact([said[0], orphan, said[1]], enough)
    assert compaction.messages == said
    assert [row.outcome for row in compaction.report.rows] == ["kept", "dropped", "kept"]


@pytest.mark.parametrize("option", ["split_results", "keep_first_user"])
def test_a_choice_that_is_neither_true_nor_false_is_refused(option: str) -> None:
    wrong: dict[str, Any] = {option: "yes"}
    with pytest.raises(InputTypeError, match=f"{option} is of the type str. Give True or False"):
        compact([{"role": "user", "content": "hi"}], 100, **wrong)
