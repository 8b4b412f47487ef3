"""The middleware in a real `create_agent` loop."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, Field, PrivateAttr

from dsgc.errors import InputError, PinsOverBudgetError
from dsgc.integrations.langchain import CompactionMiddleware
from dsgc.messages import compact
from tests.integrations.scenario import (
    ANSWER,
    BUDGET,
    INSTRUCTIONS,
    N_CALLS,
    TASK,
    Call,
    Script,
    SlowCounter,
    check_steps,
    close_account,
    find_customer,
    read_page,
    tokens,
    with_heartbeat,
)

TOOLS: list[Callable[..., Any]] = [find_customer, read_page, close_account]
SCHEMAS = [convert_to_openai_tool(tool) for tool in TOOLS]
SCHEMA_TOKENS = compact([], 10_000).budget - compact([], 10_000, tools=SCHEMAS).budget


class ScriptedModel(BaseChatModel):
    """A chat model that does what the script decides."""

    _script: Script = PrivateAttr()

    def __init__(self, script: Script) -> None:
        super().__init__()
        self._script = script

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=tools, **options)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager, kwargs
        decision = self._script.decide(messages, [str(message.content) for message in messages])
        if isinstance(decision, Call):
            call = {
                "name": decision.tool,
                "args": decision.arguments,
                "id": f"call_{len(self._script.sent)}",
            }
            answer = AIMessage("", tool_calls=[call])
        else:
            answer = AIMessage(decision)
        return ChatResult(generations=[ChatGeneration(message=answer)])


def agent_of(script: Script, middleware: CompactionMiddleware, **options: Any) -> Any:
    return create_agent(
        ScriptedModel(script),
        tools=TOOLS,
        system_prompt=INSTRUCTIONS,
        middleware=[middleware],
        **options,
    )


def check(script: Script, messages: list[BaseMessage]) -> None:
    """Assert that the model was sent what fits, and that the state has everything."""
    assert messages[-1].content == ANSWER
    assert len(messages) == 1 + 2 * N_CALLS + 1
    whole = [SystemMessage(INSTRUCTIONS), *messages[:-1]]
    check_steps("langchain", script, whole, BUDGET - SCHEMA_TOKENS)
    assert all(sent[0].content == INSTRUCTIONS for sent in script.sent)


def test_each_model_call_fits_and_the_state_keeps_every_message() -> None:
    script = Script()
    agent = agent_of(script, CompactionMiddleware(BUDGET))
    check(script, agent.invoke({"messages": [HumanMessage(TASK)]})["messages"])


def test_the_event_loop_goes_on_while_it_compacts() -> None:
    script, count = Script(), SlowCounter()
    agent = agent_of(script, CompactionMiddleware(BUDGET, count_tokens=count))
    state, beats = with_heartbeat(agent.ainvoke({"messages": [HumanMessage(TASK)]}))
    check(script, state["messages"])
    assert beats > 50
    assert count.threads
    assert threading.get_ident() not in count.threads


def test_conversations_with_a_checkpointer_go_on_turn_by_turn() -> None:
    script, middleware = Script(), CompactionMiddleware(BUDGET, low_water=0.6)
    agent = agent_of(script, middleware, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    check(script, agent.invoke({"messages": [HumanMessage(TASK)]}, config)["messages"])
    ask = HumanMessage("Thank you. Which account was it?")
    state = agent.invoke({"messages": [ask]}, config)
    assert len(state["messages"]) == 1 + 2 * N_CALLS + 3
    latest = script.sent[-1]
    assert latest[-1].content == ask.content
    assert tokens("langchain", latest) <= BUDGET - SCHEMA_TOKENS


def test_with_marks_the_model_sees_the_same_beginning_for_several_calls() -> None:
    script = Script()
    agent = agent_of(script, CompactionMiddleware(BUDGET, low_water=0.5))
    check(script, agent.invoke({"messages": [HumanMessage(TASK)]})["messages"])
    pairs = zip(script.sent, script.sent[1:], strict=False)
    changes = sum(after[: len(before)] != before for before, after in pairs)
    assert 1 <= changes <= 4


def test_tools_and_the_schema_of_the_response_count() -> None:
    class Closing(BaseModel):
        account: str = Field(description="number " * 60)

    sizes = []
    for options in ({}, {"response_format": ToolStrategy(Closing)}):
        script = Script()
        agent = agent_of(script, CompactionMiddleware(BUDGET), **options)
        agent.invoke({"messages": [HumanMessage(TASK)]})
        sizes.append(max(tokens("langchain", sent) for sent in script.sent))
    assert sizes[0] > BUDGET - SCHEMA_TOKENS - 200
    assert sizes[1] <= BUDGET - SCHEMA_TOKENS - 105


def test_what_must_stay_and_does_not_fit_is_the_typed_error() -> None:
    agent = agent_of(Script(), CompactionMiddleware(SCHEMA_TOKENS + 10))
    task = {"messages": [HumanMessage(TASK)]}
    with pytest.raises(PinsOverBudgetError, match="but the budget is 10") as caught:
        agent.invoke(task)
    assert caught.value.block_ids == ("m0", "m1")
    with pytest.raises(PinsOverBudgetError, match="but the budget is 10"):
        asyncio.run(agent.ainvoke(task))


def test_options_are_checked_when_the_agent_is_made() -> None:
    with pytest.raises(InputError, match="low_water"):
        CompactionMiddleware(BUDGET, low_water=BUDGET + 1)
    with pytest.raises(TypeError, match="keyword argument 'format'"):
        CompactionMiddleware(BUDGET, format="gemini")  # type: ignore[call-arg]
