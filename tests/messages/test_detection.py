"""The format of messages: the one that is named, or the one whose marks they bear."""

from typing import Any

import pytest
from anthropic.types import Message, ToolUseBlock, Usage
from google.genai.types import Content, Part
from hypothesis import given
from langchain_core.messages import HumanMessage
from openai.types.chat import ChatCompletionMessage
from pydantic_ai.messages import ModelRequest, UserPromptPart

from dsgc.errors import InputTypeError, UnknownFormatError
from dsgc.messages._detection import AUTO, format_of
from dsgc.messages.formats import FORMATS
from tests.messages.conversations import Calls, Conversation, Results, conversations
from tests.messages.renderings import RENDERERS

CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
ASKED = {"role": "user", "content": "Read it."}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_that_is_named_is_not_looked_for(name: str) -> None:
    assert format_of([], name) is FORMATS[name]
    assert format_of([{"role": "tool", "tool_call_id": "c1", "content": ""}], name).name == name


@pytest.mark.parametrize(
    ("messages", "name"),
    [
        ([ASKED, {"role": "assistant", "tool_calls": [CALL]}], "openai-chat"),
        ([{"role": "tool", "tool_call_id": "c1", "content": "milk"}], "openai-chat"),
        ([ChatCompletionMessage(role="assistant", tool_calls=[CALL])], "openai-chat"),
        (
            [ASKED, {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"}],
            "openai-responses",
        ),
        (
            [{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "read"}]}],
            "anthropic",
        ),
        ([{"role": "user", "parts": [{"text": "Read it."}]}], "gemini"),
        ([Content(role="user", parts=[Part(text="Read it.")])], "gemini"),
        ([HumanMessage("Read it.")], "langchain"),
        ([ModelRequest(parts=[UserPromptPart("Read it.")])], "pydantic-ai"),
    ],
)
def test_the_marks_of_a_format_tell_it(messages: list[Any], name: str) -> None:
    assert format_of(messages, AUTO).name == name


def test_a_reply_of_anthropic_s_client_is_told_by_its_blocks() -> None:
    reply = Message(
        id="msg_1",
        model="claude",
        type="message",
        role="assistant",
        content=[ToolUseBlock(id="t", name="read", input={}, type="tool_use")],
        usage=Usage(input_tokens=1, output_tokens=1),
    )
    assert format_of([ASKED, reply], AUTO).name == "anthropic"


@pytest.mark.parametrize("messages", [[], [ASKED], [{"role": "assistant", "content": "Done."}]])
def test_what_could_be_of_several_formats_is_read_as_openai_chat(messages: list[Any]) -> None:
    assert format_of(messages, AUTO).name == "openai-chat"


@pytest.mark.parametrize("name", RENDERERS)
@given(drawn=conversations(broken=False))
def test_a_conversation_in_which_tools_are_called_is_told_by_its_marks(
    name: str, drawn: Conversation
) -> None:
    if any(isinstance(event, Calls | Results) for event in drawn.events):
        assert format_of(RENDERERS[name](drawn), AUTO).name == name


def test_a_name_of_no_format_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        UnknownFormatError,
        match=r"there is no format 'openai'\. Known formats: openai-chat, openai-responses, "
        r"anthropic, gemini, langchain, pydantic-ai, auto\.",
    ) as caught:
        format_of([ASKED], "openai")
    assert caught.value.known == (*FORMATS, "auto")


@pytest.mark.parametrize("name", [None, 3, FORMATS["gemini"]])
def test_a_format_that_is_no_name_is_refused(name: Any) -> None:
    with pytest.raises(InputTypeError, match=r"format is of the type \w+\. Give its name, a str"):
        format_of([ASKED], name)
