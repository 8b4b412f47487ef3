"""LangGraph: a node before the model that compacts what the model is sent."""

import asyncio
from typing import Any, Unpack

from dsgc.errors import MissingExtraError
from dsgc.messages._access import get
from dsgc.messages._compactor import Compactor, CompactorOptions

try:
    import langgraph.prebuilt  # noqa: F401  # what the hook is for, and what the extra brings
    from langchain_core.runnables import Runnable, RunnableLambda
except ImportError as missing:
    raise MissingExtraError("dsgc.integrations.langgraph", "langchain") from missing


def pre_model_hook(
    budget: int, **options: Unpack[CompactorOptions]
) -> Runnable[Any, dict[str, Any]]:
    """Return a hook for `create_react_agent` that makes each model call fit a token budget.

    It gives the model `llm_input_messages`, so that the state of the graph keeps every message. It
    sees the messages of the state only: count tools with `tools`, and a prompt with `reserve`.

    Args:
        budget: The most tokens that a model call may send, with `tools` and `reserve`.
        options: As of `dsgc.messages.Compactor`, but for `format`.

    Returns:
        A node, sync and async, for any graph whose state has `messages`.

    Raises:
        InputError: an option that cannot be, as of `Compactor`.
        PinsOverBudgetError: in the graph: what must stay does not fit.

    Example:
        >>> from langchain_core.messages import HumanMessage
        >>> hook = pre_model_hook(8_000, high_water=0.9, low_water=0.5)
        >>> hook.invoke({"messages": [HumanMessage("Hello")]})["llm_input_messages"][0].content
        'Hello'
    """
    compactor = Compactor(budget, format="langchain", **options)

    def compact_messages(state: Any) -> dict[str, Any]:
        return {"llm_input_messages": compactor.compact(get(state, "messages")).messages}

    async def acompact_messages(state: Any) -> dict[str, Any]:
        return await asyncio.to_thread(compact_messages, state)

    return RunnableLambda(compact_messages, acompact_messages, name="compact_messages")
