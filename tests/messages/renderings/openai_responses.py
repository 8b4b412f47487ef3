"""OpenAI Responses: reasoning, texts, calls and outputs are items of their own."""

from typing import Any

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
    System,
    User,
)
from tests.messages.renderings._shared import PNG_URL, arguments_text, is_custom


def render(conversation: Conversation) -> list[Any]:
    items: list[Any] = []
    for event in conversation.events:
        items.extend(_items(event, conversation.style, len(items)))
    return items


def _items(event: Event, style: Style, number: int) -> list[dict[str, Any]]:
    match event:
        case System(text):
            role = "developer" if style.joined else "system"
            return [{"role": role, "content": _input(text, style)}]
        case User(text, image):
            content = [*_parts(text), _image()] if image else _input(text, style)
            return [{"type": "message", "role": "user", "content": content}]
        case Assistant(text, reasoning):
            return [*_reasoning(reasoning, number), _message(text, number)]
        case Calls(calls, text, reasoning):
            items = _reasoning(reasoning, number)
            if text is not None:
                items.append(_message(text, number))
            return [*items, *map(_call, calls)]
        case Results(results):
            return [_output(result, style) for result in results]


def _parts(text: str) -> list[dict[str, Any]]:
    return [{"type": "input_text", "text": text}]


def _image() -> dict[str, Any]:
    return {"type": "input_image", "image_url": PNG_URL, "detail": "auto"}


def _input(text: str, style: Style) -> Any:
    return _parts(text) if style.in_parts else text


def _reasoning(text: str | None, number: int) -> list[dict[str, Any]]:
    if text is None:
        return []
    summary = [{"type": "summary_text", "text": text}]
    return [
        {
            "type": "reasoning",
            "id": f"rs_{number}",
            "summary": summary,
            "encrypted_content": f"sealed {number}",
        }
    ]


def _message(text: str, number: int) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {
        "type": "message",
        "role": "assistant",
        "id": f"msg_{number}",
        "status": "completed",
        "content": content,
    }


def _call(call: Call) -> dict[str, Any]:
    item: dict[str, Any] = {"call_id": call.id, "name": call.name}
    if is_custom(call.id):
        item |= {"type": "custom_tool_call", "id": f"ct_{call.serial}"}
        item |= {"input": arguments_text(call)}
    else:
        item |= {"type": "function_call", "id": f"fc_{call.serial}"}
        item |= {"arguments": arguments_text(call)}
    return item


def _output(result: Result, style: Style) -> dict[str, Any]:
    kind = "custom_tool_call_output" if is_custom(result.id) else "function_call_output"
    return {"type": kind, "call_id": result.id, "output": _content(result.content, style)}


def _content(content: Content, style: Style) -> Any:
    if content.image:
        return [*_parts(content.text), _image()]
    return _input(content.text, style)
