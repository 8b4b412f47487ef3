"""The checker finds each fault on the smallest history that has it, and none on a healthy one."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ThinkingPart, ToolReturnPart

from tests.messages.conversations import (
    Assistant,
    Call,
    Calls,
    Content,
    Conversation,
    Event,
    Result,
    Results,
    Style,
    User,
    conversations,
)
from tests.messages.renderings import FORMATS, RENDERERS
from tests.messages.validity import CHECKERS
from tests.messages.validity._rules import is_json_container, is_stub

ASK = User("find the order of Alice")
FIRST = Call("call_0", "search", 0, "Alice")
SECOND = Call("call_1", "read_file", 1, "orders")
FOUND = Result("call_0", "search", Content("order INV-2041"))
READ = Result("call_1", "read_file", Content("one order"))
SAY = Assistant("Alice has one order")

with_each_format = pytest.mark.parametrize("name", FORMATS)
user_begins = pytest.mark.parametrize("name", ["anthropic", "gemini", "langchain", "pydantic-ai"])
one_message_a_turn = pytest.mark.parametrize(
    "name", ["openai-chat", "anthropic", "gemini", "langchain", "pydantic-ai"]
)


def rendered(name: str, *events: Event, style: Style | None = None) -> list[Any]:
    return RENDERERS[name](Conversation(events, style or Style()))


def problems(name: str, after: list[Any], before: list[Any] | None = None) -> list[str]:
    return CHECKERS[name].problems(after, before)


@with_each_format
def test_a_history_where_each_call_has_its_result_is_valid(name: str) -> None:
    turn = Calls((FIRST, SECOND), "let me look", "two things to find")
    healthy = rendered(name, ASK, turn, Results((READ, FOUND)), SAY)
    assert problems(name, healthy) == []
    assert problems(name, healthy, healthy) == []


@with_each_format
def test_an_empty_history_is_valid(name: str) -> None:
    assert problems(name, []) == []
    assert problems(name, [], rendered(name, ASK, SAY)) == []


@with_each_format
def test_a_late_result_and_an_id_that_recurs_are_valid(name: str) -> None:
    again = Call("call_0", "search", 2, "Bob")
    history = rendered(
        name, ASK, Calls((FIRST,)), User("wait"), Results((FOUND,)), Calls((again,)),
        Results((FOUND,)),
    )  # fmt: skip
    assert problems(name, history, history) == []


@with_each_format
@given(conversation=conversations(broken=False))
def test_every_healthy_conversation_is_valid(name: str, conversation: Conversation) -> None:
    messages = RENDERERS[name](conversation)
    found = [problem for problem in problems(name, messages) if "empty text" not in problem]
    assert found == []


@with_each_format
@given(conversation=conversations())
def test_what_was_so_before_is_excused_but_for_orphans(
    name: str, conversation: Conversation
) -> None:
    messages = RENDERERS[name](conversation)
    found = problems(name, messages, messages)
    assert [problem for problem in found if not problem.startswith("no call for")] == []


@with_each_format
def test_a_result_without_its_call_is_found_even_when_it_was_so_before(name: str) -> None:
    orphan = rendered(name, ASK, Results((FOUND,)), SAY)
    for before in (None, orphan):
        found = problems(name, orphan, before)
        assert len(found) == 1
        assert found[0].startswith("no call for result")


@with_each_format
def test_a_result_before_its_call_does_not_answer_it(name: str) -> None:
    found = problems(name, rendered(name, ASK, Results((FOUND,)), Calls((FIRST,))))
    assert [problem.split(" for ")[0] for problem in found] == ["no call", "no result"]


@with_each_format
def test_a_second_result_answers_nothing(name: str) -> None:
    twice = rendered(name, ASK, Calls((FIRST,)), Results((FOUND,)), Results((FOUND,)))
    found = problems(name, twice)
    assert [problem.split(" for ")[0] for problem in found] == ["no call"]


@with_each_format
def test_an_unanswered_call_is_found_unless_it_was_pending_before(name: str) -> None:
    pending = rendered(name, ASK, Calls((FIRST,)))
    answered = [*pending, *rendered(name, ASK, Calls((FIRST,)), Results((FOUND,)))[2:]]
    assert [problem.split(" for ")[0] for problem in problems(name, pending)] == ["no result"]
    assert problems(name, pending, pending) == []
    found = problems(name, pending, answered)
    assert [problem.split(" for ")[0] for problem in found] == ["no result"]


@with_each_format
def test_a_pending_call_that_is_gone_is_found(name: str) -> None:
    before = rendered(name, ASK, Calls((FIRST,)))
    found = problems(name, before[:1], before)
    assert len(found) == 1
    assert found[0].startswith("pending call")
    assert found[0].endswith("is gone or answered")


@with_each_format
def test_a_result_that_now_answers_another_call_of_its_id_is_found(name: str) -> None:
    again = Call("call_0", "search", 1, "Bob")
    before = rendered(name, ASK, Calls((FIRST,)), Calls((again,)), Results((FOUND,)))
    after = [before[0], before[1], before[3]]
    found = problems(name, after, before)
    assert [problem.split(" ")[0] for problem in found] == ["pending"]


@user_begins
def test_a_history_that_the_assistant_begins_is_found_unless_it_did_before(name: str) -> None:
    before = rendered(name, ASK, SAY, User("thanks"))
    after = before[1:]
    assert problems(name, after) == ["the history does not begin with the user"]
    assert problems(name, after, before) == ["the history does not begin with the user"]
    assert problems(name, after, after) == []


@pytest.mark.parametrize("name", ["openai-chat", "openai-responses"])
def test_the_assistant_may_begin_with_openai(name: str) -> None:
    assert problems(name, rendered(name, SAY, ASK)) == []


def test_system_text_before_the_user_is_no_beginning() -> None:
    assert problems("langchain", [SystemMessage("be brief"), HumanMessage("hello")]) == []


@one_message_a_turn
def test_a_turn_that_lost_one_of_its_calls_is_found(name: str) -> None:
    before = rendered(name, ASK, Calls((FIRST, SECOND)), Results((FOUND, READ)))
    after = rendered(name, ASK, Calls((FIRST,)), Results((FOUND,)))
    found = problems(name, after, before)
    assert len(found) == 1
    assert found[0].startswith("a turn is no longer whole")


@pytest.mark.parametrize("name", ["anthropic", "gemini", "langchain", "pydantic-ai"])
def test_a_turn_that_lost_its_reasoning_is_found(name: str) -> None:
    before = rendered(name, ASK, Calls((FIRST,), None, "think"), Results((FOUND,)))
    after = rendered(name, ASK, Calls((FIRST,)), Results((FOUND,)))
    assert len(problems(name, after, before)) == 1
    assert len(problems(name, before, after)) == 1


@with_each_format
@pytest.mark.parametrize(
    ("text", "is_valid"),
    [
        ('[{"id": 1}]', True),
        ('{"cut": true}', True),
        ("[left out]", True),
        ('[{"id": 1}, ', False),
        ('[{"id": 1, "body": "0123456789 0123456789"}, ', False),
        ("word " * 60, False),
    ],
    ids=["records", "object", "stub", "broken", "broken and long", "no JSON"],
)
def test_json_that_was_cut_is_json_or_a_stub(name: str, text: str, is_valid: bool) -> None:
    source = '[{"id": 1, "body": "0123456789 0123456789"}, {"id": 2}]'
    if text == '[{"id": 1}, ':
        text = source[:25]
    calls = Calls((FIRST,))
    before, after = (
        rendered(name, ASK, calls, Results((Result("call_0", "search", Content(content)),)))
        for content in (source, text)
    )
    found = problems(name, after, before)
    assert [problem.split(":")[0] for problem in found] == (
        [] if is_valid else ["cut JSON is no JSON any more"]
    )
    assert problems(name, before, before) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", True),
        ('{"a": 1, "a": 1e400}', True),
        ("[NaN]", False),
        ("1", False),
        ("", False),
        ('["open', False),
    ],
)
def test_json_is_an_object_or_an_array_without_python_constants(text: str, expected: bool) -> None:
    assert is_json_container(text) is expected


def test_a_stub_is_short_and_repeats_no_twenty_characters() -> None:
    source = "0123456789 0123456789 0123456789"
    assert is_stub("[12 tokens left out]", [source])
    assert is_stub(source[:19], [source])
    assert not is_stub(source[:20], [source])
    assert not is_stub("x" * 200, [source])


# What only one format can get wrong.


def test_chat_finds_messages_without_content() -> None:
    call = rendered("openai-chat", ASK, Calls((FIRST,)))[1]
    assert problems("openai-chat", [{"role": "user", "content": []}]) == [
        "a user message has an empty list of parts"
    ]
    assert problems("openai-chat", [{"role": "assistant", "content": None}]) == [
        "a assistant message has no content"
    ]
    assert problems("openai-chat", [{"role": "assistant", "content": "hi", "tool_calls": []}]) == [
        "an assistant message has an empty list of calls"
    ]
    assert problems("openai-chat", [call], [call]) == []


def test_chat_matches_a_legacy_function_call_by_name() -> None:
    call = {"role": "assistant", "function_call": {"name": "search", "arguments": "{}"}}
    result = {"role": "function", "name": "search", "content": "found"}
    assert problems("openai-chat", [call, result]) == []
    assert len(problems("openai-chat", [call, {**result, "name": "read"}])) == 2


def test_responses_finds_reasoning_apart_from_its_item() -> None:
    name = "openai-responses"
    before = rendered(name, ASK, Calls((FIRST,), None, "think"), Results((FOUND,)), SAY)
    user, reasoning, call, output, said = before
    gone = "the item after the reasoning rs_1 is gone"
    assert gone in problems(name, [user, reasoning])
    assert gone in problems(name, [user, reasoning, user])
    apart = ["reasoning rs_1 and the item after it are not together"]
    assert problems(name, [user, call, output, said], before) == apart
    assert problems(name, [user, reasoning, said], before) == apart
    assert problems(name, [user, said], before) == []
    moved = problems(name, [user, reasoning, said, call, output], before)
    assert len(moved) == 1
    assert moved[0].endswith("does not follow the reasoning rs_1 any more")


def test_responses_finds_items_without_content() -> None:
    name = "openai-responses"
    call = rendered(name, ASK, Calls((FIRST,)))[1]
    output = {"type": "function_call_output", "call_id": "call_0", "output": []}
    assert problems(name, [call, output]) == ["an item of kind result has an empty list of parts"]
    assert problems(name, [call, output], [call, output]) == []


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (
            {"type": "local_shell_call", "id": "sh_1", "call_id": "c_1", "action": {}},
            {"type": "local_shell_call_output", "id": "sh_1", "output": "done"},
        ),
        (
            {"type": "mcp_approval_request", "id": "ask_1", "arguments": "{}"},
            {"type": "mcp_approval_response", "approval_request_id": "ask_1", "approve": True},
        ),
        (
            {"type": "computer_call", "id": "cu_1", "call_id": "c_1"},
            {"type": "computer_call_output", "call_id": "c_1", "output": {"type": "screenshot"}},
        ),
        (
            {"type": "shell_call", "call_id": "c_1", "action": {}},
            {"type": "shell_call_output", "call_id": "c_1", "output": [{"stdout": "done"}]},
        ),
        (
            {"type": "apply_patch_call", "call_id": "c_1", "operation": {}},
            {"type": "apply_patch_call_output", "call_id": "c_1", "status": "completed"},
        ),
    ],
    ids=["local shell", "approval", "computer", "shell", "patch"],
)
def test_responses_matches_each_kind_of_call_by_its_own_id(
    call: dict[str, Any], result: dict[str, Any]
) -> None:
    name = "openai-responses"
    assert problems(name, [call, result]) == []
    assert len(problems(name, [call])) == 1
    assert len(problems(name, [result])) == 1


def test_responses_does_not_match_by_the_id_of_the_item() -> None:
    call = rendered("openai-responses", ASK, Calls((FIRST,)))[1]
    output = {"type": "function_call_output", "call_id": call["id"], "output": "found"}
    found = problems("openai-responses", [call, output])
    assert [problem.split(" for ")[0] for problem in found] == ["no call", "no result"]


def test_anthropic_finds_thinking_out_of_place() -> None:
    name = "anthropic"
    user, turn, results = rendered(name, ASK, Calls((FIRST,), None, "think"), Results((FOUND,)))
    thinking = turn["content"][0]
    in_user = {"role": "user", "content": [thinking]}
    assert problems(name, [in_user]) == [
        "the history does not begin with the user",
        "a user message thinks",
    ]
    alone = {"role": "assistant", "content": [thinking]}
    assert problems(name, [user, alone]) == ["an assistant message ends with thinking"]
    unsigned = deepcopy(turn)
    del unsigned["content"][0]["signature"]
    assert problems(name, [user, unsigned, results]) == ["the thinking 'think' has no signature"]


def test_anthropic_finds_empty_contents() -> None:
    name = "anthropic"
    user, turn, results = rendered(name, ASK, Calls((FIRST,)), Results((FOUND,)))
    results["content"][0]["content"] = []
    assert problems(name, [user, turn, results]) == ["a result has an empty list of blocks"]
    results["content"][0]["content"] = [{"type": "text", "text": ""}]
    assert problems(name, [user, turn, results]) == ["a result has an empty text block"]
    empty = {"role": "assistant", "content": []}
    assert problems(name, [user, empty]) == ["a assistant message has an empty list of blocks"]
    assert problems(name, [{"role": "user", "content": ""}]) == ["a user message has an empty text"]


def test_anthropic_finds_calls_and_results_of_the_wrong_side() -> None:
    user, turn, results = rendered("anthropic", ASK, Calls((FIRST,)), Results((FOUND,)))
    turn["role"], results["role"] = "user", "assistant"
    assert problems("anthropic", [user, turn, results]) == [
        "a user message uses a tool",
        "a assistant message holds the result of a client's tool",
    ]


def test_anthropic_matches_a_server_tool_inside_its_message() -> None:
    use = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
    result = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}
    user = {"role": "user", "content": "search"}
    assert problems("anthropic", [user, {"role": "assistant", "content": [use, result]}]) == []
    assert len(problems("anthropic", [user, {"role": "assistant", "content": [use]}])) == 1


@pytest.mark.parametrize("camel", [False, True], ids=["snake case", "camel case"])
def test_gemini_finds_calls_after_the_model(camel: bool) -> None:
    style = Style(structured=camel)
    healthy = rendered("gemini", ASK, SAY, ASK, Calls((FIRST,)), Results((FOUND,)), style=style)
    assert problems("gemini", healthy) == []
    after = [*healthy[:2], *healthy[3:]]
    found = problems("gemini", after, healthy)
    assert len(found) == 1
    assert found[0].endswith("follow neither the user nor a response")
    assert problems("gemini", after, after) == []


def test_gemini_takes_calls_right_after_a_response() -> None:
    again = Call("call_1", "search", 1, "Bob")
    answer = Result("call_1", "search", Content("nothing"))
    events = (ASK, Calls((FIRST,)), Results((FOUND,)), Calls((again,)), Results((answer,)))
    assert problems("gemini", rendered("gemini", *events)) == []


def test_gemini_matches_by_name_and_order_without_ids() -> None:
    again = Call("call_1", "search", 1, "Bob")
    answer = Result("call_1", "search", Content("[1]"))
    calls = Calls((FIRST, again))
    style = Style(with_ids=False)
    before = rendered("gemini", ASK, calls, Results((FOUND, answer)), style=style)
    assert problems("gemini", before) == []
    assert (
        len(problems("gemini", rendered("gemini", ASK, calls, Results((READ,)), style=style))) == 3
    )
    cut = replace(answer, content=Content("[1"))
    after = rendered("gemini", ASK, calls, Results((FOUND, cut)), style=style)
    assert problems("gemini", after, before) == []  # short enough for a stub
    cut = replace(answer, content=Content("[1" * 200))
    after = rendered("gemini", ASK, calls, Results((FOUND, cut)), style=style)
    assert len(problems("gemini", after, before)) == 1


def test_gemini_finds_parts_of_the_wrong_side() -> None:
    user, turn, response = rendered("gemini", ASK, Calls((FIRST,)), Results((FOUND,)))
    turn["role"], response["role"] = "user", "model"
    found = problems("gemini", [user, turn, response])
    assert [problem.split("}")[-1] for problem in found] == [
        "'] are not the model's",
        "the model responds to its own call",
    ]
    thought = {"role": "user", "parts": [{"text": "hm", "thought": True}, {"text": "hello"}]}
    assert "a user content thinks" in problems("gemini", [thought])
    assert problems("gemini", [{"role": "user", "parts": []}]) == ["a user content has no parts"]


def test_langchain_finds_blocks_that_disagree_with_the_calls() -> None:
    user, turn, result = rendered(
        "langchain", ASK, Calls((FIRST,)), Results((FOUND,)), style=Style(in_parts=True)
    )
    assert problems("langchain", [user, turn, result]) == []
    turn.content[0]["id"] = "call_9"
    assert problems("langchain", [user, turn, result]) == [
        "the block call_9 is no call of its message"
    ]


def test_langchain_finds_empty_contents_and_thinking_users() -> None:
    assert problems("langchain", [HumanMessage("hi"), AIMessage([])]) == [
        "a ai message has an empty list of blocks"
    ]
    thinks = HumanMessage([{"type": "thinking", "thinking": "hm"}])
    assert problems("langchain", [thinks]) == ["a human message thinks"]


def test_langchain_counts_a_call_with_unreadable_arguments() -> None:
    invalid = {"type": "invalid_tool_call", "id": "call_0", "name": "search", "args": "{"}
    turn = AIMessage("", invalid_tool_calls=[{**invalid, "error": "cut off"}])
    result = rendered("langchain", ASK, Calls((FIRST,)), Results((FOUND,)))[2]
    assert problems("langchain", [HumanMessage("hi"), turn, result]) == []


def test_pydantic_ai_finds_parts_of_the_wrong_message() -> None:
    user = rendered("pydantic-ai", ASK)[0]
    call, result = rendered("pydantic-ai", ASK, Calls((FIRST,)), Results((FOUND,)))[1:]
    wrong = [user, ModelRequest(call.parts), ModelResponse(result.parts)]
    assert problems("pydantic-ai", wrong) == [
        "a request has a part of kind tool-call",
        "a response has a part of kind tool-return",
    ]
    thinks: Any = ModelRequest([*user.parts, ThinkingPart("hm")])  # type: ignore[list-item]
    assert problems("pydantic-ai", [thinks]) == ["a request has a part of kind thinking"]
    assert problems("pydantic-ai", [user, ModelResponse([])]) == ["a response has no parts"]


def test_pydantic_ai_matches_part_by_part() -> None:
    history = rendered(
        "pydantic-ai", ASK, Calls((FIRST,)), Results((FOUND,)), User("and now?"),
        style=Style(joined=True),
    )  # fmt: skip
    assert len(history) == 3
    assert problems("pydantic-ai", history, history) == []
    returned = history[2].parts[0]
    assert isinstance(returned, ToolReturnPart)
    lost = replace(history[2], parts=[replace(returned, tool_call_id="other"), TextPart("hi")])
    assert len(problems("pydantic-ai", [*history[:2], lost])) == 2
