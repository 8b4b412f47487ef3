"""One module a format; each reads messages into pieces and makes messages of what is kept."""

from dsgc.messages._format import Format
from dsgc.messages.formats._anthropic import Anthropic
from dsgc.messages.formats._gemini import Gemini
from dsgc.messages.formats._langchain import LangChain
from dsgc.messages.formats._openai_chat import OpenAIChat
from dsgc.messages.formats._openai_responses import OpenAIResponses
from dsgc.messages.formats._pydantic_ai import PydanticAI

_ALL: tuple[Format, ...] = (
    OpenAIChat(),
    OpenAIResponses(),
    Anthropic(),
    Gemini(),
    LangChain(),
    PydanticAI(),
)
FORMATS: dict[str, Format] = {each.name: each for each in _ALL}

__all__ = ["FORMATS"]
