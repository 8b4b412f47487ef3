"""LangChain messages; an assistant's content in parts repeats its calls, as Anthropic's does."""

from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

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
from tests.messages.renderings._shared import PNG_URL


def render(conversation: Conversation) -> list[Any]:
    messages: list[BaseMessage] = []
    for event in conversation.events:
        messages.extend(_messages(event, conversation.style))
    if conversation.style.with_ids:
        for number, message in enumerate(messages):
            message.id = f"message-{number}"
    return messages


def _messages(event: Event, style: Style) -> list[BaseMessage]:
    match event:
        case System(text):
            return [SystemMessage(_text(text, style))]
        case User(text, image):
            return [HumanMessage([*_blocks(text), _image()] if image else _text(text, style))]
        case Assistant(text, reasoning):
            return [AIMessage(_said(text, reasoning, style))]
        case Calls(calls, text, reasoning):
            content = _said(text, reasoning, style)
            if isinstance(content, list):
                content = [*content, *map(_block, calls)]
            return [AIMessage(content, tool_calls=[_call(call) for call in calls])]
        case Results(results):
            return [
                ToolMessage(
                    _result(result.content, style),
                    tool_call_id=result.id,
                    name=result.name,
                    status="error" if result.content.error else "success",
                )
                for result in results
            ]


def _clean(text: str) -> str:
    """Return the text without lone surrogates, which a LangChain message cannot hold."""
    return text.replace("\ud800", "?")


def _blocks(text: str) -> list[Any]:
    return [{"type": "text", "text": _clean(text)}]


def _text(text: str, style: Style) -> Any:
    return _blocks(text) if style.in_parts else _clean(text)


def _image() -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": PNG_URL}}


def _said(text: str | None, reasoning: str | None, style: Style) -> Any:
    if reasoning is not None:
        thinking = {"type": "thinking", "thinking": reasoning, "signature": f"signed {reasoning}"}
        return [thinking, *(() if text is None else _blocks(text))]
    if text is None:
        return [] if style.in_parts else ""
    return _text(text, style)


def _arguments(call: Call) -> dict[str, Any]:
    return {**call.arguments, "target": _clean(call.argument)}


def _block(call: Call) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": _arguments(call)}


def _call(call: Call) -> dict[str, Any]:
    return {"type": "tool_call", "id": call.id, "name": call.name, "args": _arguments(call)}


def _result(content: Content, style: Style) -> Any:
    if content.image:
        return [*_blocks(content.text), _image()]
    return _text(content.text, style)
