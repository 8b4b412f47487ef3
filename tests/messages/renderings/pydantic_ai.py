"""Messages of pydantic-ai; with `joined` one request holds results and what the user says next."""

import json
from datetime import UTC, datetime
from typing import Any

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)

from tests.messages.conversations import (
    Assistant,
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
from tests.messages.renderings._shared import PNG

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


def render(conversation: Conversation) -> list[Any]:
    style = conversation.style
    messages: list[ModelMessage] = []
    for event in conversation.events:
        if isinstance(event, Assistant | Calls):
            messages.append(ModelResponse(_response_parts(event), timestamp=NOON))
            continue
        parts = _request_parts(event, style)
        last = messages[-1] if messages else None
        if style.joined and isinstance(last, ModelRequest):
            messages[-1] = ModelRequest([*last.parts, *parts])
        else:
            messages.append(ModelRequest(parts))
    return messages


def _request_parts(event: Event, style: Style) -> list[ModelRequestPart]:
    match event:
        case System(text):
            return [SystemPromptPart(text, timestamp=NOON)]
        case User(text, image):
            content: list[UserContent] = [text, _image()] if image else [text]
            return [UserPromptPart(content if image or style.in_parts else text, timestamp=NOON)]
        case Results(results):
            return [_return(result, style) for result in results]
        case Assistant() | Calls():
            raise AssertionError("a response is no request")


def _response_parts(event: Assistant | Calls) -> list[ModelResponsePart]:
    parts: list[ModelResponsePart] = []
    if event.reasoning is not None:
        parts.append(ThinkingPart(event.reasoning, signature=f"signed {event.reasoning}"))
    if event.text is not None:
        parts.append(TextPart(event.text))
    if isinstance(event, Calls):
        parts.extend(ToolCallPart(call.name, call.arguments, call.id) for call in event.calls)
    return parts


def _image() -> BinaryContent:
    return BinaryContent(PNG, media_type="image/png")


def _return(result: Result, style: Style) -> ToolReturnPart:
    return ToolReturnPart(
        result.name,
        _value(result.content, style),
        result.id,
        timestamp=NOON,
        outcome="failed" if result.content.error else "success",
    )


def _value(content: Content, style: Style) -> Any:
    if content.image:
        return [content.text, _image()]
    if style.structured:
        try:
            return json.loads(content.text)
        except ValueError:
            return content.text
    return content.text
