"""OpenAI chat completions."""

from typing import Any

from tests.messages.conversations import (
    Assistant,
    Call,
    Calls,
    Content,
    Conversation,
    Event,
    Results,
    Style,
    System,
    User,
)
from tests.messages.renderings._shared import PNG_URL, arguments_text, is_custom


def render(conversation: Conversation) -> list[Any]:
    return [
        message for event in conversation.events for message in _messages(event, conversation.style)
    ]


def _messages(event: Event, style: Style) -> list[dict[str, Any]]:
    match event:
        case System(text):
            role = "developer" if style.joined else "system"
            return [{"role": role, "content": _text(text, style)}]
        case User(text, image):
            content = _text(text, style)
            if image:
                content = [{"type": "text", "text": text}, _image()]
            return [{"role": "user", "content": content}]
        case Assistant(text):
            return [{"role": "assistant", "content": _text(text, style)}]
        case Calls(calls, text):
            message: dict[str, Any] = {"role": "assistant", "tool_calls": list(map(_call, calls))}
            if text is not None or style.in_parts:
                message["content"] = text
            return [message]
        case Results(results):
            return [
                {
                    "role": "tool",
                    "tool_call_id": result.id,
                    "content": _result(result.content, style),
                }
                for result in results
            ]


def _text(text: str, style: Style) -> Any:
    return [{"type": "text", "text": text}] if style.in_parts else text


def _image() -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": PNG_URL}}


def _call(call: Call) -> dict[str, Any]:
    if is_custom(call.id):
        custom = {"name": call.name, "input": arguments_text(call)}
        return {"id": call.id, "type": "custom", "custom": custom}
    function = {"name": call.name, "arguments": arguments_text(call)}
    return {"id": call.id, "type": "function", "function": function}


def _result(content: Content, style: Style) -> Any:
    if content.image:
        return [{"type": "text", "text": content.text}, _image()]
    return _text(content.text, style)
