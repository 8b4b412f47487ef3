"""Messages of LangChain: what they say, whom they answer, and what survives a rebuild."""

import copy
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    ChatMessageChunk,
    FunctionMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    SystemMessageChunk,
    ToolMessage,
    ToolMessageChunk,
)
from langchain_core.messages.tool import ToolCall, invalid_tool_call
from pydantic_ai.messages import ModelRequest, UserPromptPart

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._format import Format
from dsgc.messages._pieces import Piece
from dsgc.messages.formats._langchain import LangChain

FORMAT: Format = LangChain()
BASE64 = "iVBORw0KGgo" * 40


def read(*messages: Any) -> list[Piece]:
    return FORMAT.read(messages)


def replaced(message: BaseMessage, text: str) -> Any:
    return FORMAT.rebuild(message, {0: text})


def call(identity: str | None, **args: Any) -> ToolCall:
    return ToolCall(name="look", args=args, id=identity, type="tool_call")


def calls_of(message: BaseMessage) -> list[tuple[str, str, bool]]:
    return [
        (piece.key, piece.name, piece.awaits_result)
        for piece in read(message)
        if piece.kind == "call"
    ]


def test_each_message_is_a_text_followed_by_its_calls() -> None:
    assert read(
        SystemMessage("be brief"),
        HumanMessage("hello", id="h"),
        AIMessage("I look", tool_calls=[call("c1", city="Lima"), call("c2")]),
        ToolMessage("rain", tool_call_id="c2", name="look"),
        ToolMessage("sun", tool_call_id="c1"),
        AIMessage("done"),
    ) == [
        Piece(0, 0, 0, "system", "be brief"),
        Piece(1, 0, 1, "user", "hello"),
        Piece(2, 0, 2, "assistant", "I look"),
        Piece(
            2,
            1,
            2,
            "call",
            'look\n{"city": "Lima"}',
            key="c1",
            name="look",
            arguments={"city": "Lima"},
        ),
        Piece(2, 2, 2, "call", "look\n{}", key="c2", name="look", arguments={}),
        Piece(3, 0, 3, "result", "rain", key="c2", name="look", replaceable=True),
        Piece(4, 0, 4, "result", "sun", key="c1", replaceable=True),
        Piece(5, 0, 5, "assistant", "done"),
    ]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"city": "Lima"}},
        {"type": "tool_call", "id": "c1", "name": "look", "args": {"city": "Lima"}},
        {"type": "function_call", "id": "f", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "custom_tool_call", "id": "f", "call_id": "c1", "name": "look", "input": "Lima"},
        {"type": "input_json_delta", "partial_json": '{"city": "Lima"}', "index": 1},
        {"type": "non_standard", "value": {"type": "tool_use", "id": "c1", "name": "look"}},
    ],
    ids=lambda block: block["type"],
)
def test_a_block_that_repeats_a_call_counts_once(block: dict[str, Any]) -> None:
    message = AIMessage([{"type": "text", "text": "I look"}, block], tool_calls=[call("c1")])
    assert calls_of(message) == [("c1", "look", True)]
    assert read(message)[0].text == "I look"


def test_a_call_that_is_only_in_the_content_or_as_the_provider_had_it_counts_too() -> None:
    use = {"type": "tool_use", "id": "c1", "name": "look", "input": {"city": "Lima"}}
    computer = {"type": "computer_call", "id": "i", "call_id": "c2", "action": {"type": "wait"}}
    approval = {"type": "mcp_approval_request", "id": "c3", "name": "pay", "arguments": "{}"}
    custom = {"type": "custom", "id": "c4", "custom": {"name": "sql", "input": "select 1"}}
    message = AIMessage([use, computer, approval], additional_kwargs={"tool_calls": [custom]})
    assert calls_of(message) == [
        ("c1", "look", True),
        ("c2", "computer", True),
        ("c3", "pay", True),
        ("c4", "sql", True),
    ]
    assert [piece.arguments for piece in read(message)[1:]] == [
        {"city": "Lima"},
        {"type": "wait"},
        {},
        "select 1",
    ]


def test_an_invalid_call_may_be_answered_but_waits_for_nothing() -> None:
    broken = invalid_tool_call(name="look", args="{broken", id="c1", error="no JSON")
    message = AIMessage("", invalid_tool_calls=[broken])
    assert calls_of(message) == [("c1", "look", False)]
    assert read(message)[1].arguments == "{broken"


def test_a_call_without_an_id_is_a_call() -> None:
    assert calls_of(AIMessage("", tool_calls=[call(None)])) == [("None", "look", True)]


def test_a_function_message_answers_the_legacy_call_by_name() -> None:
    legacy = {"function_call": {"name": "look", "arguments": '{"city": "Lima"}'}}
    _, called, result = read(
        AIMessage("", additional_kwargs=legacy), FunctionMessage(content="rain", name="look")
    )
    assert (called.key, called.arguments) == ("function look", {"city": "Lima"})
    assert (result.kind, result.key, result.replaceable) == ("result", "function look", True)


def test_a_legacy_call_beside_calls_repeats_one_of_them() -> None:
    legacy = {"function_call": {"name": "look", "arguments": "{}"}}
    message = AIMessage("", tool_calls=[call("c1")], additional_kwargs=legacy)
    assert calls_of(message) == [("c1", "look", True)]


def test_what_the_provider_calls_is_complete_in_itself() -> None:
    message = AIMessage(
        [
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": "Lima"}]},
            {"type": "web_search_call", "id": "ws", "action": {"query": "y"}},
            {"type": "image_generation_call", "id": "ig", "result": BASE64},
        ]
    )
    said, searched, searched_again, drawn = read(message)
    assert "Lima" in said.text
    assert (searched.name, searched.arguments) == ("web_search", {"query": "x"})
    assert (searched_again.name, searched_again.arguments) == ("web_search", {"query": "y"})
    assert (drawn.name, drawn.media) == ("image_generation", _media.IMAGE)
    for piece in (searched, searched_again, drawn):
        assert (piece.kind, piece.key, piece.awaits_result) == ("call", "", False)
        assert BASE64 not in piece.text


@pytest.mark.parametrize(
    ("block", "text", "media"),
    [
        ({"type": "thinking", "thinking": "hm", "signature": BASE64}, "hm", 0),
        ({"type": "redacted_thinking", "data": "A" * 1600}, "", 300),
        ({"type": "reasoning", "reasoning": "hm"}, "hm", 0),
        (
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "hm"}],
                "encrypted_content": "A" * 1600,
            },
            "hm",
            300,
        ),
        ({"type": "reasoning_content", "reasoning_content": {"text": "hm"}}, "hm", 0),
    ],
    ids=["thinking", "redacted", "standard", "openai", "bedrock"],
)
def test_a_block_of_reasoning_is_a_piece(block: dict[str, Any], text: str, media: int) -> None:
    said, thought = read(AIMessage([block, {"type": "text", "text": "ok"}]))
    assert said.text == "ok"
    assert (thought.kind, thought.text, thought.media) == ("reasoning", text, media)
    assert thought.turn == said.turn


@pytest.mark.parametrize(
    "extra",
    [
        {"reasoning_content": "hm"},
        {"reasoning": {"id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}},
    ],
)
def test_reasoning_beside_the_content_is_a_piece_unless_it_repeats_a_block(
    extra: dict[str, Any],
) -> None:
    _, thought = read(AIMessage("ok", additional_kwargs=extra))
    assert (thought.kind, thought.text) == ("reasoning", "hm")
    block = {"type": "reasoning", "reasoning": "hm"}
    assert len(read(AIMessage([block], additional_kwargs=extra))) == 2


def test_a_refusal_is_what_the_assistant_said() -> None:
    assert read(AIMessage("", additional_kwargs={"refusal": "I cannot"}))[0].text == "I cannot"
    assert read(AIMessage([{"type": "refusal", "refusal": "no"}]))[0].text == "no"


@pytest.mark.parametrize(
    ("block", "media"),
    [
        ({"type": "image", "base64": BASE64, "mime_type": "image/png"}, _media.IMAGE),
        ({"type": "image_url", "image_url": {"url": f"data:;base64,{BASE64}"}}, _media.IMAGE),
        ({"type": "image", "source": {"type": "base64", "data": BASE64}}, _media.IMAGE),
        ({"type": "audio", "base64": BASE64}, _media.AUDIO),
        ({"type": "input_audio", "input_audio": {"data": BASE64}}, _media.AUDIO),
        ({"type": "video", "url": "https://x/v.mp4"}, _media.VIDEO),
        ({"type": "file", "base64": BASE64}, _media.FILE),
        ({"type": "document", "source": {"type": "base64", "data": BASE64}}, _media.FILE),
        ({"type": "media", "mime_type": "video/mp4", "data": BASE64}, _media.VIDEO),
        ({"type": "media", "mime_type": "application/pdf", "data": BASE64}, _media.FILE),
        ({"type": "text-plain", "base64": BASE64}, _media.FILE),
    ],
)
def test_media_have_their_prices_and_are_never_text(block: dict[str, Any], media: int) -> None:
    [piece] = read(HumanMessage(["look", block]))
    assert (piece.text.strip(), piece.media) == ("look", media)


def test_documents_of_text_are_read() -> None:
    plain = {"type": "text-plain", "text": "one", "mime_type": "text/plain"}
    document = {"type": "document", "source": {"type": "text", "data": "two"}}
    [piece] = read(HumanMessage([plain, document]))
    assert (piece.text, piece.media) == ("one\ntwo", 0)


def test_raw_bytes_are_no_text() -> None:
    [piece] = read(HumanMessage([{"image": {"format": "png", "source": {"bytes": b"\x89" * 400}}}]))
    assert (piece.text, piece.media) == (
        '{"image": {"format": "png", "source": {"bytes": null}}}',
        100,
    )


@pytest.mark.parametrize(
    ("role", "kind"),
    [("system", "system"), ("Assistant", "assistant"), ("user", "user"), ("critic", "user")],
)
def test_a_chat_message_is_of_the_role_it_has(role: str, kind: str) -> None:
    assert read(ChatMessage(content="x", role=role))[0].kind == kind


def test_a_message_that_removes_others_is_pinned() -> None:
    [piece] = read(RemoveMessage(id="h"))
    assert (piece.kind, piece.text, piece.pinned) == ("system", "", True)


def test_chunks_are_read_as_the_messages_they_are_part_of() -> None:
    arguments = {"name": "look", "args": '{"city": "Lima"}', "id": "c1", "index": 0}
    pieces = read(
        SystemMessageChunk(content="be brief"),
        HumanMessageChunk(content="hello"),
        AIMessageChunk(
            content="I look", tool_call_chunks=[{**arguments, "type": "tool_call_chunk"}]
        ),
        ToolMessageChunk(content="rain", tool_call_id="c1"),
        ChatMessageChunk(content="well", role="assistant"),
    )
    assert [(piece.kind, piece.key) for piece in pieces] == [
        ("system", ""),
        ("user", ""),
        ("assistant", ""),
        ("call", "c1"),
        ("result", "c1"),
        ("assistant", ""),
    ]


def test_a_message_of_a_class_of_ones_own_is_a_message() -> None:
    class Question(HumanMessage):
        urgent: bool = True

    assert read(Question(content="hello"))[0].kind == "user"
    assert FORMAT.recognizes([Question(content="hello")])


def test_a_human_message_may_hold_results_beside_what_it_says() -> None:
    message = HumanMessage(
        [
            {
                "type": "tool_result",
                "tool_use_id": "c1",
                "content": [{"type": "text", "text": "a"}],
            },
            {"type": "tool_result", "tool_use_id": "c2", "content": "b"},
            {"type": "mcp_approval_response", "approval_request_id": "m", "approve": True},
            {"type": "text", "text": "and?"},
        ],
        id="h",
    )
    assert [(p.kind, p.part, p.key, p.replaceable) for p in read(message)] == [
        ("result", 0, "c1", True),
        ("result", 1, "c2", True),
        ("result", 2, "m", False),
        ("user", 3, "", False),
    ]
    before = copy.deepcopy(message)
    changed = FORMAT.rebuild(message, {0: "short", 3: None})
    assert changed == HumanMessage(
        [
            {
                "type": "tool_result",
                "tool_use_id": "c1",
                "content": [{"type": "text", "text": "short"}],
            },
            {"type": "text", "text": "and?"},
        ],
        id="h",
    )
    assert message == before


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a long text", "short"),
        ([{"type": "text", "text": "long"}], [{"type": "text", "text": "short"}]),
        (["long", "longer"], [{"type": "text", "text": "short"}]),
        ([{"type": "image", "base64": BASE64}], [{"type": "text", "text": "short"}]),
        ([], [{"type": "text", "text": "short"}]),
    ],
    ids=["text", "blocks", "texts", "image", "no blocks"],
)
def test_a_replaced_result_keeps_its_form_and_all_its_fields(content: Any, expected: Any) -> None:
    fields: dict[str, Any] = {
        "tool_call_id": "c1",
        "name": "look",
        "id": "t",
        "status": "error",
        "artifact": {"rows": [1, 2]},
        "additional_kwargs": {"k": 1},
    }
    message = ToolMessage(content, **fields)
    before = copy.deepcopy(message)
    changed = replaced(message, "short")
    assert changed == ToolMessage(expected, **fields)
    assert type(changed) is ToolMessage
    assert changed.artifact is message.artifact
    assert message == before


def test_a_replaced_function_message_and_chunk_are_of_their_class() -> None:
    assert replaced(FunctionMessage(content="long", name="look"), "short") == FunctionMessage(
        content="short", name="look"
    )
    chunk = ToolMessageChunk(content="long", tool_call_id="c1")
    assert replaced(chunk, "short") == ToolMessageChunk(content="short", tool_call_id="c1")


def test_the_artifact_of_a_result_is_not_what_it_says() -> None:
    [piece] = read(ToolMessage("ok", tool_call_id="c1", artifact={"secret": BASE64}))
    assert (piece.text, piece.media) == ("ok", 0)


def test_a_screenshot_is_not_replaced() -> None:
    block = {"type": "computer_screenshot", "image_url": f"data:;base64,{BASE64}"}
    extra = {"type": "computer_call_output"}
    [piece] = read(ToolMessage([block], tool_call_id="c1", additional_kwargs=extra))
    assert (piece.text, piece.media, piece.replaceable) == ("", _media.IMAGE, False)


def test_a_message_that_is_kept_comes_as_it_was() -> None:
    message = AIMessage("I look", tool_calls=[call("c1")], id="a", response_metadata={"k": 1})
    assert FORMAT.rebuild(message, {0: None, 1: None}) == message
    assert FORMAT.rebuild(RemoveMessage(id="h"), {0: None}) == RemoveMessage(id="h")


@pytest.mark.parametrize(
    "message",
    [
        HumanMessage(""),
        HumanMessage([]),
        HumanMessage([""]),
        AIMessage(""),
        AIMessage([]),
        ToolMessage("", tool_call_id=""),
        ToolMessage([{}], tool_call_id="c"),
        HumanMessage("x").model_copy(update={"content": None}),
        HumanMessage("x").model_copy(update={"content": "\ud800"}),
        AIMessage([{"type": "non_standard", "value": {"type": "\ud800"}}]),
        AIMessage([{"type": "thinking", "thinking": None}]),
    ],
)
def test_every_message_is_a_piece_however_little_it_says(message: BaseMessage) -> None:
    assert read(message)[0].part == 0


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ({"role": "user", "content": "hello"}, "dict"),
        (("human", "hello"), "tuple"),
        ("hello", "str"),
        (None, "NoneType"),
        (ModelRequest([UserPromptPart("hello")]), "ModelRequest"),
        (HumanMessage("x").model_copy(update={"type": "riddle"}), "HumanMessage"),
    ],
)
def test_what_is_no_message_is_refused_by_its_position_with_advice(message: Any, name: str) -> None:
    with pytest.raises(
        UnreadableMessageError,
        match=rf"messages\[1\] is of the type {name} and no .* \(`.*convert_to_messages` makes one",
    ):
        read(HumanMessage("go"), message)
    assert not FORMAT.recognizes([message])


def test_a_content_that_is_no_content_is_refused() -> None:
    message = HumanMessage("x").model_copy(update={"content": 5})
    with pytest.raises(
        UnreadableMessageError, match=r"messages\[0\] has a content of the type int"
    ):
        read(message)


@pytest.mark.parametrize(
    "message", [HumanMessage("x"), AIMessageChunk(content="x"), RemoveMessage(id="x")], ids=type
)
def test_a_message_among_others_is_recognized(message: BaseMessage) -> None:
    assert FORMAT.recognizes([{"role": "user", "content": "x"}, message])


def test_reading_leaves_the_messages_as_they_were() -> None:
    messages = [
        HumanMessage([{"type": "image", "base64": BASE64}, {"type": "odd", "data": BASE64}]),
        AIMessage(
            [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}], tool_calls=[call("c1")]
        ),
        ToolMessage([{"type": "text", "text": "x"}], tool_call_id="c1"),
    ]
    before = copy.deepcopy(messages)
    pieces = read(*messages)
    assert messages == before
    assert all(BASE64 not in piece.text for piece in pieces)
