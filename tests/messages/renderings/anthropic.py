"""Anthropic messages: system text is not among them, results are blocks of a user message."""

from typing import Any

from tests.messages.conversations import (
    Assistant,
    Call,
    Calls,
    Conversation,
    Event,
    Result,
    Results,
    Style,
    System,
    User,
)
from tests.messages.renderings._shared import PNG_BASE64


def render(conversation: Conversation) -> list[Any]:
    """Return the messages; a conversation that the user does not begin gets a first message."""
    style = conversation.style
    messages: list[dict[str, Any]] = []
    for event in conversation.events:
        if isinstance(event, System):
            continue
        if not messages and not isinstance(event, User):
            messages.append({"role": "user", "content": "Begin."})
        message = _message(event, style)
        joins = style.joined and isinstance(event, User) and _holds_results(messages)
        if joins:
            messages[-1]["content"].extend(_blocks(message["content"]))
        else:
            messages.append(message)
    return messages


def _holds_results(messages: list[dict[str, Any]]) -> bool:
    content = messages[-1]["content"] if messages else None
    return isinstance(content, list) and content[0]["type"] == "tool_result"


def _message(event: Event, style: Style) -> dict[str, Any]:
    match event:
        case User(text, image):
            content: Any = [*_blocks(text), _image()] if image else _text(text, style)
            return {"role": "user", "content": content}
        case Assistant(text, reasoning):
            content = _text(text, style)
            if reasoning is not None:
                content = [_thinking(reasoning), *_blocks(text)]
            return {"role": "assistant", "content": content}
        case Calls(calls, text, reasoning):
            content = [] if reasoning is None else [_thinking(reasoning)]
            content.extend(() if text is None else _blocks(text))
            content.extend(map(_call, calls))
            return {"role": "assistant", "content": content}
        case Results(results):
            return {"role": "user", "content": [_result(result, style) for result in results]}
        case System():
            raise AssertionError("system text is no message")


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _text(text: str, style: Style) -> Any:
    return _blocks(text) if style.in_parts else text


def _image() -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": PNG_BASE64}
    return {"type": "image", "source": source}


def _thinking(text: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": text, "signature": f"signed {text}"}


def _call(call: Call) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}


def _result(result: Result, style: Style) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.id}
    content = result.content
    if content.image:
        block["content"] = [*_blocks(content.text), _image()]
    elif content.text or not style.structured:
        block["content"] = _text(content.text, style)
    if content.error:
        block["is_error"] = True
    return block
