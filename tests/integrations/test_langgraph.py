"""The hook in a real `create_react_agent` loop, and as a node of a graph of one's own."""

import asyncio
import threading
from typing import Annotated, Any

import pytest
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import create_react_agent
from pydantic import BaseModel

from dsgc.errors import InputError, PinsOverBudgetError
from dsgc.integrations.langgraph import pre_model_hook
from tests.integrations.scenario import (
    ANSWER,
    BUDGET,
    INSTRUCTIONS,
    N_CALLS,
    TASK,
    Script,
    SlowCounter,
    check_steps,
    with_heartbeat,
)
from tests.integrations.test_langchain import SCHEMA_TOKENS, SCHEMAS, TOOLS, ScriptedModel

# The hook belongs to `create_react_agent`, which works as ever but points to its successor.
pytestmark = pytest.mark.filterwarnings("ignore:create_react_agent has been moved")

ROOM = BUDGET - SCHEMA_TOKENS


def check(script: Script, messages: list[BaseMessage]) -> None:
    """Assert that the model was sent what fits, and that the state has everything."""
    assert messages[-1].content == ANSWER
    assert len(messages) == 1 + 2 * N_CALLS + 1
    heads = [sent[0] for sent in script.sent]
    assert heads == [SystemMessage(INSTRUCTIONS)] * (N_CALLS + 1)
    script.sent = [sent[1:] for sent in script.sent]
    check_steps("langchain", script, messages[:-1], ROOM)


def agent_of(script: Script, hook: Any) -> Any:
    model = ScriptedModel(script)
    return create_react_agent(model, TOOLS, prompt=INSTRUCTIONS, pre_model_hook=hook)


def test_each_model_call_fits_and_the_state_keeps_every_message() -> None:
    script = Script()
    agent = agent_of(script, pre_model_hook(BUDGET, tools=SCHEMAS))
    check(script, agent.invoke({"messages": [HumanMessage(TASK)]})["messages"])


def test_the_event_loop_goes_on_while_it_compacts() -> None:
    script, count = Script(), SlowCounter()
    agent = agent_of(script, pre_model_hook(BUDGET, tools=SCHEMAS, count_tokens=count))
    count.threads.clear()  # the tools are counted once when the hook is made
    state, beats = with_heartbeat(agent.ainvoke({"messages": [HumanMessage(TASK)]}))
    check(script, state["messages"])
    assert beats > 50
    assert count.threads
    assert threading.get_ident() not in count.threads


def test_it_reads_a_state_that_is_a_model_of_pydantic() -> None:
    class State(BaseModel):
        messages: Annotated[list[AnyMessage], add_messages]
        llm_input_messages: list[AnyMessage] = []

    graph = StateGraph(State)
    graph.add_node("compact", pre_model_hook(40, keep_first_user=False))
    graph.add_edge(START, "compact")
    messages: list[AnyMessage] = [
        HumanMessage("an old question " * 10),
        HumanMessage("the latest question"),
    ]
    after = graph.compile().invoke(State(messages=messages))
    assert [message.content for message in after["messages"]] == [each.content for each in messages]
    assert [message.content for message in after["llm_input_messages"]] == ["the latest question"]


def test_what_must_stay_and_does_not_fit_is_the_typed_error() -> None:
    agent = agent_of(Script(), pre_model_hook(10))
    task = {"messages": [HumanMessage(TASK)]}
    with pytest.raises(PinsOverBudgetError, match="'m0' cost 22 tokens, but the budget is 10"):
        agent.invoke(task)
    with pytest.raises(PinsOverBudgetError, match="'m0' cost 22 tokens, but the budget is 10"):
        asyncio.run(agent.ainvoke(task))


def test_options_are_checked_when_the_hook_is_made() -> None:
    with pytest.raises(InputError, match="exceed the budget of 100 tokens"):
        pre_model_hook(100, tools=SCHEMAS)
    with pytest.raises(TypeError, match="keyword argument 'format'"):
        pre_model_hook(100, format="gemini")  # type: ignore[call-arg]
