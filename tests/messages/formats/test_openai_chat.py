"""Messages of OpenAI chat are read and rebuilt, as dicts and as objects of the SDK."""

import copy
from typing import Any

import pytest
from google.genai import types as genai
from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, ToolMessage
from openai.types.chat import (
    ChatCompletionMessage,
    ChatCompletionMessageCustomToolCall,
    ChatCompletionMessageFunctionToolCall,
)
from openai.types.chat.chat_completion_audio import ChatCompletionAudio
from openai.types.chat.chat_completion_message_custom_tool_call import Custom
from openai.types.chat.chat_completion_message_function_tool_call import Function
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, UserPromptPart

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._format import Format
from dsgc.messages._pieces import Piece
from dsgc.messages.formats._openai_chat import OpenAIChat

FORMAT: Format = OpenAIChat()
BASE64 = "data:image/png;base64," + "iVBORw0KGgo" * 40


def read(*messages: Any) -> list[Piece]:
    return FORMAT.read(messages)


def call(identity: str, arguments: str = "{}") -> dict[str, Any]:
    return {
        "id": identity,
        "type": "function",
        "function": {"name": "look", "arguments": arguments},
    }


def calling(*calls: Any, content: Any = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def result(identity: str, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identity, "content": content}


def test_a_message_is_its_text_followed_by_its_calls() -> None:
    assert read(
        {"role": "system", "content": "be brief"},
        {"role": "developer", "content": [{"type": "text", "text": "be kind"}]},
        {"role": "user", "content": "hello"},
        calling(call("c1", '{"path": "a"}'), call("c2", "no json"), content="looking"),
        result("c2", "B"),
        result("c1", [{"type": "text", "text": "A1"}, {"type": "text", "text": "A2"}]),
    ) == [
        Piece(0, 0, 0, "system", "be brief"),
        Piece(1, 0, 1, "system", "be kind"),
        Piece(2, 0, 2, "user", "hello"),
        Piece(3, 0, 3, "assistant", "looking"),
        Piece(3, 1, 3, "call", 'look\n{"path": "a"}', "c1", "look", arguments={"path": "a"}),
        Piece(3, 2, 3, "call", "look\nno json", "c2", "look", arguments="no json"),
        Piece(4, 0, 4, "result", "B", "c2", replaceable=True),
        Piece(5, 0, 5, "result", "A1\nA2", "c1", replaceable=True),
    ]


def test_a_message_of_a_response_reads_like_a_dict() -> None:
    message = ChatCompletionMessage(
        role="assistant",
        content="looking",
        tool_calls=[
            ChatCompletionMessageFunctionToolCall(
                id="c1", type="function", function=Function(name="look", arguments='{"a": 1}')
            ),
            ChatCompletionMessageCustomToolCall(
                id="c2", type="custom", custom=Custom(name="write", input="free text")
            ),
        ],
    )
    pieces = read(message)
    assert pieces == read(message.to_dict())
    assert [(piece.key, piece.name, piece.arguments) for piece in pieces] == [
        ("", "", None),
        ("c1", "look", {"a": 1}),
        ("c2", "write", "free text"),
    ]


def test_the_legacy_function_call_pairs_by_name() -> None:
    [said, called, answered] = read(
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "x"},
    )
    assert (said.kind, said.text) == ("assistant", "")
    assert (called.kind, called.key, called.part) == ("call", "function f", 1)
    assert (answered.kind, answered.key, answered.name) == ("result", "function f", "f")


@pytest.mark.parametrize("identity", ["", None])
def test_calls_and_results_without_ids_still_pair(identity: Any) -> None:
    pieces = read(calling(call(identity)), result(identity, "x"))
    assert pieces[1].key == pieces[2].key != ""


def test_media_have_prices_and_their_bytes_are_no_text() -> None:
    parts = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": BASE64}},
        {"type": "input_audio", "input_audio": {"data": BASE64, "format": "wav"}},
        {"type": "video_url", "video_url": {"url": BASE64}},
        {"type": "file", "file": {"file_data": BASE64, "filename": "a.pdf"}},
        {"type": "image", "source": {"type": "base64", "data": BASE64}},
        {"type": "document", "source": {"type": "base64", "data": BASE64}},
    ]
    price = 2 * _media.IMAGE + _media.AUDIO + _media.VIDEO + 2 * _media.FILE
    assert read({"role": "user", "content": parts}) == [Piece(0, 0, 0, "user", "see", media=price)]


def test_unknown_parts_are_json_without_what_is_encoded() -> None:
    [piece] = read({"role": "user", "content": [{"type": "hologram", "url": BASE64, "note": "n"}]})
    assert piece.text == '{"type": "hologram", "url": null, "note": "n"}'
    assert piece.media == len(BASE64) * 3 // 16


def test_what_the_assistant_refused_spoke_and_thought_is_read() -> None:
    spoken = ChatCompletionAudio(id="a1", data=BASE64, expires_at=1, transcript="aloud")
    assert read(
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        ChatCompletionMessage(role="assistant", content=None, refusal="never"),
        ChatCompletionMessage(role="assistant", content=None, audio=spoken),
        {"role": "assistant", "audio": {"id": "a1"}},
        {"role": "assistant", "content": "so", "reasoning_content": "hm"},
        {"role": "assistant", "content": "so", "reasoning": "hm"},
    ) == [
        Piece(0, 0, 0, "assistant", "no"),
        Piece(1, 0, 1, "assistant", "never"),
        Piece(2, 0, 2, "assistant", "aloud"),
        Piece(3, 0, 3, "assistant", "", media=_media.AUDIO),
        Piece(4, 0, 4, "assistant", "so"),
        Piece(4, 0, 4, "reasoning", "hm"),
        Piece(5, 0, 5, "assistant", "so"),
        Piece(5, 0, 5, "reasoning", "hm"),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("long", "short"),
        (None, "short"),
        ([{"type": "text", "text": "long"}] * 2, [{"type": "text", "text": "short"}]),
        ([{"type": "image_url"}], [{"type": "text", "text": "short"}]),
        (
            [{"type": "text", "text": "long", "cache_control": {"type": "ephemeral"}}],
            [{"type": "text", "text": "short", "cache_control": {"type": "ephemeral"}}],
        ),
    ],
    ids=["a text", "nothing", "parts", "an image", "a cached part"],
)
def test_a_new_text_replaces_the_content_of_a_result(before: Any, after: Any) -> None:
    message = {**result("c1", before), "name": "look"}
    copied = copy.deepcopy(message)
    assert FORMAT.rebuild(message, {0: "short"}) == {**message, "content": after}
    assert message == copied


def test_a_message_that_is_kept_whole_is_as_it_was() -> None:
    for message in (calling(call("c1"), content="x"), result("c1", "x")):
        assert FORMAT.rebuild(message, {0: None, 1: None}) == message


def test_calls_can_be_left_out_one_by_one() -> None:
    message = calling(call("c1"), call("c2"), content="looking")
    copied = copy.deepcopy(message)
    assert FORMAT.rebuild(message, {0: None, 2: None}) == calling(call("c2"), content="looking")
    assert FORMAT.rebuild(message, {1: None}) == calling(call("c1"), content=None)
    assert FORMAT.rebuild(message, {0: None}) == {"role": "assistant", "content": "looking"}
    assert message == copied


def test_the_legacy_function_call_can_be_left_out() -> None:
    legacy = {"name": "f", "arguments": "{}"}
    message = {"role": "assistant", "content": "looking", "function_call": legacy}
    assert FORMAT.rebuild(message, {0: None}) == {"role": "assistant", "content": "looking"}
    assert FORMAT.rebuild(message, {1: None}) == {**message, "content": None}


def test_a_rebuilt_object_stays_of_its_type() -> None:
    first, second = (
        ChatCompletionMessageFunctionToolCall(
            id=name, type="function", function=Function(name="look", arguments="{}")
        )
        for name in ("c1", "c2")
    )
    message = ChatCompletionMessage(role="assistant", content="x", tool_calls=[first, second])
    rebuilt = FORMAT.rebuild(message, {0: None, 2: None})
    assert isinstance(rebuilt, ChatCompletionMessage)
    assert rebuilt.tool_calls is not None
    assert rebuilt.tool_calls[0] is second
    assert len(rebuilt.tool_calls) == 1
    assert message.tool_calls == [first, second]
    assert FORMAT.rebuild(message, {0: None}).tool_calls is None


@pytest.mark.parametrize("content", ["", [], None])
def test_a_message_of_nothing_is_one_empty_piece(content: Any) -> None:
    assert read({"role": "user", "content": content}) == [Piece(0, 0, 0, "user", "")]


def test_odd_texts_and_parts_do_not_crash() -> None:
    parts: list[Any] = [
        {"type": "text", "text": "\ud800"},
        {"type": "text"},
        None,
        "bare",
        {"type": []},
    ]
    [piece] = read({"role": "user", "content": parts})
    assert piece.text == '\ud800\nnull\nbare\n{"type": []}'


@pytest.mark.parametrize(
    ("message", "what"),
    [
        ({"role": "model", "parts": []}, "has the role 'model', none of system, developer"),
        ({"role": ["user"]}, r"has the role \['user'\]"),
        ({"type": "function_call"}, "has the role None"),
        (None, "has the role None"),
        ({"role": "user", "content": 5}, "has a content of the type int"),
        ({"role": "tool", "content": {"a": 1}}, "has a content of the type dict"),
    ],
)
def test_a_message_of_another_kind_is_refused(message: Any, what: str) -> None:
    with pytest.raises(UnreadableMessageError, match=rf"messages\[1\] {what}") as caught:
        read({"role": "user", "content": "hi"}, message)
    assert caught.value.position == 1
    assert caught.value.format == "openai-chat"


@pytest.mark.parametrize(
    "message",
    [
        calling(call("c1")),
        result("c1", "x"),
        {"role": "function", "name": "f", "content": "x"},
        {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
        ChatCompletionMessage.construct(role="assistant", tool_calls=[call("c1")]),
    ],
)
def test_tools_are_recognized_the_way_this_format_calls_them(message: Any) -> None:
    assert FORMAT.recognizes([{"role": "user", "content": "hi"}, message])


OTHERS: dict[str, list[Any]] = {
    "nothing": [],
    "texts": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
    "OpenAI Responses": [
        {"role": "developer", "content": "be brief"},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "x"},
    ],
    "Anthropic": [
        {"role": "system", "content": "be brief"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1"}]},
    ],
    "Gemini": [
        {"role": "tool", "parts": [{"function_response": {"name": "look", "response": {}}}]},
        genai.Content(
            role="function",
            parts=[genai.Part.from_function_response(name="look", response={})],
        ),
    ],
    "LangChain": [
        HumanMessage("hi"),
        AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "c1"}]),
        ToolMessage("x", tool_call_id="c1"),
        ChatMessage(content="x", role="tool"),
    ],
    "pydantic-ai": [
        ModelRequest([UserPromptPart("hi")]),
        ModelResponse([ToolCallPart("look", {}, "c1")]),
    ],
    "no messages at all": [None, 5, "text"],
}


@pytest.mark.parametrize("messages", OTHERS.values(), ids=OTHERS.keys())
def test_messages_without_marks_are_not_recognized(messages: list[Any]) -> None:
    assert not FORMAT.recognizes(messages)


def test_reading_leaves_the_messages_as_they_were() -> None:
    messages = [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": BASE64}}]},
        calling(call("c1", '{"a": [1]}')),
        result("c1", "x"),
    ]
    before = copy.deepcopy(messages)
    pieces = FORMAT.read(messages)
    assert messages == before
    assert FORMAT.read(messages) == pieces
