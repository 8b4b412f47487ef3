"""Gemini contents are read and rebuilt, in both spellings and as objects of the SDK."""

import copy
from typing import Any

import pytest
from anthropic.types import TextBlock
from google.genai import types as sdk
from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, ToolMessage
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._format import Format
from dsgc.messages._pieces import Piece
from dsgc.messages.formats._gemini import Gemini

FORMAT: Format = Gemini()
BASE64 = "iVBORw0KGgo" * 40
BYTES = b"\x89PNG" * 400


def read(*messages: Any) -> list[Piece]:
    return FORMAT.read(messages)


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def call(name: str, identity: str | None = None, **arguments: Any) -> dict[str, Any]:
    called: dict[str, Any] = {"name": name, "args": arguments}
    return {"function_call": called if identity is None else {**called, "id": identity}}


def response(name: str, answer: Any, identity: str | None = None) -> dict[str, Any]:
    answered: dict[str, Any] = {"name": name, "response": answer}
    return {"function_response": answered if identity is None else {**answered, "id": identity}}


def keys(*messages: Any) -> list[tuple[str, str]]:
    return [(piece.kind, piece.key) for piece in read(*messages) if piece.key]


def test_each_part_is_a_piece() -> None:
    assert read(
        user({"text": "hi"}, {"text": "there"}),
        model({"text": "hm", "thought": True}, {"text": "looking"}, call("look", "c1", path="a")),
        user(response("look", {"size": 3}, "c1"), {"text": "and?"}),
    ) == [
        Piece(0, 0, 0, "user", "hi"),
        Piece(0, 1, 0, "user", "there"),
        Piece(1, 0, 1, "reasoning", "hm"),
        Piece(1, 1, 1, "assistant", "looking"),
        Piece(1, 2, 1, "call", 'look\n{"path": "a"}', "id c1", "look", arguments={"path": "a"}),
        Piece(2, 0, 2, "result", '{"size": 3}', "id c1", "look", replaceable=True),
        Piece(2, 1, 2, "user", "and?"),
    ]


def test_dicts_in_either_spelling_and_objects_read_alike() -> None:
    snake = [
        user({"text": "hi"}, {"inline_data": {"mime_type": "image/png", "data": BASE64}}),
        model({**call("look", "c1", path="a"), "thought_signature": "c2ln"}),
        user(response("look", {"result": "x"}, "c1")),
    ]
    camel = [
        user({"text": "hi"}, {"inlineData": {"mimeType": "image/png", "data": BASE64}}),
        model({"functionCall": call("look", "c1", path="a")["function_call"]}),
        user({"functionResponse": response("look", {"result": "x"}, "c1")["function_response"]}),
    ]
    objects = [sdk.Content.model_validate(message) for message in snake]
    mixed = [
        {"role": content.role, "parts": content.parts} if content.role == "model" else content
        for content in objects
    ]
    assert [piece.kind for piece in read(*snake)] == ["user", "user", "call", "result"]
    assert read(*camel) == read(*objects) == read(*mixed) == read(*snake)


@pytest.mark.parametrize("role", ["user", "function", "tool", None])
def test_responses_are_results_in_whatever_role_they_come(role: str | None) -> None:
    [piece] = read({"role": role, "parts": [response("look", {"a": 1}, "c1")]})
    assert (piece.kind, piece.key, piece.name) == ("result", "id c1", "look")


def test_a_content_without_role_is_of_the_user() -> None:
    assert read({"parts": [{"text": "hi"}]}) == [Piece(0, 0, 0, "user", "hi")]
    assert read(sdk.Content(parts=[sdk.Part(text="hi")])) == [Piece(0, 0, 0, "user", "hi")]


def test_without_ids_calls_pair_by_name() -> None:
    assert keys(model(call("a"), call("b")), user(response("b", {}), response("a", {}))) == [
        ("call", "name a"),
        ("call", "name b"),
        ("result", "name b"),
        ("result", "name a"),
    ]


def test_a_response_without_id_answers_the_calls_of_its_name_in_order() -> None:
    assert keys(
        model(call("a", "c1"), call("a", "c2"), call("b", "c3")),
        user(response("b", {}), response("a", {}), response("a", {})),
    ) == [
        ("call", "id c1"),
        ("call", "id c2"),
        ("call", "id c3"),
        ("result", "id c3"),
        ("result", "id c1"),
        ("result", "id c2"),
    ]


def test_a_response_without_id_answers_the_latest_content_that_waits() -> None:
    assert keys(
        model(call("a", "c1")),
        user({"text": "never mind"}),
        model(call("a", "c2")),
        user(response("a", {})),
    ) == [("call", "id c1"), ("call", "id c2"), ("result", "id c2")]


def test_a_response_with_an_id_answers_a_call_that_has_none() -> None:
    assert keys(model(call("a")), user(response("a", {}, "c1"))) == [
        ("call", "name a"),
        ("result", "name a"),
    ]


def test_a_response_of_another_id_is_left_without_a_call() -> None:
    assert keys(model(call("a", "c1")), user(response("a", {}, "c2"))) == [
        ("call", "id c1"),
        ("result", "id c2"),
    ]


def test_a_response_before_its_call_is_left_alone() -> None:
    assert keys(user(response("a", {})), model(call("a", "c1"))) == [
        ("result", "name a"),
        ("call", "id c1"),
    ]


def test_a_call_is_answered_once() -> None:
    assert keys(model(call("a", "c1")), user(response("a", {}), response("a", {}))) == [
        ("call", "id c1"),
        ("result", "id c1"),
        ("result", "name a"),
    ]


def test_a_call_answered_by_its_id_is_not_answered_again_by_its_name() -> None:
    assert keys(
        model(call("a", "c1"), call("a", "c2")),
        user(response("a", {}, "c1"), response("a", {})),
    ) == [("call", "id c1"), ("call", "id c2"), ("result", "id c1"), ("result", "id c2")]


def test_a_response_of_the_server_answers_no_function_of_the_same_name() -> None:
    told = {"tool_response": {"tool_type": "URL_CONTEXT", "response": {}}}
    assert keys(model(call("URL_CONTEXT")), model(told)) == [
        ("call", "name URL_CONTEXT"),
        ("result", "server name URL_CONTEXT"),
    ]


def test_what_the_user_marks_as_a_thought_is_theirs() -> None:
    assert read(user({"text": "hm", "thought": True})) == [Piece(0, 0, 0, "user", "hm")]


def test_media_have_the_price_of_their_type_and_their_bytes_are_no_text() -> None:
    sorts = ["image/png", "audio/wav", "video/mp4", "application/pdf", None]
    inline = [sdk.Part(inline_data=sdk.Blob(mime_type=sort, data=BYTES)) for sort in sorts]
    files = [{"fileData": {"mimeType": sort, "fileUri": "gs://bucket/x"}} for sort in sorts]
    prices = [_media.IMAGE, _media.AUDIO, _media.VIDEO, _media.FILE, _media.FILE]
    for pieces in (read(user(*inline)), read(user(*files))):
        assert [piece.media for piece in pieces] == prices
        assert {(piece.kind, piece.text) for piece in pieces} == {("user", "")}
    assert read(model(inline[0])) == [Piece(0, 0, 0, "assistant", "", media=_media.IMAGE)]


def test_media_in_a_response_are_counted_and_go_with_its_text() -> None:
    picture = sdk.FunctionResponsePart(
        inline_data=sdk.FunctionResponseBlob(mime_type="image/png", data=BYTES)
    )
    content = sdk.Content(
        role="user",
        parts=[sdk.Part.from_function_response(name="shoot", response={"a": 1}, parts=[picture])],
    )
    [piece] = read(content)
    assert (piece.text, piece.media) == ('{"a": 1}', _media.IMAGE)
    [rebuilt] = FORMAT.rebuild(content, {0: "gone"}).parts
    assert rebuilt.function_response.response == {"result": "gone"}
    assert rebuilt.function_response.parts == []


def test_code_and_its_outcome_are_said_by_the_model() -> None:
    code = sdk.Part.from_executable_code(code="print(1)", language=sdk.Language.PYTHON)
    outcome = sdk.Part.from_code_execution_result(outcome=sdk.Outcome.OUTCOME_OK, output="1\n")
    as_dicts = [
        {"executableCode": {"code": "print(1)", "language": "PYTHON"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}},
    ]
    expected = [Piece(0, 0, 0, "assistant", "print(1)"), Piece(0, 1, 0, "assistant", "1\n")]
    assert read(model(code, outcome)) == read(model(*as_dicts)) == expected


def test_tools_of_the_server_pair_and_are_left_as_they_are() -> None:
    asked = sdk.ToolCall(
        id="s1", tool_type=sdk.ToolType.GOOGLE_SEARCH_WEB, args={"queries": ["dsgc"]}
    )
    told = sdk.ToolResponse(id="s1", tool_type=sdk.ToolType.GOOGLE_SEARCH_WEB, response={"hits": 2})
    objects = read(model(sdk.Part(tool_call=asked), sdk.Part(tool_response=told)))
    as_dicts = read(
        model(
            {"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "args": asked.args}},
            {
                "toolResponse": {
                    "id": "s1",
                    "toolType": "GOOGLE_SEARCH_WEB",
                    "response": {"hits": 2},
                }
            },
        )
    )
    assert objects == as_dicts
    assert [(piece.kind, piece.key, piece.name) for piece in objects] == [
        ("call", "server id s1", "GOOGLE_SEARCH_WEB"),
        ("result", "server id s1", "GOOGLE_SEARCH_WEB"),
    ]
    assert objects[1].text == '{"hits": 2}'
    assert not objects[1].replaceable


def test_unknown_parts_are_json_without_what_is_encoded() -> None:
    novel = {"hologram": {"data": BYTES, "note": "new"}, "thoughtSignature": "s"}
    signed = sdk.Part(thought_signature=b"signed")
    pieces = read(user(novel), model(novel, signed))
    expected = '{"hologram": {"data": null, "note": "new"}}'
    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("user", expected),
        ("assistant", expected),
        ("assistant", "{}"),
    ]
    assert pieces[0].media == len(BYTES) // 4


@pytest.mark.parametrize(
    ("before", "text", "new", "after"),
    [
        ({"output": "long"}, "long", "short", {"output": "short"}),
        ({"error": "long"}, "long", '{"a": 1}', {"error": '{"a": 1}'}),
        ({"rows": [1, 2]}, '{"rows": [1, 2]}', '{"rows": [1]}', {"rows": [1]}),
        ({"rows": [1, 2]}, '{"rows": [1, 2]}', "[1]", {"result": "[1]"}),
        ({"a": "x", "b": "y"}, '{"a": "x", "b": "y"}', "gone", {"result": "gone"}),
        ({}, "{}", "gone", {"result": "gone"}),
        (None, "", "gone", {"result": "gone"}),
        ("bare", "bare", "gone", {"result": "gone"}),
    ],
)
def test_a_new_text_of_a_response_leaves_it_a_dict(
    before: Any, text: str, new: str, after: dict[str, Any]
) -> None:
    part = response("look", before, "c1")
    message = user(part, {"text": "and?"})
    copied = copy.deepcopy(message)
    assert read(message)[0].text == text
    rebuilt = FORMAT.rebuild(message, {0: new, 1: None})
    assert rebuilt == user(response("look", after, "c1"), {"text": "and?"})
    assert rebuilt["parts"][1] is message["parts"][1]
    assert message == copied


def test_a_rebuilt_dict_keeps_its_spelling_and_other_fields() -> None:
    part = {
        "functionResponse": {"id": "c1", "name": "look", "response": {"output": "x"}, "extra": 1},
        "thoughtSignature": "s",
    }
    rebuilt = FORMAT.rebuild({**user({"text": "hi"}, part), "id": "m1"}, {1: "short"})
    answered = {**part["functionResponse"], "response": {"output": "short"}}  # type: ignore[dict-item]
    assert rebuilt == {
        "role": "user",
        "parts": [{"functionResponse": answered, "thoughtSignature": "s"}],
        "id": "m1",
    }


def test_a_rebuilt_object_stays_of_its_types() -> None:
    called = sdk.Part(
        function_call=sdk.FunctionCall(id="c1", name="look", args={}), thought_signature=b"sig"
    )
    content = sdk.ModelContent(parts=[sdk.Part(text="looking"), called])
    rebuilt = FORMAT.rebuild(content, {1: None})
    assert type(rebuilt) is sdk.ModelContent
    assert rebuilt.role == "model"
    assert len(rebuilt.parts) == 1
    assert rebuilt.parts[0] is content.parts[1]
    answered = sdk.UserContent(
        parts=[sdk.Part.from_function_response(name="look", response={"output": "long"})]
    )
    before = answered.model_copy(deep=True)
    shortened = FORMAT.rebuild(answered, {0: "short"})
    assert isinstance(shortened, sdk.UserContent)
    assert isinstance(shortened.parts[0], sdk.Part)
    expected = sdk.UserContent(
        parts=[sdk.Part.from_function_response(name="look", response={"output": "short"})]
    )
    assert shortened == expected
    assert answered == before


def test_texts_and_parts_need_no_content_around_them() -> None:
    part = sdk.Part.from_function_response(name="look", response={"output": "long"})
    messages = ["go", sdk.Part.from_function_call(name="look", args={}), part]
    pieces = FORMAT.read(messages)
    assert [(piece.kind, piece.message) for piece in pieces] == [
        ("user", 0),
        ("call", 1),
        ("result", 2),
    ]
    assert FORMAT.rebuild("go", {0: None}) == "go"
    assert FORMAT.rebuild(part, {0: None}) == part
    shortened = FORMAT.rebuild(part, {0: "short"})
    assert shortened == sdk.Part.from_function_response(name="look", response={"output": "short"})


def test_a_text_may_stand_for_the_parts() -> None:
    message = {"role": "model", "parts": "hi"}
    assert read(message) == [Piece(0, 0, 0, "assistant", "hi")]
    assert FORMAT.rebuild(message, {0: None}) == message


@pytest.mark.parametrize(
    "message",
    [
        {"role": "model", "parts": []},
        {"role": "model", "parts": None},
        {"role": "model"},
        {"role": "model", "parts": ""},
        sdk.Content(role="model"),
        sdk.Content(role="model", parts=[]),
    ],
)
def test_a_message_of_nothing_is_one_empty_piece(message: Any) -> None:
    assert read(message) == [Piece(0, 0, 0, "assistant", "")]


def test_odd_parts_do_not_crash() -> None:
    pieces = read(user({"text": "\ud800"}, {"text": ""}, {"text": None}, {}, None, "bare", 5))
    expected = ["\ud800", "", '{"text": null}', "{}", "null", "bare", "5"]
    assert [piece.text for piece in pieces] == expected


def test_a_call_without_arguments_is_its_name() -> None:
    [piece] = read(model({"function_call": {"name": "now"}}))
    assert (piece.text, piece.arguments) == ("now", None)


@pytest.mark.parametrize(
    ("message", "what"),
    [
        ({"role": "assistant", "parts": []}, "has the role 'assistant', none of user, model"),
        ({"role": ["user"], "parts": []}, r"has the role \['user'\]"),
        ({"role": "user", "content": "hi"}, "has no parts"),
        ({"type": "function_call"}, "has no parts"),
        (None, "has no parts"),
        ({"role": "user", "parts": 5}, "has a content of the type int"),
        ({"role": "user", "parts": {"text": "hi"}}, "has a content of the type dict"),
    ],
)
def test_a_message_of_another_kind_is_refused(message: Any, what: str) -> None:
    with pytest.raises(UnreadableMessageError, match=rf"messages\[1\] {what}") as caught:
        read(user({"text": "hi"}), message)
    assert caught.value.position == 1
    assert caught.value.format == "gemini"


@pytest.mark.parametrize(
    "message",
    [
        user({"text": "hi"}),
        {"parts": [{"text": "hi"}]},
        model(),
        {"role": "tool", "parts": [response("look", {})]},
        user({"functionResponse": {"name": "look"}}),
        user({"inlineData": {"mimeType": "image/png"}}),
        sdk.Content(role="user", parts=[sdk.Part(text="hi")]),
        sdk.UserContent(parts="hi"),
    ],
)
def test_parts_that_only_this_format_has_are_recognized(message: Any) -> None:
    assert FORMAT.recognizes([message])


OTHERS: dict[str, list[Any]] = {
    "nothing": [],
    "texts": ["hi", {"role": "user", "content": "hi"}],
    "OpenAI chat": [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "function_call": {"name": "look", "arguments": "{}"}},
        {"role": "function", "name": "look", "content": "x"},
        {"role": "tool", "tool_call_id": "c1", "content": "x"},
    ],
    "OpenAI Responses": [
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "x"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
    ],
    "Anthropic": [
        {"role": "assistant", "content": [TextBlock(type="text", text="hi", citations=None)]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1"}]},
    ],
    "LangChain": [
        HumanMessage("hi"),
        AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "c1"}]),
        ToolMessage("x", tool_call_id="c1"),
        ChatMessage(content="x", role="model"),
    ],
    "pydantic-ai": [
        ModelRequest([UserPromptPart("hi")]),
        ModelResponse([TextPart("x"), ToolCallPart("look", {}, "c1")]),
    ],
    "pydantic-ai as JSON": [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "hi"}]}
    ],
    "parts of the Vercel AI SDK": [{"role": "user", "parts": [{"type": "text", "text": "hi"}]}],
    "parts of A2A": [{"role": "user", "parts": [{"kind": "text", "text": "hi"}]}],
    "no messages at all": [None, 5],
}


@pytest.mark.parametrize("messages", OTHERS.values(), ids=OTHERS.keys())
def test_messages_of_other_formats_are_not_recognized(messages: list[Any]) -> None:
    assert not FORMAT.recognizes(messages)


def test_reading_and_rebuilding_leave_the_messages_as_they_were() -> None:
    messages = [
        user({"text": "hi"}, {"inline_data": {"mime_type": "image/png", "data": BYTES}}),
        sdk.Content.model_validate(model(call("look", "c1", a=[1]))),
        sdk.Content.model_validate(user(response("look", {"rows": [1]}))),
    ]
    before = copy.deepcopy(messages)
    pieces = FORMAT.read(messages)
    FORMAT.rebuild(messages[0], {0: None})
    FORMAT.rebuild(messages[2], {0: "short"})
    assert messages == before
    assert FORMAT.read(messages) == pieces
