"""pydantic-ai: a capability and a history processor that compact what the model is sent."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Unpack

from dsgc.errors import MissingExtraError
from dsgc.messages._compactor import Compactor, CompactorOptions

try:
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelMessage, ModelRequest, SystemPromptPart
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.tools import RunContext, ToolDefinition
except ImportError as missing:
    raise MissingExtraError("dsgc.integrations.pydantic_ai", "pydantic-ai") from missing

_FORMAT = "pydantic-ai"
_ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)


class CompactHistory(AbstractCapability[Any]):
    """A capability for `Agent` that makes each model request fit a token budget.

    Only what the model is sent is compacted; the history of the run keeps every message.
    Instructions, tools and output tools count towards the budget.

    Args:
        budget: The most tokens that a model request may send, with `reserve`.
        options: As of `dsgc.messages.Compactor`, but for `format`.

    Raises:
        InputError: an option that cannot be, as of `Compactor`.
        PinsOverBudgetError: in the run: what must stay does not fit.

    Example:
        >>> import asyncio
        >>> from pydantic_ai import Agent
        >>> from pydantic_ai.models.test import TestModel
        >>> agent = Agent(
        ...     TestModel(custom_output_text="Hello to you"),
        ...     capabilities=[CompactHistory(8_000, high_water=0.9, low_water=0.5)],
        ... )
        >>> asyncio.run(agent.run("Hello")).output
        'Hello to you'
    """

    def __init__(self, budget: int, **options: Unpack[CompactorOptions]) -> None:
        self.compactor = Compactor(budget, format=_FORMAT, **options)

    async def before_model_request(
        self,
        ctx: RunContext[Any],  # noqa: ARG002  # pydantic-ai passes it by this name
        request_context: ModelRequestContext,
    ) -> ModelRequestContext:
        """Compact the messages of a request, in a thread of its own."""
        parameters = request_context.model_request_parameters
        instructions = "\n\n".join(part.content for part in parameters.instruction_parts or ())
        tools = [*parameters.function_tools, *parameters.output_tools]
        messages = await asyncio.to_thread(
            _compacted, self.compactor, list(request_context.messages), instructions, tools
        )
        return replace(request_context, messages=messages)


def history_processor(
    budget: int, **options: Unpack[CompactorOptions]
) -> Callable[[list[ModelMessage]], Coroutine[Any, Any, list[ModelMessage]]]:
    """Return a history processor that makes each model request fit a token budget.

    It goes into `ProcessHistory`, or into `history_processors` where an `Agent` still takes these.
    pydantic-ai puts what a processor returns in the place of the history of the run: what was left
    out is gone from there. `CompactHistory` leaves it whole, and counts the tools as well.

    Args:
        budget: The most tokens that a model request may send, with `tools` and `reserve`.
        options: As of `dsgc.messages.Compactor`, but for `format`.

    Returns:
        A processor that does the work in a thread of its own.

    Raises:
        InputError: an option that cannot be, as of `Compactor`.
        PinsOverBudgetError: in the run: what must stay does not fit.

    Example:
        >>> import asyncio
        >>> from pydantic_ai import Agent
        >>> from pydantic_ai.capabilities import ProcessHistory
        >>> from pydantic_ai.models.test import TestModel
        >>> agent = Agent(
        ...     TestModel(custom_output_text="Hello to you"),
        ...     capabilities=[ProcessHistory(history_processor(8_000))],
        ... )
        >>> asyncio.run(agent.run("Hello")).output
        'Hello to you'
    """
    compactor = Compactor(budget, format=_FORMAT, **options)

    async def compact_history(messages: list[ModelMessage]) -> list[ModelMessage]:
        latest = messages[-1] if messages else None
        instructions = latest.instructions if isinstance(latest, ModelRequest) else None
        return await asyncio.to_thread(_compacted, compactor, messages, instructions or "", ())

    return compact_history


def _compacted(
    compactor: Compactor,
    messages: list[ModelMessage],
    instructions: str,
    tools: Sequence[ToolDefinition],
) -> list[ModelMessage]:
    head: list[ModelMessage] = []
    if instructions:
        head = [ModelRequest([SystemPromptPart(instructions, timestamp=_ALWAYS)])]
    schemas = [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters_json_schema,
        }
        for tool in tools
    ]
    left = compactor.compact([*head, *messages], tools=schemas).messages[len(head) :]
    latest = messages[-1] if messages else None
    if isinstance(latest, ModelRequest) and not (left and isinstance(left[-1], ModelRequest)):
        left.append(replace(latest, parts=[]))  # a history must end in a request, if an empty one
    return left
