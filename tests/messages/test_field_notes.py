"""Each kind of fault seen in the field, in every format that can have it, does not happen here."""

import socket
import warnings
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from langchain_core.messages import AIMessage, FunctionMessage
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
)

from dsgc import RetentionPolicy
from dsgc.errors import EncodingError, PinsOverBudgetError
from dsgc.messages import compact
from tests.messages.conversations import (
    INJECTION,
    Assistant,
    Call,
    Calls,
    Content,
    Conversation,
    Event,
    Result,
    Results,
    Style,
    System,
    User,
)
from tests.messages.renderings import FORMATS, RENDERERS
from tests.messages.validity import CHECKERS

ROOM = 1_000_000
TASK = User("find the order of Alice")

in_each_format = pytest.mark.parametrize("name", FORMATS)
where_system_text_is_a_message = pytest.mark.parametrize(
    "name", ["openai-chat", "openai-responses", "langchain", "pydantic-ai"]
)
where_reasoning_is_a_message = pytest.mark.parametrize(
    "name", [name for name in FORMATS if name != "openai-chat"]
)


def rendered(name: str, *events: Event, style: Style | None = None) -> list[Any]:
    return RENDERERS[name](Conversation(events, style or Style()))


def tokens(name: str, messages: Sequence[Any]) -> int:
    n_tokens: int = compact(messages, ROOM, format=name).tokens_before
    return n_tokens


def text_of(n_tokens: int, word: str = "abc") -> str:
    """Return a text that the default counter takes for so many tokens."""
    return f"{word} " * n_tokens


def pair(serial: int, result: str, argument: str = "", call_id: str = "") -> tuple[Calls, Results]:
    """Return a call with its result."""
    call = Call(call_id or f"call_{serial}", "search", serial, argument)
    return Calls((call,)), Results((Result(call.id, call.name, Content(result)),))


def results(name: str, messages: Sequence[Any]) -> list[str]:
    """Return the texts of the results."""
    found = [atom for atom in CHECKERS[name].atoms(messages) if atom.kind == "result"]
    return ["\n".join(atom.texts) for atom in found]


def assert_same(messages: Sequence[Any], expected: Sequence[Any]) -> None:
    """Assert that these are the very objects expected."""
    assert list(messages) == list(expected)
    assert all(one is other for one, other in zip(messages, expected, strict=True))


@in_each_format
def test_a_result_does_not_stay_without_its_call(name: str) -> None:
    calls, found = pair(1, text_of(5), text_of(40))
    history = rendered(name, User(text_of(5)), calls, found)
    without_call = tokens(name, rendered(name, User(text_of(5)))) + 5
    compaction = compact(history, without_call + 2, format=name)
    assert_same(compaction.messages, history[:1])


def retry(content: str) -> RetryPromptPart:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated, yet in stored histories
        return RetryPromptPart(content, tool_name="search", tool_call_id="c1")


def other_pairs() -> dict[str, tuple[str, list[Any]]]:
    """Return what is called and answered in other ways, with its format."""
    legacy = {"name": "search", "arguments": '{"n": 1}'}
    use = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    action = {"type": "exec", "command": ["ls"], "env": {}}
    shell = {"type": "local_shell_call", "id": "l1", "call_id": "c1", "action": action}
    screenshot = {"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"}
    click = {"type": "click", "button": "left", "x": 1, "y": 1}
    computer = {"type": "computer_call", "id": "cu1", "call_id": "c1", "action": click}
    patch = {"type": "delete_file", "path": "old.txt"}
    ask = {"type": "mcp_approval_request", "id": "a1", "arguments": "{}", "name": "pay"}
    stdout = [{"stdout": "done", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]
    native_call = NativeToolCallPart("web_search", {"query": "x"}, "n1")
    native_return = NativeToolReturnPart("web_search", {"found": "y"}, "n1")
    return {
        "chat, legacy": (
            "openai-chat",
            [
                {"role": "assistant", "content": None, "function_call": legacy},
                {"role": "function", "name": "search", "content": "found"},
            ],
        ),
        "responses, local shell": (
            "openai-responses",
            [
                {**shell, "status": "completed"},
                {"type": "local_shell_call_output", "id": "l1", "output": "done"},
            ],
        ),
        "responses, computer": (
            "openai-responses",
            [
                {**computer, "pending_safety_checks": [], "status": "completed"},
                {"type": "computer_call_output", "call_id": "c1", "output": screenshot},
            ],
        ),
        "responses, shell": (
            "openai-responses",
            [
                {"type": "shell_call", "call_id": "c1", "action": {"commands": ["ls"]}},
                {"type": "shell_call_output", "call_id": "c1", "output": stdout},
            ],
        ),
        "responses, patch": (
            "openai-responses",
            [
                {
                    "type": "apply_patch_call",
                    "call_id": "c1",
                    "operation": patch,
                    "status": "completed",
                },
                {"type": "apply_patch_call_output", "call_id": "c1", "status": "completed"},
            ],
        ),
        "responses, approval": (
            "openai-responses",
            [
                {**ask, "server_label": "bank"},
                {"type": "mcp_approval_response", "approval_request_id": "a1", "approve": True},
            ],
        ),
        "anthropic, server tool": ("anthropic", [{"role": "assistant", "content": [use, found]}]),
        "langchain, legacy": (
            "langchain",
            [
                AIMessage("", additional_kwargs={"function_call": legacy}),
                FunctionMessage(content="found", name="search"),
            ],
        ),
        "pydantic-ai, retry": (
            "pydantic-ai",
            [
                ModelResponse([ToolCallPart("search", {"n": 1}, "c1")]),
                ModelRequest([retry("try again")]),
            ],
        ),
        "pydantic-ai, native tool": (
            "pydantic-ai",
            [
                ModelResponse([native_call, native_return, TextPart("found y")]),
            ],
        ),
    }


@pytest.mark.parametrize("kind", sorted(other_pairs()))
def test_every_other_kind_of_call_stays_or_goes_with_its_result(kind: str) -> None:
    name, messages = other_pairs()[kind]
    task, last = rendered(name, TASK, User("thanks"))
    history = [task, *messages, last]
    whole = compact(history, ROOM, format=name)
    assert_same(whole.messages, history)
    assert list(whole.report.problems) == []
    pins = tokens(name, [task, last])
    compaction = compact(
        history, pins + (whole.tokens_before - pins) // 2, format=name, split_results=False
    )
    assert_same(compaction.messages, [task, last])


@in_each_format
def test_parallel_calls_are_one_unit_and_the_big_result_becomes_a_stub(name: str) -> None:
    calls = Calls((Call("c1", "search", 1), Call("c2", "search", 2)))
    small = Result("c2", "search", Content(text_of(20)))
    big = Result("c1", "search", Content("x" * 20_000))
    short = Result("c1", "search", Content(text_of(25)))
    history = rendered(name, TASK, calls, Results((big, small)))
    budget = tokens(name, rendered(name, TASK, calls, Results((short, small))))
    compaction = compact(history, budget, format=name)
    assert budget < 200
    assert len(compaction.messages) == len(history)
    assert CHECKERS[name].problems(compaction.messages, history) == []
    stub, kept = results(name, compaction.messages)
    assert kept == text_of(20)
    assert len(stub) <= 100
    assert [row.outcome for row in compaction.report.rows] == ["kept", "cut"]


@in_each_format
def test_an_orphan_is_dropped_and_reported_and_the_healthy_pair_stays(name: str) -> None:
    orphan = Results((Result("nowhere", "gone", Content("found")),))
    history = rendered(name, TASK, *pair(1, "order 7"), Assistant("done"), orphan, User("thanks"))
    position = len(history) - 2
    compaction = compact(history, ROOM, format=name)
    assert_same(compaction.messages, [*history[:position], history[-1]])
    (problem,) = compaction.report.problems
    assert problem.kind == "orphan result"
    assert tuple(problem.positions) == (position,)
    assert [row.positions for row in compaction.report.rows if row.outcome == "dropped"] == [
        (position,)
    ]


@in_each_format
def test_a_pending_call_stays_however_old_it_is(name: str) -> None:
    pending = Calls((Call("c9", "approve_payment", 9, "INV-2041"),))
    newer: list[Event] = []
    for number in range(6):
        newer += [User(text_of(30)), *pair(number, text_of(30))]
    history = rendered(name, TASK, pending, *newer, User("go on"))
    least = [*history[:2], history[-1]]
    compaction = compact(history, tokens(name, least) + 10, format=name)
    assert history[1] in compaction.messages
    assert compaction.messages[-1] is history[-1]
    assert CHECKERS[name].problems(compaction.messages, history) == []
    problem = next(found for found in compaction.report.problems)
    assert (problem.kind, tuple(problem.positions)) == ("unanswered call", (1,))


@where_reasoning_is_a_message
def test_reasoning_goes_with_its_call_and_its_result(name: str) -> None:
    calls, found = pair(1, text_of(5), text_of(40))
    thinking = Calls(calls.calls, None, "I should look")
    history = rendered(name, User(text_of(5)), thinking, found, User("thanks"))
    compaction = compact(
        history, tokens(name, [history[0], history[-1]]) + 20, format=name, keep_first_user=True
    )
    assert_same(compaction.messages, [history[0], history[-1]])


@where_system_text_is_a_message
def test_the_system_text_is_never_lost_in_silence(name: str) -> None:
    history = rendered(name, System(text_of(150)), User(text_of(30)))
    with pytest.raises(PinsOverBudgetError, match="but the budget is 120"):
        compact(history, 120, format=name)


@in_each_format
def test_the_original_task_stays_when_asked(name: str) -> None:
    pairs = [pair(number, text_of(100), f"{number}" * 8) for number in range(3)]
    has_system = name not in {"anthropic", "gemini"}
    system = [System("be brief")] if has_system else []
    history = rendered(name, *system, TASK, *pairs[0], *pairs[1], *pairs[2], User("and now?"))
    first = len(system) + 1
    two_pairs = tokens(name, [*history[:first], *history[first + 2 :]])
    compaction = compact(history, two_pairs, format=name, keep_first_user=True, split_results=False)
    task = history[first - 1]
    assert any(message is task for message in compaction.messages)
    assert len(results(name, compaction.messages)) == 2


@in_each_format
def test_what_is_larger_than_the_budget_goes_with_that_reason_and_the_rest_stays(
    name: str,
) -> None:
    history = rendered(
        name, TASK, *pair(1, "order 7"), Assistant(text_of(10_000)), User("thanks"),
        Assistant("welcome"),
    )  # fmt: skip
    compaction = compact(history, 1_000, format=name)
    assert_same(compaction.messages, [*history[:3], *history[4:]])
    evicted = [row for row in compaction.report.rows if row.outcome == "evicted"]
    assert [row.positions for row in evicted] == [(3,)]
    assert "budget" in evicted[0].reason


@where_system_text_is_a_message
def test_pins_over_the_budget_are_named_with_both_numbers(name: str) -> None:
    history = rendered(name, System(text_of(900)), User("hello"))
    with pytest.raises(PinsOverBudgetError, match="but the budget is 500") as caught:
        compact(history, 500, format=name)
    units = {row.id for row in compact(history, ROOM, format=name).report.rows}
    assert set(caught.value.block_ids) == units
    assert (caught.value.cost, caught.value.budget) == (tokens(name, history), 500)


@in_each_format
def test_compacting_three_times_gives_the_same_result_thrice(name: str) -> None:
    history = rendered(name, TASK, *pair(1, "\n\n".join(text_of(40) for _ in range(50))))
    first = compact(history, 300, format=name)
    second = compact(first.messages, 300, format=name)
    third = compact(second.messages, 300, format=name)
    assert first.tokens_after <= 300 < first.tokens_before
    assert_same(second.messages, first.messages)
    assert_same(third.messages, first.messages)


@in_each_format
def test_a_second_pass_under_the_same_budget_evicts_nothing(name: str) -> None:
    events: list[Event] = [TASK]
    for number in range(8):
        events += [*pair(number, text_of(20 + 10 * number)), Assistant(f"found {number}")]
    history = rendered(name, *events, User("sum it up"))
    for budget in range(tokens(name, history), 150, -37):
        first = compact(history, budget, format=name)
        second = compact(first.messages, budget, format=name)
        assert_same(second.messages, first.messages)
        assert {row.outcome for row in second.report.rows} == {"kept"}


@in_each_format
@pytest.mark.parametrize("where", ["user", "argument", "result"])
def test_chinese_text_is_not_counted_as_a_quarter(name: str, where: str) -> None:
    chinese = "备份已锁定" * 80
    events: dict[str, list[Event]] = {
        "user": [User(chinese)],
        "argument": [TASK, *pair(1, "", chinese)],
        "result": [TASK, *pair(1, chinese)],
    }
    assert len(chinese) == 400
    assert tokens(name, rendered(name, *events[where])) >= 300


@in_each_format
def test_nothing_is_asked_of_the_network(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    history = rendered(name, TASK, *pair(1, text_of(500)), User("thanks"))
    assert compact(history, 200, format=name).tokens_after <= 200


@in_each_format
def test_arguments_count(name: str) -> None:
    history = rendered(name, User(""), *pair(1, "", "a" * 10_000))
    assert tokens(name, history) >= 2_500


@in_each_format
def test_room_is_left_for_the_answer(name: str) -> None:
    events: list[Event] = [TASK]
    for number in range(20):
        events += [*pair(number, text_of(950)), User(f"next {number}")]
    history = rendered(name, *events)
    compaction = compact(history, 27_000, format=name, reserve=16_000)
    assert 19_000 <= compaction.tokens_before <= 23_000
    assert 9_000 <= compaction.tokens_after <= 11_000


@in_each_format
def test_empty_texts_and_turns_with_calls_only_are_valid(name: str) -> None:
    history = rendered(name, User(""), *pair(1, ""), Assistant(""), User("go on"))
    for budget in range(10, tokens(name, history) + 1, 5):
        try:
            output = compact(history, budget, format=name).messages
        except PinsOverBudgetError:
            continue
        assert CHECKERS[name].problems(output, history) == []
    assert_same(compact(history, ROOM, format=name).messages, history)


class Vectors:
    """An encoder that knows a vector for each word; the first of them in a text decides."""

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self.vectors = vectors

    def encode(self, texts: Sequence[str]) -> Any:
        rows = [
            next((vector for word, vector in self.vectors.items() if word in text), [0.0, 0.0])
            for text in texts
        ]
        return np.array(rows) if len({len(row) for row in rows}) == 1 else rows


@in_each_format
def test_a_zero_vector_is_like_nothing(name: str) -> None:
    history = rendered(name, TASK, *pair(1, "order 7"), Assistant("welcome"), User("thanks"))
    encoder = Vectors({"order": [1.0, 0.0]})
    compaction = compact(history, tokens(name, history) - 1, "order", format=name, encoder=encoder)
    assert CHECKERS[name].problems(compaction.messages, history) == []


@in_each_format
@pytest.mark.parametrize("bad", [[np.nan, 1.0], [1.0, 0.0, 0.0]], ids=["NaN", "too long"])
def test_a_bad_vector_is_an_error(name: str, bad: list[float]) -> None:
    history = rendered(name, TASK, *pair(1, "order 7"), Assistant("welcome"), User("thanks"))
    encoder = Vectors({"welcome": bad, "order": [1.0, 0.0]})
    with pytest.raises(EncodingError, match="embedding"):
        compact(history, tokens(name, history) - 1, format=name, encoder=encoder)


@in_each_format
@pytest.mark.parametrize(
    ("policy", "noise_is_newer"),
    [
        (RetentionPolicy.agent(), False),
        (RetentionPolicy.dsgc(), False),
        (RetentionPolicy.dsgc(), True),
        (RetentionPolicy.chain_safe(), True),
    ],
    ids=["agent", "dsgc", "dsgc, newer noise", "chain_safe, newer noise"],
)
def test_what_a_relevant_call_needs_stays_though_it_looks_like_nothing_asked(
    name: str, policy: RetentionPolicy, noise_is_newer: bool
) -> None:
    needed = pair(1, "the account is ACC-7719-QX of Bob", "Bob")
    noise: list[Event] = []
    for number in (2, 3, 4):
        noise += pair(number, f"noise number {number} about it", f"n{number}")
    relevant = pair(5, "refund granted", "ACC-7719-QX")
    first = [*needed, *noise] if noise_is_newer else [*noise, *needed]
    history = rendered(name, User("hello"), *first, *relevant, User("refund, please"))
    start = 1 if noise_is_newer else 7
    least = [history[0], *history[start : start + 2], *history[9:]]
    encoder = Vectors({"refund": [1.0, 0.0], "noise": [0.3, 0.954], "account": [0.0, 0.0]})
    options: dict[str, Any] = {"policy": policy, "encoder": encoder, "split_results": False}
    output = compact(history, tokens(name, least) + 3, format=name, **options).messages
    assert_same(output, least)


@in_each_format
def test_a_value_that_goes_round_in_circles_is_no_error(name: str) -> None:
    echo = pair(1, "path /var/log/app-2041.log is /var/log/app-2041.log", "/var/log/app-2041.log")
    back = pair(2, "/var/log/app-2041.log again", "/var/log/app-2041.log")
    history = rendered(name, User("/var/log/app-2041.log"), *echo, *back, User("thanks"))
    for budget in (tokens(name, history), tokens(name, history) - 1):
        output = compact(history, budget, format=name).messages
        assert CHECKERS[name].problems(output, history) == []


@in_each_format
def test_everything_that_went_has_a_reason_and_the_input_is_as_it_was(name: str) -> None:
    events: list[Event] = [TASK]
    for number in range(5):
        events += [*pair(number, text_of(100)), Assistant(text_of(20))]
    history = rendered(name, *events, User("thanks"))
    before = deepcopy(history)
    compaction = compact(history, 200, format=name)
    assert history == before
    kept = {id(message) for message in compaction.messages}
    gone = {index for index, message in enumerate(history) if id(message) not in kept}
    explained = {
        position
        for row in compaction.report.rows
        if row.outcome != "kept" and row.reason
        for position in row.positions
    }
    assert gone
    assert gone <= explained


@in_each_format
@pytest.mark.parametrize(
    "result",
    [
        INJECTION + "x" * 20_000,
        f"{INJECTION}.\n" * 500,
        f'[{{"note": "{INJECTION}"}}, {[1] * 9_000}]',
    ],
    ids=["one line", "lines", "JSON"],
)
def test_a_stub_quotes_nothing(name: str, result: str) -> None:
    history = rendered(name, TASK, *pair(1, result), User("thanks"))
    short = rendered(name, TASK, *pair(1, text_of(25)), User("thanks"))
    compaction = compact(history, tokens(name, short), format=name)
    (stub,) = results(name, compaction.messages)
    assert stub
    assert "ignore" not in stub
    assert "mallory" not in stub
