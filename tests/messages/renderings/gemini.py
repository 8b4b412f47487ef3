"""Gemini contents: system text is not among them, calls and their responses are parts."""

import json
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
from tests.messages.renderings._shared import PNG_BASE64


def render(conversation: Conversation) -> list[Any]:
    """Return the contents; a turn with calls always follows the user or a response.

    A conversation that the user does not begin gets a first message, and what the model says before
    a turn with calls is part of that turn.
    """
    style = conversation.style
    contents: list[dict[str, Any]] = []
    for event in conversation.events:
        if isinstance(event, System):
            continue
        if not contents and not isinstance(event, User):
            contents.append({"role": "user", "parts": [{"text": "Begin."}]})
        content = {"role": _role(event), "parts": _parts(event, style)}
        previous = contents[-1] if contents else None
        joins_user = style.joined and isinstance(event, User) and _holds_responses(previous)
        joins_model = content["role"] == "model" and _is_model_text(previous)
        if previous is not None and (joins_user or joins_model):
            previous["parts"].extend(content["parts"])
        else:
            contents.append(content)
    return [_camel(content) for content in contents] if style.structured else contents


def _role(event: Event) -> str:
    return "model" if isinstance(event, Assistant | Calls) else "user"


def _holds_responses(content: dict[str, Any] | None) -> bool:
    return content is not None and "function_response" in content["parts"][0]


def _is_model_text(content: dict[str, Any] | None) -> bool:
    return (
        content is not None
        and content["role"] == "model"
        and not any("function_call" in part for part in content["parts"])
    )


def _parts(event: Event, style: Style) -> list[dict[str, Any]]:
    match event:
        case User(text, image):
            return [{"text": text}, *([_image()] if image else [])]
        case Assistant(text, reasoning):
            return [*_thought(reasoning), {"text": text}]
        case Calls(calls, text, reasoning):
            said = [] if text is None else [{"text": text}]
            parts = [_call(call, style) for call in calls]
            if reasoning is not None:
                parts[0]["thought_signature"] = PNG_BASE64
            return [*_thought(reasoning), *said, *parts]
        case Results(results):
            return [_response(result, style) for result in results]
        case System():
            raise AssertionError("system text is no content")


def _thought(reasoning: str | None) -> list[dict[str, Any]]:
    return [] if reasoning is None else [{"text": reasoning, "thought": True}]


def _image() -> dict[str, Any]:
    return {"inline_data": {"mime_type": "image/png", "data": PNG_BASE64}}


def _call(call: Call, style: Style) -> dict[str, Any]:
    function_call: dict[str, Any] = {"name": call.name, "args": call.arguments}
    if style.with_ids:
        function_call["id"] = call.id
    return {"function_call": function_call}


def _response(result: Result, style: Style) -> dict[str, Any]:
    response: dict[str, Any] = {"name": result.name, "response": _value(result.content, style)}
    if style.with_ids:
        response["id"] = result.id
    if result.content.image:
        response["parts"] = [_image()]
    return {"function_response": response}


def _value(content: Content, style: Style) -> dict[str, Any]:
    if style.in_parts:
        try:
            value = json.loads(content.text)
        except ValueError:
            return {"output": content.text}
        return value if isinstance(value, dict) else {"result": value}
    return {"error" if content.error else "output": content.text}


_CAMEL = {
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "inline_data": "inlineData",
    "mime_type": "mimeType",
    "thought_signature": "thoughtSignature",
}


def _camel(value: dict[str, Any]) -> dict[str, Any]:
    """Return a content in the spelling of the REST interface; arguments and responses stay."""
    renamed: dict[str, Any] = {}
    for key, inner in value.items():
        if key not in {"args", "response"}:
            if isinstance(inner, dict):
                inner = _camel(inner)  # noqa: PLW2901
            elif isinstance(inner, list):
                inner = [_camel(item) for item in inner]  # noqa: PLW2901
        renamed[_CAMEL.get(key, key)] = inner
    return renamed
