"""Anthropic messages are read and rebuilt, as dicts and as blocks of the SDK."""

import copy
from typing import Any

import anthropic.types as sdk
import pytest
from anthropic.types.beta import BetaMCPToolResultBlock, BetaMCPToolUseBlock, BetaTextBlock
from google.genai import types as genai
from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, HumanMessage, ToolMessage
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._format import Format
from dsgc.messages._pieces import Piece
from dsgc.messages.formats._anthropic import Anthropic

FORMAT: Format = Anthropic()
BASE64 = "iVBORw0KGgo" * 40
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": BASE64}}


def read(*messages: Any) -> list[Piece]:
    return FORMAT.read(messages)


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(identity: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": "look", "input": arguments}


def result(identity: str, content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identity, "content": content}


def test_a_text_is_one_piece_of_the_role_it_has() -> None:
    assert read(
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"},
    ) == [
        Piece(0, 0, 0, "system", "be brief"),
        Piece(1, 0, 1, "user", "hello"),
        Piece(2, 0, 2, "assistant", "hi"),
    ]


def test_each_block_is_a_piece_and_calls_pair_with_results_by_id() -> None:
    assert read(
        assistant(
            {"type": "thinking", "thinking": "let me see", "signature": BASE64},
            text("looking"),
            call("c1", path="a.txt"),
            call("c2", path="b.txt"),
        ),
        user(result("c2", "B"), result("c1", [text("A1"), text("A2")]), text("and?"), text("so?")),
    ) == [
        Piece(0, 0, 0, "reasoning", "let me see"),
        Piece(0, 1, 0, "assistant", "looking"),
        Piece(
            0, 2, 0, "call", 'look\n{"path": "a.txt"}', "c1", "look", arguments={"path": "a.txt"}
        ),
        Piece(
            0, 3, 0, "call", 'look\n{"path": "b.txt"}', "c2", "look", arguments={"path": "b.txt"}
        ),
        Piece(1, 0, 1, "result", "B", "c2", replaceable=True),
        Piece(1, 1, 1, "result", "A1\nA2", "c1", replaceable=True),
        Piece(1, 2, 1, "user", "and?"),
        Piece(1, 3, 1, "user", "so?"),
    ]


def test_blocks_of_a_response_read_like_dicts() -> None:
    blocks = [
        sdk.ThinkingBlock(type="thinking", thinking="hm", signature="s"),
        sdk.TextBlock(type="text", text="looking", citations=None),
        sdk.ToolUseBlock(type="tool_use", id="c1", name="look", input={"path": "a.txt"}),
    ]
    as_dicts = [block.to_dict() for block in blocks]
    pieces = read({"role": "assistant", "content": blocks})
    assert pieces == read({"role": "assistant", "content": as_dicts})
    assert [piece.kind for piece in pieces] == ["reasoning", "assistant", "call"]


def test_a_whole_response_is_a_message_too() -> None:
    block = sdk.ToolUseBlock(type="tool_use", id="c1", name="look", input={})
    spoken = sdk.TextBlock(type="text", text="looking", citations=None)
    message = sdk.Message.construct(
        id="m", role="assistant", type="message", content=[spoken, block]
    )
    assert [piece.text for piece in read(message)] == ["looking", "look\n{}"]
    rebuilt = FORMAT.rebuild(message, {1: None})
    assert isinstance(rebuilt, sdk.Message)
    assert rebuilt.content == [block]
    assert rebuilt.content[0] is block
    assert message.content == [spoken, block]


def test_server_tools_pair_within_the_message_and_are_left_as_they_are() -> None:
    found = {
        "type": "web_search_result",
        "title": "Reykjavik",
        "url": "https://example.org/r",
        "encrypted_content": "x" * 1_600,
        "page_age": None,
    }
    pieces = read(
        assistant(
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "r"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [found]},
        )
    )
    assert [(piece.kind, piece.key, piece.turn) for piece in pieces] == [
        ("call", "s1", 0),
        ("result", "s1", 0),
    ]
    assert pieces[1].text == "Reykjavik\nhttps://example.org/r"
    assert pieces[1].media == 300
    assert not pieces[1].replaceable


@pytest.mark.parametrize(
    ("kind", "content", "expected", "media"),
    [
        (
            "bash_code_execution_tool_result",
            {
                "type": "bash_code_execution_result",
                "stdout": "one\ntwo",
                "stderr": "",
                "return_code": 0,
                "content": [],
            },
            "one\ntwo\n0",
            0,
        ),
        (
            "code_execution_tool_result",
            {
                "type": "encrypted_code_execution_result",
                "encrypted_stdout": "e" * 160,
                "stderr": "warned",
                "return_code": 1,
                "content": [{"type": "code_execution_output", "file_id": "file_1"}],
            },
            'warned\n1\n{"type": "code_execution_output", "file_id": "file_1"}',
            30,
        ),
        (
            "web_fetch_tool_result",
            {
                "type": "web_fetch_result",
                "url": "https://example.org",
                "content": {
                    "type": "document",
                    "title": "Terms",
                    "source": {"type": "base64", "media_type": "application/pdf", "data": BASE64},
                },
            },
            "https://example.org\nTerms",
            _media.FILE,
        ),
        (
            "web_search_tool_result",
            {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
            '{"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}',
            0,
        ),
        ("mcp_tool_result", [text("from afar")], "from afar", 0),
        ("mcp_tool_result", "from afar", "from afar", 0),
    ],
    ids=["bash", "encrypted code", "fetched PDF", "search error", "MCP blocks", "MCP text"],
)
def test_what_server_tools_return(kind: str, content: Any, expected: str, media: int) -> None:
    [piece] = read(assistant({"type": kind, "tool_use_id": "s1", "content": content}))
    assert (piece.kind, piece.key, piece.text, piece.media) == ("result", "s1", expected, media)
    assert not piece.replaceable


def test_mcp_blocks_of_a_response_pair() -> None:
    [asked, answered] = read(
        assistant(
            BetaMCPToolUseBlock(
                type="mcp_tool_use", id="m1", name="ask", input={"a": 1}, server_name="s"
            ),
            BetaMCPToolResultBlock(
                type="mcp_tool_result",
                tool_use_id="m1",
                is_error=False,
                content=[BetaTextBlock(type="text", text="told", citations=None)],
            ),
        )
    )
    assert (asked.kind, asked.key, asked.name, asked.arguments) == ("call", "m1", "ask", {"a": 1})
    assert (answered.kind, answered.key, answered.text) == ("result", "m1", "told")


def test_typed_inputs_of_toolset_calls_become_plain_arguments() -> None:
    block = sdk.BrowserNavigateToolUseBlock.construct(
        type="tool_use", id="b1", name="navigate", input={"url": "https://example.org"}
    )
    [piece] = read(assistant(block))
    assert piece.arguments == {"url": "https://example.org"}
    assert piece.text == 'navigate\n{"url": "https://example.org"}'


def test_what_code_on_the_server_called_belongs_to_its_turn() -> None:
    caller = {"type": "code_execution_20260120", "tool_id": "s1"}
    code = {"type": "server_tool_use", "id": "s1", "name": "code_execution", "input": {}}
    output = {"type": "code_execution_tool_result", "tool_use_id": "s1", "content": {}}
    pieces = read(
        {"role": "user", "content": "go"},
        assistant(code, {**call("c1"), "caller": caller}),
        user(result("c1", "1")),
        assistant({**call("c2"), "caller": caller}),
        user(result("c2", "2")),
        assistant(output, text("done")),
        assistant({**call("c3"), "caller": {"type": "direct"}}),
    )
    calls = {piece.key: piece.turn for piece in pieces if piece.kind == "call"}
    assert calls == {"s1": 1, "c1": 1, "c2": 1, "c3": 6}
    assert [piece.message for piece in pieces if piece.key == "s1"] == [1, 5]


def test_media_have_prices_and_their_bytes_are_no_text() -> None:
    document = {
        "type": "document",
        "title": "Report",
        "context": "of May",
        "source": {"type": "base64", "media_type": "application/pdf", "data": BASE64},
    }
    pieces = read(
        user(IMAGE, document, result("c1", [text("seen"), IMAGE, IMAGE])),
        assistant({"type": "redacted_thinking", "data": "r" * 1_600}),
    )
    assert [(piece.text, piece.media) for piece in pieces] == [
        ("", _media.IMAGE),
        ("Report\nof May", _media.FILE),
        ("seen", 2 * _media.IMAGE),
        ("", 300),
    ]
    assert pieces[3].kind == "reasoning"


def test_documents_of_text_and_search_results_are_read() -> None:
    plain = {"type": "text", "media_type": "text/plain", "data": "line one"}
    blocks = {"type": "content", "content": [text("part"), IMAGE]}
    found = {"type": "search_result", "title": "T", "source": "wiki", "content": [text("body")]}
    pieces = read(
        user(
            {"type": "document", "source": plain},
            {"type": "document", "source": blocks},
            found,
            result("c1", [found]),
        )
    )
    assert [(piece.text.strip(), piece.media) for piece in pieces] == [
        ("line one", 0),
        ("part", _media.IMAGE),
        ("T\nwiki\nbody", 0),
        ("T\nwiki\nbody", 0),
    ]


def test_unknown_blocks_are_json_without_what_is_encoded() -> None:
    hologram = {"type": "hologram", "note": "new", "source": {"data": BASE64}, "signature": "s"}
    upload = {"type": "container_upload", "file_id": "file_1"}
    pieces = read(user(hologram, upload), assistant(hologram))
    expected = '{"type": "hologram", "note": "new", "source": {"data": null}}'
    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("user", expected),
        ("user", '{"type": "container_upload", "file_id": "file_1"}'),
        ("assistant", expected),
    ]
    assert pieces[0].media == len(BASE64) * 3 // 16


def test_unknown_blocks_of_the_sdk_are_read_too() -> None:
    block = sdk.ContainerUploadBlock(type="container_upload", file_id="file_1")
    [piece] = read(assistant(block))
    assert piece.text == '{"file_id": "file_1", "type": "container_upload"}'


def test_blocks_that_do_not_match_their_class_are_read_without_a_warning() -> None:
    block = sdk.ContainerUploadBlock.construct(type="container_upload", file_id=5)
    [piece] = read(assistant(block))
    assert '"file_id": 5' in piece.text


def test_of_several_summaries_by_the_server_the_latest_must_stay() -> None:
    failed = {"type": "compaction", "content": None}
    pieces = read(
        assistant({"type": "compaction", "content": "first"}),
        assistant({"type": "compaction", "content": "second"}, text("so")),
        assistant(failed),
    )
    assert [piece.pinned for piece in pieces] == [False, True, False, False]


def test_results_that_load_tools_cannot_be_replaced() -> None:
    [piece] = read(user(result("c1", [{"type": "tool_reference", "tool_name": "mail"}])))
    assert not piece.replaceable


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("long", "short"),
        ([text("long"), IMAGE, text("longer")], [text("short")]),
        ([IMAGE], [text("short")]),
        ([], [text("short")]),
        ((text("long"),), (text("short"),)),
        (None, "short"),
        (
            [text("long"), {**text("longer"), "cache_control": {"type": "ephemeral"}}],
            [{**text("short"), "cache_control": {"type": "ephemeral"}}],
        ),
    ],
    ids=["a text", "blocks", "an image", "no blocks", "a tuple", "None", "a cached block"],
)
def test_a_new_text_replaces_the_whole_content_of_a_result(before: Any, after: Any) -> None:
    block = {**result("c1", before), "is_error": True, "cache_control": {"type": "ephemeral"}}
    other = result("c2", "kept")
    message = {**user(block, other, text("and?")), "id": "m1"}
    copied = copy.deepcopy(message)
    rebuilt = FORMAT.rebuild(message, {0: "short", 2: None})
    assert rebuilt == {**message, "content": [{**block, "content": after}, text("and?")]}
    assert rebuilt["content"][1] is message["content"][2]
    assert message == copied


def test_a_result_without_any_content_gets_a_text() -> None:
    block = {"type": "tool_result", "tool_use_id": "c1"}
    [piece] = read(user(block))
    assert (piece.text, piece.replaceable) == ("", True)
    assert FORMAT.rebuild(user(block), {0: "gone"}) == user({**block, "content": "gone"})


def test_blocks_of_the_sdk_stay_the_very_objects() -> None:
    blocks = [
        sdk.ThinkingBlock(type="thinking", thinking="hm", signature="s"),
        sdk.TextBlock(type="text", text="looking", citations=None),
        sdk.ToolUseBlock(type="tool_use", id="c1", name="look", input={}),
    ]
    rebuilt = FORMAT.rebuild({"role": "assistant", "content": blocks}, {0: None, 2: None})
    assert rebuilt["content"][0] is blocks[0]
    assert rebuilt["content"][1] is blocks[2]
    assert len(rebuilt["content"]) == 2
    assert len(blocks) == 3


def test_a_tuple_of_blocks_stays_one() -> None:
    message = {"role": "user", "content": (text("one"), text("two"))}
    assert FORMAT.rebuild(message, {1: None}) == {"role": "user", "content": (text("two"),)}


def test_a_text_is_rebuilt_as_it_was() -> None:
    assert FORMAT.rebuild({"role": "user", "content": "hi"}, {0: None}) == {
        "role": "user",
        "content": "hi",
    }


@pytest.mark.parametrize("content", ["", [], (), None])
def test_a_message_of_nothing_is_one_empty_piece(content: Any) -> None:
    assert read({"role": "assistant", "content": content}) == [Piece(0, 0, 0, "assistant", "")]
    assert read({"role": "user", "content": content}) == [Piece(0, 0, 0, "user", "")]


def test_odd_texts_and_blocks_do_not_crash() -> None:
    pieces = read(user(text("\ud800"), text(""), {"type": "text"}, {}, None, "bare", {"type": []}))
    assert [piece.text for piece in pieces] == [
        "\ud800",
        "",
        "",
        "{}",
        "null",
        "bare",
        '{"type": []}',
    ]


@pytest.mark.parametrize(
    ("message", "what"),
    [
        ({"role": "tool", "content": "x"}, r"has the role 'tool', none of user, assistant, system"),
        ({"role": ["user"], "content": "x"}, r"has the role \['user'\]"),
        ({"type": "function_call"}, "has the role None"),
        ("hello", "has the role None"),
        (None, "has the role None"),
        ({"role": "user", "content": 5}, "has a content of the type int"),
        ({"role": "user", "content": {"a": 1}}, "has a content of the type dict"),
        ({"role": "user", "content": iter([])}, "has a content of the type list_iterator"),
    ],
)
def test_a_message_of_another_kind_is_refused(message: Any, what: str) -> None:
    with pytest.raises(UnreadableMessageError, match=rf"messages\[1\] {what}") as caught:
        read({"role": "user", "content": "hi"}, message)
    assert caught.value.position == 1
    assert caught.value.format == "anthropic"


@pytest.mark.parametrize(
    "message",
    [
        assistant(call("c1")),
        user(result("c1", "x")),
        user(IMAGE),
        user({"type": "document", "source": {"type": "url", "url": "https://example.org"}}),
        assistant({"type": "thinking", "thinking": "hm", "signature": "s"}),
        assistant({"type": "bash_code_execution_tool_result", "tool_use_id": "s", "content": {}}),
        assistant(sdk.ToolUseBlock(type="tool_use", id="c1", name="look", input={})),
        {"role": "assistant", "content": (call("c1"),)},
    ],
)
def test_blocks_that_only_this_format_has_are_recognized(message: Any) -> None:
    assert FORMAT.recognizes([{"role": "user", "content": "hi"}, message])


CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
OTHERS: dict[str, list[Any]] = {
    "nothing": [],
    "texts": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}],
    "blocks of text": [user(text("hi")), assistant(text("hello"))],
    "OpenAI chat": [
        {"role": "system", "content": "be brief"},
        user({"type": "image_url", "image_url": {"url": "https://example.org"}}),
        {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "x"},
    ],
    "OpenAI chat with thinking in it": [
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": [text("hm")]}],
            "tool_calls": [CHAT_CALL],
        }
    ],
    "OpenAI Responses": [
        {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "x"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
    ],
    "LangChain": [
        HumanMessage("hi"),
        AIMessage([call("c1")], tool_calls=[{"name": "look", "args": {}, "id": "c1"}]),
        ToolMessage("x", tool_call_id="c1"),
    ],
    "pydantic-ai": [
        ModelRequest([UserPromptPart("hi")]),
        ModelResponse([TextPart("x"), ToolCallPart("look", {}, "c1")]),
    ],
    "Gemini": [
        genai.Content(role="user", parts=[genai.Part(text="hi")]),
        {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
    ],
    "no messages at all": [None, 5, "text"],
}


@pytest.mark.parametrize("messages", OTHERS.values(), ids=OTHERS.keys())
def test_messages_of_other_formats_are_not_recognized(messages: list[Any]) -> None:
    assert not FORMAT.recognizes(messages)


def test_a_chat_message_of_langchain_is_not_recognized() -> None:
    message: BaseMessage = ChatMessage(content=[call("c1")], role="assistant")
    assert not FORMAT.recognizes([message])


def test_reading_leaves_the_messages_as_they_were() -> None:
    block = sdk.ToolUseBlock(type="tool_use", id="c1", name="look", input={"a": [1]})
    messages = [
        user(text("hi"), IMAGE),
        assistant(text("looking"), block),
        user(result("c1", [text("x"), IMAGE])),
    ]
    before = copy.deepcopy(messages)
    pieces = FORMAT.read(messages)
    FORMAT.rebuild(messages[2], {0: "short"})
    assert messages == before
    assert FORMAT.read(messages) == pieces
