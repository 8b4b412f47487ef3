"""Requests and responses of pydantic-ai, part by part."""

import copy
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from pydantic_ai.messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    CompactionPart,
    DocumentUrl,
    FilePart,
    ImageUrl,
    InstructionDeltaPart,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryFeedbackPart,
    RetryInfo,
    RetryPromptPart,
    SpeechPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolAvailabilityDeltaPart,
    ToolCallPart,
    ToolReturnPart,
    ToolSearchReturnPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)

from dsgc.errors import UnreadableMessageError
from dsgc.messages import _media
from dsgc.messages._format import Format
from dsgc.messages._pieces import Piece
from dsgc.messages.formats._pydantic_ai import PydanticAI

FORMAT: Format = PydanticAI()
NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)
PNG = BinaryContent(b"\x89PNG" * 300, media_type="image/png")


def read(*messages: Any) -> list[Piece]:
    return FORMAT.read(messages)


def request(*parts: ModelRequestPart) -> ModelRequest:
    return ModelRequest(list(parts), timestamp=NOON)


def response(*parts: ModelResponsePart) -> ModelResponse:
    return ModelResponse(list(parts), timestamp=NOON)


def user(said: str) -> UserPromptPart:
    return UserPromptPart(said, timestamp=NOON)


def call(identity: str, args: str | dict[str, Any] | None = None) -> ToolCallPart:
    return ToolCallPart("look", args, identity)


def returned(identity: str, content: Any = "seen", **more: Any) -> ToolReturnPart:
    return ToolReturnPart("look", content, identity, timestamp=NOON, **more)


def retry(content: Any, tool: str | None, identity: str = "r") -> RetryPromptPart:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the part is deprecated, but histories have it
        return RetryPromptPart(content, tool_name=tool, tool_call_id=identity, timestamp=NOON)


def content_of(part: Any, text: str) -> Any:
    changed = FORMAT.rebuild(request(user("go"), part), {1: text})
    [only] = changed.parts
    assert type(only) is type(part)
    return only.content


def test_the_parts_of_a_request_are_pieces_of_their_own() -> None:
    assert read(
        request(SystemPromptPart("be brief", timestamp=NOON), user("hello")),
        response(ThinkingPart("hm"), TextPart("I look"), call("c1", '{"city": "Lima"}')),
        request(returned("c1"), user("and?")),
    ) == [
        Piece(0, 0, 0, "system", "be brief"),
        Piece(0, 1, 0, "user", "hello"),
        Piece(1, 0, 1, "reasoning", "hm"),
        Piece(1, 1, 1, "assistant", "I look"),
        Piece(
            1,
            2,
            1,
            "call",
            'look\n{"city": "Lima"}',
            key="c1",
            name="look",
            arguments={"city": "Lima"},
        ),
        Piece(2, 0, 2, "result", "seen", key="c1", name="look", replaceable=True),
        Piece(2, 1, 2, "user", "and?"),
    ]


def test_arguments_may_be_a_dict_a_text_that_is_no_json_or_nothing() -> None:
    pieces = read(response(call("a", {"city": "Lima"}), call("b", "{broken"), call("c")))
    assert [piece.arguments for piece in pieces] == [{"city": "Lima"}, "{broken", None]
    assert [piece.text for piece in pieces] == ['look\n{"city": "Lima"}', "look\n{broken", "look"]
    assert all(piece.awaits_result for piece in pieces)


def test_a_retry_answers_a_call_only_where_it_names_a_tool() -> None:
    feedback = RetryFeedbackPart("say more", retry=RetryInfo(cause="model_retry"), timestamp=NOON)
    answer, remark, remark_of_today = read(
        request(retry("no such city", "look", "c1"), retry("say more", None), feedback)
    )
    assert (answer.kind, answer.key, answer.text) == ("result", "c1", "no such city")
    assert answer.replaceable
    assert (remark.kind, remark.text) == ("user", "say more")
    assert (remark_of_today.kind, remark_of_today.text) == ("user", "say more")


def test_the_tools_of_a_provider_wait_for_nothing_and_may_return_later() -> None:
    pieces = read(
        response(NativeToolCallPart("web_search", {"query": "Lima"}, "n1"), TextPart("wait")),
        response(NativeToolReturnPart("web_search", {"hits": 2}, "n1", timestamp=NOON)),
    )
    called, _, result = pieces
    assert (called.kind, called.key, called.awaits_result) == ("call", "n1", False)
    assert (result.kind, result.key, result.replaceable) == ("result", "n1", False)
    assert result.text == '{"hits": 2}'


@pytest.mark.parametrize(
    ("content", "text", "media"),
    [
        ("seen", "seen", 0),
        (None, "", 0),
        ({"city": "Lima", "days": [1, 2]}, '{"city": "Lima", "days": [1, 2]}', 0),
        (["a", "b"], '["a", "b"]', 0),
        (5, "5", 0),
        (NOON, "2025-01-01T12:00:00Z", 0),
        (PNG, "", _media.IMAGE),
        (["a cat", PNG], "a cat", _media.IMAGE),
        (["a", "b", ImageUrl("https://x/i.png")], '["a", "b"]', _media.IMAGE),
        ({"picture": PNG.base64}, '{"picture": null}', 300),
    ],
)
def test_a_return_is_its_text_and_the_price_of_its_files(
    content: Any, text: str, media: int
) -> None:
    [piece] = read(request(returned("c1", content)))
    assert (piece.text, piece.media) == (text, media)


def test_a_failed_return_is_read_without_the_wrapper_it_is_sent_in() -> None:
    [piece] = read(request(returned("c1", {"why": "no"}, outcome="failed")))
    assert piece.text == '{"why": "no"}'


def test_a_return_that_cannot_be_json_is_its_text() -> None:
    [piece] = read(request(returned("c1", {"value": object})))
    assert piece.text == "{'value': <class 'object'>}"


def test_what_a_user_shows_has_a_price_and_no_text() -> None:
    [piece] = read(
        request(
            UserPromptPart(
                [
                    "look",
                    TextContent("at these"),
                    ImageUrl("https://x/i.png"),
                    AudioUrl("https://x/a.mp3"),
                    VideoUrl("https://x/v.mp4"),
                    DocumentUrl("https://x/d.pdf"),
                    PNG,
                    BinaryContent(b"%PDF", media_type="application/pdf"),
                    UploadedFile("f", "openai", media_type="image/png"),
                    CachePoint(),
                ]
            )
        )
    )
    assert piece.text.split() == ["look", "at", "these"]
    prices = 3 * _media.IMAGE + _media.AUDIO + _media.VIDEO + 2 * _media.FILE
    assert piece.media == prices


def test_files_and_speech_of_the_model_have_their_prices() -> None:
    sound = BinaryContent(b"RIFF", media_type="audio/wav")
    file, spoken, heard = read(
        response(FilePart(PNG), SpeechPart(speaker="assistant", transcript="hi", audio=sound)),
        request(SpeechPart(speaker="user", transcript="hello")),
    )
    assert (file.kind, file.text, file.media) == ("assistant", "", _media.IMAGE)
    assert (spoken.kind, spoken.text, spoken.media) == ("assistant", "hi", _media.AUDIO)
    assert (heard.kind, heard.text, heard.media) == ("user", "hello", 0)


def test_sealed_thinking_has_a_price_for_what_it_hides() -> None:
    [piece] = read(response(ThinkingPart("", signature="A" * 1600, provider_name="openai")))
    assert (piece.text, piece.media) == ("", 300)


def test_summaries_and_records_are_pinned() -> None:
    sealed = {"encrypted_content": "A" * 1600}
    pieces = read(
        request(
            CompactionPart("so far"),
            InstructionDeltaPart(id=None, content="be brief"),
            ToolAvailabilityDeltaPart(tools_added=["look", "find"]),
        ),
        response(CompactionPart(None, provider_name="openai", provider_details=sealed)),
    )
    assert [(piece.kind, piece.text, piece.media) for piece in pieces] == [
        ("user", "so far", 0),
        ("system", "be brief", 0),
        ("system", "look\nfind", 0),
        ("system", "", 300),
    ]
    assert all(piece.pinned for piece in pieces)


def test_a_prompt_for_one_request_says_nothing_once_that_is_answered() -> None:
    prompt = SystemPromptPart("3 calls left", scope="request", timestamp=NOON)
    first, _, second = read(request(prompt), response(TextPart("ok")), request(prompt))
    assert (first.text, second.text) == ("", "3 calls left")


def test_a_suspended_response_stays_for_the_model_to_go_on() -> None:
    [piece] = read(ModelResponse([TextPart("I sea")], state="suspended"))
    assert piece.pinned


def test_what_pydantic_ai_reads_again_is_not_replaced() -> None:
    part = ToolSearchReturnPart(content={"discovered_tools": []}, tool_call_id="c1", timestamp=NOON)
    [piece] = read(request(part))
    assert (piece.kind, piece.replaceable) == ("result", False)


def test_a_part_of_an_unknown_kind_is_never_lost() -> None:
    part: Any = {"part_kind": "of-tomorrow", "value": PNG.base64, "note": "hi"}
    asked, answered = read(
        {"kind": "request", "parts": [part]}, {"kind": "response", "parts": [part]}
    )
    assert (asked.kind, asked.pinned) == ("system", True)
    assert (answered.kind, answered.pinned) == ("assistant", False)
    assert "hi" in asked.text
    assert PNG.base64 not in asked.text


def test_an_object_of_an_unknown_kind_is_never_lost() -> None:
    @dataclass
    class OfTomorrow:
        note: str
        data: bytes
        part_kind: str = "of-tomorrow"

    part: Any = OfTomorrow("hi", b"\x89" * 400)
    [piece] = read(response(part))
    assert piece.text == '{"note": "hi", "data": null, "part_kind": "of-tomorrow"}'
    assert piece.media == 100


@pytest.mark.parametrize(
    ("message", "kind"), [(ModelRequest([], instructions="x"), "system"), (response(), "assistant")]
)
def test_a_message_without_parts_is_one_piece(message: ModelMessage, kind: str) -> None:
    assert [(piece.kind, piece.text) for piece in read(message)] == [(kind, "")]
    assert FORMAT.rebuild(message, {0: None}) == message


@pytest.mark.parametrize(
    "part",
    [user(""), UserPromptPart([]), SystemPromptPart(""), user("\ud800"), returned("c", "\ud800")],
)
def test_a_part_is_a_piece_however_little_it_says(part: ModelRequestPart) -> None:
    assert [piece.part for piece in read(request(part))] == [0]


def test_a_return_with_a_lone_surrogate_inside_is_read() -> None:
    [piece] = read(request(returned("c1", {"city": "\ud800"})))
    assert "city" in piece.text


def test_the_json_of_a_history_reads_like_the_history() -> None:
    messages: list[ModelMessage] = [
        request(SystemPromptPart("be brief"), UserPromptPart(["look", PNG])),
        response(TextPart("I look"), call("c1", {"city": "Lima"})),
        request(returned("c1", {"temperature": 5}), returned("c1", ["a cat", PNG]), user("and?")),
    ]
    dicts = ModelMessagesTypeAdapter.dump_python(messages, mode="json")
    assert read(*dicts)[:4] == read(*messages)[:4]
    assert [(p.kind, p.key, p.media) for p in read(*dicts)] == [
        (p.kind, p.key, p.media) for p in read(*messages)
    ]
    changed = FORMAT.rebuild(dicts[2], {0: '{"short": 1}', 2: None})
    assert changed == {
        **dicts[2],
        "parts": [{**dicts[2]["parts"][0], "content": {"short": 1}}, dicts[2]["parts"][2]],
    }


def test_a_request_keeps_only_the_parts_that_are_wanted_and_all_its_fields() -> None:
    message = ModelRequest(
        [SystemPromptPart("s"), returned("a"), returned("b"), user("and?")],
        timestamp=NOON,
        instructions="be brief",
        run_id="run",
        conversation_id="talk",
        metadata={"k": 1},
    )
    before = copy.deepcopy(message)
    changed = FORMAT.rebuild(message, {0: None, 2: "short", 3: None})
    assert message == before
    assert changed == ModelRequest(
        [message.parts[0], returned("b", "short"), message.parts[3]],
        timestamp=NOON,
        instructions="be brief",
        run_id="run",
        conversation_id="talk",
        metadata={"k": 1},
    )
    assert changed.parts[0] is message.parts[0]


def test_a_response_keeps_its_fields() -> None:
    message = ModelResponse([TextPart("a"), call("c")], model_name="m", timestamp=NOON)
    changed = FORMAT.rebuild(message, {0: None})
    assert changed == ModelResponse([TextPart("a")], model_name="m", timestamp=NOON)
    assert FORMAT.rebuild(message, {0: None, 1: None}) == message


@pytest.mark.parametrize(
    ("content", "text", "expected"),
    [
        ("long", "short", "short"),
        ("long", '{"a": 1}', '{"a": 1}'),
        (None, "short", "short"),
        ({"a": 1, "b": 2}, '{"a": 1}', {"a": 1}),
        ([1, 2, 3], "[1]", [1]),
        ({"a": 1}, "left out", "left out"),
        ({"a": 1}, "5", "5"),
        (["a cat", PNG], "left out", "left out"),
    ],
)
def test_a_replaced_return_stays_structured_where_it_can(
    content: Any, text: str, expected: Any
) -> None:
    part = returned("c1", content, metadata={"k": 1})
    assert content_of(part, text) == expected
    assert part == returned("c1", content, metadata={"k": 1})


def test_a_replaced_return_keeps_the_fields_of_its_part() -> None:
    part = returned("c1", "long", metadata={"k": 1}, outcome="failed")
    changed = FORMAT.rebuild(request(part), {0: "short"})
    assert changed == request(returned("c1", "short", metadata={"k": 1}, outcome="failed"))


def test_a_replaced_retry_is_a_text_and_does_not_warn() -> None:
    part = retry([{"type": "missing", "loc": ("city",), "msg": "Field required"}], "look")
    assert content_of(part, '{"a": 1}') == '{"a": 1}'
    assert read(request(part))[0].text.startswith('[{"type": "missing"')


def test_rebuilt_messages_go_through_the_json_of_pydantic_ai() -> None:
    changed = FORMAT.rebuild(request(returned("c1", {"a": 1, "b": 2}), user("go")), {0: '{"a": 1}'})
    [again] = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json([changed]))
    assert again == changed


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ({"role": "user", "content": "hello"}, "dict"),
        ("hello", "str"),
        (HumanMessage("hello"), "HumanMessage"),
        ({"kind": "request"}, "dict"),
        ({"kind": ["request"], "parts": []}, "dict"),
        (user("hello"), "UserPromptPart"),
    ],
)
def test_what_is_no_message_is_refused_by_its_position(message: Any, name: str) -> None:
    with pytest.raises(
        UnreadableMessageError, match=rf"messages\[1\] is a {name}, neither a request nor"
    ):
        read(request(user("go")), message)
    assert not FORMAT.recognizes([message])


def test_a_content_that_is_no_content_is_refused() -> None:
    part = {"part_kind": "user-prompt", "content": 5}
    with pytest.raises(
        UnreadableMessageError, match=r"messages\[0\] has a content of the type int"
    ):
        read({"kind": "request", "parts": [part]})


@pytest.mark.parametrize("message", [request(user("go")), response(TextPart("ok"))])
def test_a_request_or_a_response_is_recognized(message: ModelMessage) -> None:
    assert FORMAT.recognizes([message])


def test_other_formats_are_not_recognized() -> None:
    assert not FORMAT.recognizes(
        [{"role": "model", "parts": [{"text": "hi"}]}, {"role": "user", "content": "hi"}, None]
    )


def test_reading_leaves_the_messages_as_they_were() -> None:
    messages = [
        request(UserPromptPart(["look", PNG])),
        response(ThinkingPart("hm"), call("c1", {"a": 1})),
        request(returned("c1", {"a": [PNG]})),
    ]
    before = copy.deepcopy(messages)
    pieces = read(*messages)
    assert messages == before
    assert all(PNG.base64 not in piece.text for piece in pieces)
