"""What makes a history valid in each format: the rules, written without the code they check."""

from tests.messages.validity._rules import Checker
from tests.messages.validity.anthropic import ANTHROPIC
from tests.messages.validity.gemini import GEMINI
from tests.messages.validity.langchain import LANGCHAIN
from tests.messages.validity.openai_chat import OPENAI_CHAT
from tests.messages.validity.openai_responses import OPENAI_RESPONSES
from tests.messages.validity.pydantic_ai import PYDANTIC_AI

CHECKERS: dict[str, Checker] = {
    "openai-chat": OPENAI_CHAT,
    "openai-responses": OPENAI_RESPONSES,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "langchain": LANGCHAIN,
    "pydantic-ai": PYDANTIC_AI,
}
