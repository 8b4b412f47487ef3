"""Items of the responses endpoint, as dicts and as objects of the SDK."""

import copy
import re
import warnings
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from agents.items import ToolCallOutputItem
from anthropic.types import Message
from langchain_core.messages import AIMessage, HumanMessage
from openai.types.responses import (
    ResponseInputItemParam,
    ResponseOutputItem,
    ResponseOutputMessage,
    ResponseReasoningItem,
)
from openai.types.responses import response_input_item_param as params
from pydantic import TypeAdapter
from pydantic_ai.messages import ModelRequest, UserPromptPart

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._format import Format
from dsgc.messages._pieces import Piece
from dsgc.messages.formats._openai_responses import OpenAIResponses

FORMAT: Format = OpenAIResponses()
BASE64 = "iVBORw0KGgo" * 40
OUTPUT_ITEM: TypeAdapter[Any] = TypeAdapter(ResponseOutputItem)

Item = dict[str, Any]


def read(*items: Any) -> list[Piece]:
    return FORMAT.read(items)


def turns(*items: Any) -> list[int]:
    return [piece.turn for piece in read(*items)]


def replaced(item: Any, text: str) -> Any:
    return FORMAT.rebuild(item, {0: text})


def user(said: str) -> Item:
    return {"role": "user", "content": said}


def message(said: str) -> Item:
    content = [{"type": "output_text", "text": said, "annotations": []}]
    return {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": content,
    }


def thought(number: int, said: str = "hm") -> Item:
    summary = [{"type": "summary_text", "text": said}]
    return {"type": "reasoning", "id": f"rs_{number}", "summary": summary}


def call(identity: str, arguments: str = "{}", **more: Any) -> Item:
    return {
        "type": "function_call",
        "id": f"fc_{identity}",
        "call_id": identity,
        "name": "look",
        "arguments": arguments,
        **more,
    }


def output(identity: str, said: Any = "seen") -> Item:
    return {"type": "function_call_output", "call_id": identity, "output": said}


def shell_output(*entries: tuple[str, str, int]) -> Item:
    return {
        "type": "shell_call_output",
        "call_id": "s",
        "output": [
            {"stdout": out, "stderr": error, "outcome": {"type": "exit", "exit_code": code}}
            for out, error, code in entries
        ],
    }


SHELL = {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}}
LOCAL_SHELL: Item = {
    "type": "local_shell_call",
    "id": "ls_1",
    "call_id": "l",
    "action": {"type": "exec", "command": ["ls"], "env": {}},
    "status": "completed",
}
PATCH: Item = {
    "type": "apply_patch_call",
    "call_id": "p",
    "status": "completed",
    "operation": {"type": "delete_file", "path": "old.py"},
}
PATCHED: Item = {"type": "apply_patch_call_output", "call_id": "p", "status": "completed"}
COMPUTER: Item = {
    "type": "computer_call",
    "id": "cu_1",
    "call_id": "c",
    "status": "completed",
    "pending_safety_checks": [],
    "actions": [{"type": "type", "text": "Lima"}],
}
SCREENSHOT: Item = {
    "type": "computer_call_output",
    "call_id": "c",
    "output": {
        "type": "computer_screenshot",
        "image_url": f"data:image/png;base64,{BASE64}",
    },
}
REQUEST: Item = {
    "type": "mcp_approval_request",
    "id": "mcpr_1",
    "name": "pay",
    "arguments": '{"amount": 5}',
    "server_label": "bank",
}
APPROVAL: Item = {
    "type": "mcp_approval_response",
    "approval_request_id": "mcpr_1",
    "approve": False,
    "reason": "too much",
}
PROGRAM: Item = {
    "type": "program",
    "id": "pr_1",
    "call_id": "g",
    "code": "await look()",
    "fingerprint": "f",
}
PROGRAM_OUTPUT: Item = {
    "type": "program_output",
    "id": "po_1",
    "call_id": "g",
    "result": "done",
    "status": "completed",
}
SEARCH: Item = {"type": "tool_search_call", "call_id": "t", "arguments": {"query": "weather"}}
FOUND: Item = {
    "type": "tool_search_output",
    "call_id": "t",
    "tools": [{"type": "function", "name": "forecast"}],
}
SERVED: dict[str, Item] = {
    "web": {"type": "web_search_call", "action": {"type": "search", "query": "flights"}},
    "files": {
        "type": "file_search_call",
        "queries": ["refunds"],
        "results": [{"text": "within 30 days"}],
    },
    "code": {
        "type": "code_interpreter_call",
        "code": "print(6 * 7)",
        "outputs": [{"type": "logs", "logs": "42"}, {"type": "image", "url": "https://i"}],
    },
    "image": {"type": "image_generation_call", "revised_prompt": "a cat", "result": BASE64},
    "mcp": {"type": "mcp_call", "name": "pay", "arguments": '{"amount": 5}', "output": "paid"},
}


def test_a_message_is_one_piece_of_the_role_it_has() -> None:
    assert read(
        {"role": "developer", "content": "be brief"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
        message("hi"),
        {"role": "system", "content": "in French"},
    ) == [
        Piece(0, 0, 0, "system", "be brief"),
        Piece(1, 0, 1, "user", "hello"),
        Piece(2, 0, 2, "assistant", "hi"),
        Piece(3, 0, 3, "system", "in French"),
    ]


def test_a_refusal_is_what_the_assistant_said() -> None:
    refusal = [{"type": "refusal", "refusal": "I cannot"}]
    [piece] = read({"type": "message", "role": "assistant", "content": refusal})
    assert (piece.kind, piece.text) == ("assistant", "I cannot")


def test_media_have_their_prices_and_are_never_text() -> None:
    content = [
        {"type": "input_text", "text": "look"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{BASE64}"},
        {"type": "input_file", "file_data": BASE64},
        {"type": "input_audio", "input_audio": {"data": BASE64, "format": "wav"}},
    ]
    [piece] = read({"role": "user", "content": content})
    assert piece.text == "look"
    assert piece.media == _media.IMAGE + _media.FILE + _media.AUDIO


def test_an_output_answers_the_call_of_its_call_id_not_of_the_item_id() -> None:
    pieces = read(call("c1", '{"city": "Lima"}'), output("c1"))
    assert pieces == [
        Piece(
            0,
            0,
            0,
            "call",
            'look\n{"city": "Lima"}',
            key="c1",
            name="look",
            arguments={"city": "Lima"},
        ),
        Piece(1, 0, 1, "result", "seen", key="c1", name="look", replaceable=True),
    ]


@pytest.mark.parametrize(
    ("first", "second", "key", "replaceable"),
    [
        (
            {"type": "custom_tool_call", "call_id": "x", "name": "sql", "input": "select 1"},
            {"type": "custom_tool_call_output", "call_id": "x", "output": "1"},
            "x",
            True,
        ),
        (COMPUTER, SCREENSHOT, "c", False),
        (SHELL, shell_output(("a.py", "", 0)), "s", True),
        (SHELL, shell_output(), "s", False),
        (PATCH, PATCHED, "p", True),
        (LOCAL_SHELL, {"type": "local_shell_call_output", "id": "l", "output": "{}"}, "l", True),
        (LOCAL_SHELL, {"type": "local_shell_call_output", "id": "ls_1", "output": ""}, "l", True),
        (LOCAL_SHELL, {"type": "local_shell_call_output", "call_id": "l", "output": ""}, "l", True),
        (REQUEST, APPROVAL, "mcpr_1", False),
        (SEARCH, FOUND, "t", False),
        (PROGRAM, PROGRAM_OUTPUT, "g", False),
        (
            {"type": "newer_call", "call_id": "n", "name": "fly", "arguments": "{}"},
            {"type": "newer_call_output", "call_id": "n", "output": "flown"},
            "n",
            False,
        ),
    ],
    ids=[
        "custom",
        "computer",
        "shell",
        "shell without entries",
        "patch",
        "local shell by call id",
        "local shell by item id",
        "local shell as the Agents SDK has it",
        "approval",
        "tool search",
        "program",
        "newer than this module",
    ],
)
def test_each_kind_of_call_pairs_with_its_output(
    first: Item, second: Item, key: str, replaceable: bool
) -> None:
    asked, answered = read(first, second)
    assert (asked.kind, asked.key, asked.awaits_result) == ("call", key, True)
    assert (answered.kind, answered.key) == ("result", key)
    assert answered.replaceable is replaceable
    assert answered.name == asked.name


def test_calls_have_the_arguments_they_were_made_with() -> None:
    pieces = read(COMPUTER, SHELL, PATCH, SEARCH, PROGRAM, REQUEST)
    assert [piece.arguments for piece in pieces] == [
        [{"type": "type", "text": "Lima"}],
        {"commands": ["ls"]},
        {"type": "delete_file", "path": "old.py"},
        {"query": "weather"},
        "await look()",
        {"amount": 5},
    ]


def test_an_output_of_parts_is_the_text_and_the_price_of_them() -> None:
    parts = [{"type": "input_text", "text": "a cat"}, {"type": "input_image", "image_url": BASE64}]
    [piece] = read(output("c1", parts))
    assert (piece.text, piece.media) == ("a cat", _media.IMAGE)


def test_a_screenshot_is_a_price_and_no_text() -> None:
    [piece] = read(SCREENSHOT)
    assert (piece.text, piece.media) == ("", _media.IMAGE)


def test_an_answer_of_a_person_says_what_it_is() -> None:
    [piece] = read(APPROVAL)
    assert piece.text == "false\ntoo much"


@pytest.mark.parametrize(
    ("item", "text", "arguments", "media"),
    [
        (
            SERVED["web"],
            'web_search\n{"type": "search", "query": "flights"}',
            {"type": "search", "query": "flights"},
            0,
        ),
        (SERVED["files"], 'file_search\n["refunds"]\n{"text": "within 30 days"}', ["refunds"], 0),
        (SERVED["code"], "code_interpreter\nprint(6 * 7)\n42", "print(6 * 7)", _media.IMAGE),
        (SERVED["image"], "image_generation\na cat", "a cat", _media.IMAGE),
        (SERVED["mcp"], 'pay\n{"amount": 5}\npaid', {"amount": 5}, 0),
    ],
    ids=SERVED,
)
def test_what_the_server_calls_is_complete_in_itself(
    item: Item, text: str, arguments: Any, media: int
) -> None:
    [piece] = read(item)
    assert (piece.kind, piece.key, piece.awaits_result) == ("call", "", False)
    assert (piece.text, piece.arguments, piece.media) == (text, arguments, media)


def test_a_search_for_tools_on_the_server_is_never_pending() -> None:
    assert not read({**SEARCH, "execution": "server"})[0].awaits_result
    assert read({**SEARCH, "execution": "client"})[0].awaits_result


def test_sealed_reasoning_has_a_price_for_what_it_hides() -> None:
    open_thought, sealed = read(
        thought(1, "why not"), {**thought(2), "encrypted_content": "A" * 1600}
    )
    assert (open_thought.kind, open_thought.text, open_thought.media) == ("reasoning", "why not", 0)
    assert (sealed.text, sealed.media) == ("hm", 300)


def test_parallel_calls_and_what_was_thought_and_said_before_are_one_turn() -> None:
    assert turns(
        user("go"), thought(1), message("I look"), call("a"), call("b"), output("a"), output("b")
    ) == [0, 1, 1, 1, 1, 5, 6]


def test_an_output_a_user_or_a_system_item_ends_a_turn() -> None:
    assert turns(
        thought(1), call("a"), output("a"), thought(2), call("b"), output("b"), message("done")
    ) == [0, 0, 2, 3, 3, 5, 6]
    assert turns(message("one"), user("and"), message("two")) == [0, 1, 2]
    system = {"role": "system", "content": "be brief"}
    assert turns(message("one"), system, message("two")) == [0, 1, 2]


def test_the_list_of_tools_of_a_server_does_not_end_a_turn() -> None:
    tools = {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "bank", "tools": []}
    assert turns(user("go"), thought(1), tools, SERVED["mcp"]) == [0, 1, 2, 1]


def test_reasoning_after_which_nothing_comes_is_a_turn_of_its_own() -> None:
    assert turns(user("go"), thought(1)) == [0, 1]
    assert turns(user("go"), thought(1), user("well?"), message("yes")) == [0, 1, 2, 3]
    assert turns(call("a"), output("a"), thought(1)) == [0, 1, 2]


def test_reasoning_before_an_output_stays_with_the_neighbours_on_both_sides() -> None:
    assert turns(call("a"), thought(1), output("a"), message("done")) == [0, 0, 2, 0]
    assert turns(
        call("a"), call("b"), output("a"), thought(1), output("b"), call("c"), output("c")
    ) == [0, 0, 2, 0, 4, 0, 6]


def test_what_a_program_calls_belongs_to_the_turn_of_the_program() -> None:
    by_program: Item = {"caller": {"type": "program", "caller_id": "g"}}
    assert turns(
        thought(1),
        PROGRAM,
        call("a", **by_program),
        output("a"),
        thought(2),
        call("b", **by_program),
        output("b"),
        PROGRAM_OUTPUT,
        message("done"),
    ) == [0, 0, 0, 3, 0, 0, 6, 7, 8]


def test_an_approved_call_belongs_to_the_turn_of_the_request() -> None:
    approved = {**SERVED["mcp"], "approval_request_id": "mcpr_1"}
    assert turns(user("pay"), thought(1), REQUEST, APPROVAL, approved) == [0, 1, 1, 3, 1]


@pytest.mark.parametrize(
    "item",
    [
        {"type": "compaction", "encrypted_content": BASE64},
        {"type": "compaction_trigger"},
        {"type": "configuration_update", "reasoning": {"effort": "low"}},
        {"type": "additional_tools", "role": "developer", "tools": []},
        {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "bank", "tools": []},
        {"type": "of_tomorrow", "value": BASE64},
    ],
    ids=lambda item: item["type"],
)
def test_what_stands_for_context_is_pinned_and_never_lost(item: Item) -> None:
    [piece] = read(item)
    assert (piece.kind, piece.pinned) == ("system", True)
    assert BASE64 not in piece.text
    assert piece.media == (0 if BASE64 not in item.values() else len(BASE64) * 3 // 16)


@pytest.mark.parametrize("reference", [{"id": "msg_1"}, {"type": "item_reference", "id": "msg_1"}])
def test_a_reference_is_pinned_in_the_turn_it_stands_in(reference: Item) -> None:
    pieces = read(user("go"), thought(1), reference, output("unseen"), output("seen"))
    assert [(piece.kind, piece.turn, piece.pinned) for piece in pieces] == [
        ("user", 0, False),
        ("reasoning", 1, False),
        ("assistant", 1, True),
        ("system", 3, True),  # its call may be what is referred to
        ("system", 4, True),
    ]
    assert read({"type": "item_reference", "id": "rs_1"})[0].kind == "reasoning"


def test_an_output_whose_call_is_seen_answers_it_beside_references_too() -> None:
    pieces = read({"type": "item_reference", "id": "fc_0"}, call("a"), output("a"))
    assert (pieces[2].kind, pieces[2].key) == ("result", "a")


def test_a_tool_that_speaks_without_being_called_says_it_like_a_user() -> None:
    [piece] = read({"type": "function_call_output", "name": "alarm", "output": "it is noon"})
    assert (piece.kind, piece.text) == ("user", "it is noon")


def test_every_type_of_item_that_the_sdk_knows_is_read() -> None:
    kinds: set[str] = set()
    for member in get_args(ResponseInputItemParam):
        kinds.update(re.findall(r"Literal\[['\"](\w+)", str(member.__annotations__["type"])))
    assert len(kinds) >= 30
    assert "message" in kinds
    for kind in kinds - {"message"}:
        assert FORMAT.recognizes([{"type": kind}]), kind
        item = {"type": kind, "id": "i", "call_id": "c", "encrypted_content": BASE64}
        [piece] = read(item)
        assert BASE64 not in piece.text
    assert params.ItemReference.__annotations__.keys() == {"id", "type"}


def objects() -> list[Any]:
    return [
        OUTPUT_ITEM.validate_python(item)
        for item in [
            {**thought(1), "encrypted_content": BASE64},
            message("I look"),
            {**call("c1", '{"city": "Lima"}'), "status": "completed"},
            {**output("c1"), "id": "fo_1", "status": "completed"},
            {
                **output("c2", [{"type": "input_text", "text": "long"}]),
                "id": "fo_2",
                "status": "completed",
            },
            {
                **output("c3", [{"type": "input_image", "detail": "auto", "file_id": "f"}]),
                "id": "fo_3",
                "status": "completed",
            },
            {
                **shell_output(("one", "", 0), ("two", "no", 2)),
                "id": "so_1",
                "status": "completed",
                "max_output_length": 9,
            },
            {**COMPUTER},
        ]
    ]


def test_objects_of_the_sdk_are_read_as_dicts_are() -> None:
    items = objects()
    dicts = [item.model_dump(exclude_none=True) for item in items]
    assert read(*items) == read(*dicts)
    assert [piece.kind for piece in read(*items)] == [
        "reasoning",
        "assistant",
        "call",
        *["result"] * 4,
        "call",
    ]
    assert isinstance(items[0], ResponseReasoningItem)
    assert isinstance(items[1], ResponseOutputMessage)


def test_objects_of_other_packages_that_have_the_fields_are_items_too() -> None:
    item = SimpleNamespace(type="message", role="user", content="hello")
    asked = SimpleNamespace(type="function_call", call_id="c1", name="look", arguments="{}")
    assert [(piece.kind, piece.key) for piece in read(item, asked)] == [
        ("user", ""),
        ("call", "c1"),
    ]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("a long text", "short"),
        ([{"type": "input_text", "text": "a"}], [{"type": "input_text", "text": "short"}]),
        ([{"type": "input_image", "file_id": "f"}], [{"type": "input_text", "text": "short"}]),
        ([], [{"type": "input_text", "text": "short"}]),
    ],
    ids=["text", "parts", "image", "no parts"],
)
@pytest.mark.parametrize("kind", ["function_call_output", "custom_tool_call_output"])
def test_a_replaced_output_keeps_its_form(kind: str, said: Any, expected: Any) -> None:
    item = {"type": kind, "call_id": "c", "output": said, "status": "completed"}
    before = copy.deepcopy(item)
    assert replaced(item, "short") == {**item, "output": expected}
    assert item == before


def test_a_replaced_output_of_a_shell_keeps_an_outcome_and_is_valid_for_the_sdk() -> None:
    item = shell_output(("one", "", 0), ("two", "no", 2))
    before = copy.deepcopy(item)
    assert replaced(item, "short") == shell_output(("short", "", 2))
    assert item == before
    TypeAdapter(params.ShellCallOutput).validate_python(replaced(item, "short"))


def test_replaced_outputs_of_patches_and_local_shells_are_texts() -> None:
    assert replaced(PATCHED, "done") == {**PATCHED, "output": "done"}
    item = {"type": "local_shell_call_output", "id": "l", "output": "{}"}
    assert replaced(item, "[]") == {**item, "output": "[]"}


def test_replaced_objects_are_of_the_same_types_and_can_be_sent() -> None:
    items = objects()[3:7]
    before = copy.deepcopy(items)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the SDK warns of values that do not fit
        for item in items:
            changed = replaced(item, "short")
            assert type(changed) is type(item)
            again = OUTPUT_ITEM.validate_python(changed.model_dump(mode="json"))
            [piece] = read(again)
            assert (piece.text, piece.media) == ("short", 0)
            assert changed.model_dump(exclude={"output"}) == item.model_dump(exclude={"output"})
    assert items == before


def test_an_item_that_is_kept_comes_as_it_was() -> None:
    for item in [*objects(), call("a"), output("a"), *SERVED.values()]:
        kept = FORMAT.rebuild(item, {0: None})
        assert kept == item
        assert type(kept) is type(item)


@pytest.mark.parametrize(
    "item",
    [
        {"role": "user", "content": ""},
        {"role": "user", "content": []},
        {"role": "assistant", "content": None},
        {"role": "user", "content": "\ud800"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": None}]},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": ""},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{\ud800"},
        {"type": "function_call_output", "call_id": "c", "output": None},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "\ud800"}]},
        {"type": "shell_call_output", "call_id": "c", "output": None},
        {"type": "tool_search_call", "call_id": None, "arguments": None},
    ],
)
def test_every_item_is_a_piece_however_little_it_says(item: Item) -> None:
    [piece] = read(user("go"), item)[1:]
    assert piece.message == 1


@pytest.mark.parametrize(
    ("item", "what"),
    [
        ("hello", "is a str with neither the type of an item nor a role"),
        ({"content": "hello"}, "is a dict with neither the type of an item nor a role"),
        ({"role": "tool", "content": "x"}, "has the role 'tool', none of system, developer, user"),
        ({"role": "user", "parts": []}, "has a role but no content"),
        ({"role": "user", "content": 5}, "has a content of the type int"),
        (
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]},
            "has calls in it, which are items of their own here",
        ),
        (HumanMessage("hello"), "is a HumanMessage with neither"),
        (ModelRequest([UserPromptPart("hello")]), "is a ModelRequest with neither"),
    ],
)
def test_what_is_no_item_is_refused_by_its_position(item: Any, what: str) -> None:
    with pytest.raises(UnreadableMessageError, match=rf"messages\[1\] {what}.*openai-responses"):
        read(user("go"), item)


def test_an_item_of_a_run_of_the_agents_sdk_is_refused() -> None:
    item = object.__new__(ToolCallOutputItem)
    with pytest.raises(UnreadableMessageError, match="is a ToolCallOutputItem with neither"):
        read(item)


@pytest.mark.parametrize(
    "item",
    [
        call("a"),
        output("a"),
        thought(1),
        message("hi"),
        {"role": "user", "content": [{"type": "input_text", "text": "hello"}]},
        {"type": "item_reference", "id": "msg_1"},
        objects()[0],
        objects()[1],
    ],
)
def test_an_item_that_only_this_format_has_is_recognized(item: Any) -> None:
    assert FORMAT.recognizes([user("go"), item])


@pytest.mark.parametrize(
    "other",
    [
        user("hello"),
        {"role": "tool", "tool_call_id": "c", "content": "x"},
        {"role": "user", "content": [{"type": "text", "text": "hello"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look"}]},
        {"role": "model", "parts": [{"text": "hello"}]},
        Message.model_validate(
            {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": "claude",
                "content": [{"type": "text", "text": "hi"}],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }
        ),
        AIMessage("hello"),
        ModelRequest([UserPromptPart("hello")]),
        "hello",
        None,
    ],
)
def test_messages_of_other_formats_are_not_recognized(other: Any) -> None:
    assert not FORMAT.recognizes([other])


def test_reading_leaves_the_items_as_they_were() -> None:
    items = [*objects(), COMPUTER, SCREENSHOT, REQUEST, APPROVAL, *SERVED.values()]
    before = copy.deepcopy(items)
    pieces = read(*items)
    assert items == before
    assert all(BASE64 not in piece.text for piece in pieces)
