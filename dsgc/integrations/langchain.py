"""LangChain: a middleware that compacts what the model is sent."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Unpack

from dsgc.errors import MissingExtraError
from dsgc.messages._compactor import Compactor, CompactorOptions

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState
    from langchain.agents.middleware.types import ModelRequest, ModelResponse
    from langchain.agents.structured_output import AutoStrategy, ProviderStrategy, ToolStrategy
    from langchain_core.utils.function_calling import convert_to_openai_tool
except ImportError as missing:
    raise MissingExtraError("dsgc.integrations.langchain", "langchain") from missing


class CompactionMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """A middleware for `create_agent` that makes each model call fit a token budget.

    Only what the model is sent is compacted; the state of the agent keeps every message. The
    system message, the tools and the schema of a structured response count towards the budget.

    Args:
        budget: The most tokens that a model call may send, with `reserve`.
        options: As of `dsgc.messages.Compactor`, but for `format`.

    Raises:
        InputError: an option that cannot be, as of `Compactor`.
        PinsOverBudgetError: at a model call: what must stay does not fit.

    Example:
        >>> from langchain.agents import create_agent
        >>> from langchain_core.language_models import FakeListChatModel
        >>> agent = create_agent(
        ...     FakeListChatModel(responses=["Hello to you"]),
        ...     middleware=[CompactionMiddleware(8_000, high_water=0.9, low_water=0.5)],
        ... )
        >>> agent.invoke({"messages": [("user", "Hello")]})["messages"][-1].content
        'Hello to you'
    """

    def __init__(self, budget: int, **options: Unpack[CompactorOptions]) -> None:
        super().__init__()
        self.compactor = Compactor(budget, format="langchain", **options)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model with messages that fit."""
        return handler(self._compacted(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Call the model with messages that fit; the work is done in a thread of its own."""
        return await handler(await asyncio.to_thread(self._compacted, request))

    def _compacted(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        head = [] if request.system_message is None else [request.system_message]
        given = [*head, *request.messages]
        messages = self.compactor.compact(given, tools=_schemas(request)).messages
        return request.override(messages=messages[len(head) :])


def _schemas(request: ModelRequest[Any]) -> list[dict[str, Any]]:
    schemas = [
        tool if isinstance(tool, dict) else convert_to_openai_tool(tool) for tool in request.tools
    ]
    wanted: Any = request.response_format
    if isinstance(wanted, AutoStrategy | ProviderStrategy | ToolStrategy):
        wanted = wanted.schema
    if wanted is not None:
        schemas += [spec.json_schema for spec in ToolStrategy(wanted).schema_specs]
    return schemas
