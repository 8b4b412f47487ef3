"""The messages of each format that say what an abstract conversation says."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from tests.messages.conversations import Conversation
from tests.messages.renderings import (
    anthropic,
    gemini,
    langchain,
    openai_chat,
    openai_responses,
    pydantic_ai,
)

Renderer = Callable[[Conversation], list[Any]]

RENDERERS: MappingProxyType[str, Renderer] = MappingProxyType(
    {
        "openai-chat": openai_chat.render,
        "openai-responses": openai_responses.render,
        "anthropic": anthropic.render,
        "gemini": gemini.render,
        "langchain": langchain.render,
        "pydantic-ai": pydantic_ai.render,
    }
)
FORMATS = tuple(RENDERERS)
