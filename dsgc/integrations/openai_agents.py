"""OpenAI Agents SDK: a filter that compacts what the model is sent."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Unpack

from dsgc.errors import MissingExtraError
from dsgc.messages._compactor import Compactor, CompactorOptions
from dsgc.messages._pairing import pair
from dsgc.messages._reading import read_pieces
from dsgc.messages.formats import FORMATS

try:
    from agents import Agent, FunctionTool, Handoff
    from agents.run import CallModelData, ModelInputData
except ImportError as missing:
    raise MissingExtraError("dsgc.integrations.openai_agents", "openai-agents") from missing

_FORMAT = "openai-responses"


def call_model_input_filter(
    budget: int, **options: Unpack[CompactorOptions]
) -> Callable[[CallModelData[Any]], Coroutine[Any, Any, ModelInputData]]:
    """Return a filter for `RunConfig` that makes each model call fit a token budget.

    Only what the model is sent is compacted; the result of the run and sessions keep every item.
    Instructions, function tools and handoffs count towards the budget; count tools of other kinds
    with `tools`. Where the server keeps the conversation, the outputs of calls are sent without
    these, and pass as they are.

    Args:
        budget: The most tokens that a model call may send, with `reserve`.
        options: As of `dsgc.messages.Compactor`, but for `format`.

    Returns:
        A filter that does the work in a thread of its own.

    Raises:
        InputError: an option that cannot be, as of `Compactor`.
        PinsOverBudgetError: in the run: what must stay does not fit.

    Example:
        >>> from agents import RunConfig
        >>> compacting = call_model_input_filter(8_000, high_water=0.9, low_water=0.5)
        >>> config = RunConfig(call_model_input_filter=compacting)
    """
    compactor = Compactor(budget, format=_FORMAT, **options)

    def compacted(data: CallModelData[Any]) -> ModelInputData:
        items, instructions = data.model_data.input, data.model_data.instructions
        if _continues_elsewhere(items):
            return data.model_data
        head = [{"role": "system", "content": instructions}] if instructions else []
        kept = compactor.compact([*head, *items], tools=_schemas(data.agent)).messages
        return ModelInputData(input=kept[len(head) :], instructions=instructions)

    async def compact_input(data: CallModelData[Any]) -> ModelInputData:
        return await asyncio.to_thread(compacted, data)

    return compact_input


def _continues_elsewhere(items: list[Any]) -> bool:
    """Say whether there are outputs of calls, and none of these calls."""
    pieces = read_pieces(FORMATS[_FORMAT], items)
    n_results = sum(piece.kind == "result" for piece in pieces)
    return 0 < n_results == len(pair(pieces).orphans)


def _schemas(agent: Agent[Any]) -> Iterator[dict[str, Any]]:
    for tool in agent.tools:
        if isinstance(tool, FunctionTool):
            yield _schema(tool.name, tool.description, tool.params_json_schema)
    for handoff in agent.handoffs:
        if isinstance(handoff, Handoff):
            yield _schema(handoff.tool_name, handoff.tool_description, handoff.input_json_schema)
        else:
            name = Handoff.default_tool_name(handoff)
            yield _schema(name, Handoff.default_tool_description(handoff), {})


def _schema(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "description": description, "parameters": parameters}
