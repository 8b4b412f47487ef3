"""The capability and the history processor in real runs of an `Agent`."""

import asyncio
import threading
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from dsgc.errors import InputError, PinsOverBudgetError
from dsgc.integrations.pydantic_ai import CompactHistory, history_processor
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

pytestmark = pytest.mark.usefixtures("current_loop")

SENT_ALONG = tokens("openai-chat", [{"role": "system", "content": INSTRUCTIONS}])


def model_of(script: Script) -> FunctionModel:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert info.instructions == INSTRUCTIONS
        contents = [str(getattr(part, "content", "")) for each in messages for part in each.parts]
        decision = script.decide(messages, contents)
        if isinstance(decision, Call):
            return ModelResponse([ToolCallPart(decision.tool, decision.arguments)])
        return ModelResponse([TextPart(decision)])

    return FunctionModel(answer)


def agent_of(script: Script, capability: Any) -> Agent[None, str]:
    return Agent(
        model_of(script),
        instructions=INSTRUCTIONS,
        tools=[find_customer, read_page, close_account],
        capabilities=[capability],
    )


def schema_tokens() -> int:
    """Return what the tools cost, as the model is told of them."""
    found: list[dict[str, Any]] = []

    def note(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        for tool in info.function_tools:
            schema = {"name": tool.name, "description": tool.description}
            found.append({**schema, "parameters": tool.parameters_json_schema})
        return ModelResponse([TextPart("done")])

    Agent(FunctionModel(note), tools=[find_customer, read_page, close_account]).run_sync("go")
    assert len(found) == 3
    return compact([], 10_000).budget - compact([], 10_000, tools=found).budget


def whole_of(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Return a history that is all there, but for the answer."""
    assert len(messages) == 2 * N_CALLS + 2
    return messages[:-1]


def test_each_request_fits_and_the_history_keeps_every_message() -> None:
    script = Script()
    done = agent_of(script, CompactHistory(BUDGET)).run_sync(TASK)
    assert done.output == ANSWER
    room = BUDGET - SENT_ALONG - schema_tokens()
    check_steps("pydantic-ai", script, whole_of(done.all_messages()), room)


@pytest.mark.parametrize("is_capability", [True, False])
def test_the_event_loop_goes_on_while_it_compacts(is_capability: bool) -> None:
    script, count = Script(), SlowCounter()
    if is_capability:
        agent = agent_of(script, CompactHistory(BUDGET, count_tokens=count))
    else:
        processor = history_processor(BUDGET, count_tokens=count)
        agent = agent_of(script, ProcessHistory(processor))
    done, beats = with_heartbeat(agent.run(TASK))
    assert done.output == ANSWER
    assert beats > 50
    assert count.threads
    assert threading.get_ident() not in count.threads


def test_a_run_goes_on_from_the_whole_history_of_another() -> None:
    script = Script()
    agent = agent_of(script, CompactHistory(BUDGET, low_water=0.6))
    done = agent.run_sync(TASK)
    after = agent.run_sync("Thank you. Which account was it?", message_history=done.all_messages())
    assert len(after.all_messages()) == 2 * N_CALLS + 4
    assert "Which account was it?" in repr(script.sent[-1][-1])
    assert tokens("pydantic-ai", script.sent[-1]) <= BUDGET - SENT_ALONG - schema_tokens()


def test_a_history_processor_makes_each_request_fit() -> None:
    script = Script()
    processor = history_processor(BUDGET)
    done = agent_of(script, ProcessHistory(processor)).run_sync(TASK)
    assert done.output == ANSWER
    whole = Script()
    everything = agent_of(whole, ProcessHistory(lambda messages: messages)).run_sync(TASK)
    check_steps("pydantic-ai", script, whole_of(everything.all_messages()), BUDGET - SENT_ALONG)
    assert len(done.all_messages()) <= len(script.sent[-1]) + 1  # pydantic-ai keeps no more


def test_a_history_ends_in_a_request_even_if_all_of_the_last_one_is_broken() -> None:
    lost = ModelRequest([ToolReturnPart("read_page", "a page", tool_call_id="lost")])
    history: list[ModelMessage] = [
        ModelRequest([UserPromptPart("Hello")]),
        ModelResponse([TextPart("Hello to you")]),
        lost,
    ]
    processed = asyncio.run(history_processor(1_000)(list(history)))
    assert processed[:-1] == history[:-1]
    assert isinstance(processed[-1], ModelRequest)
    assert processed[-1].parts == []
    assert lost.parts != []
    assert asyncio.run(history_processor(1_000)([])) == []


@pytest.mark.parametrize("is_capability", [True, False])
def test_what_must_stay_and_does_not_fit_is_the_typed_error(is_capability: bool) -> None:
    if is_capability:
        agent = agent_of(Script(), CompactHistory(schema_tokens() + 30))
    else:
        agent = agent_of(Script(), ProcessHistory(history_processor(30)))
    message = "the pinned blocks 'm0', 'm1' cost 41 tokens, but the budget is 30"
    with pytest.raises(PinsOverBudgetError, match=message):
        agent.run_sync(TASK)
    with pytest.raises(PinsOverBudgetError, match=message):
        asyncio.run(agent.run(TASK))


@pytest.mark.parametrize("hook", [CompactHistory, history_processor])
def test_options_are_checked_when_the_hook_is_made(hook: Any) -> None:
    with pytest.raises(InputError, match="high_water"):
        hook(BUDGET, high_water=BUDGET + 1)
    with pytest.raises(TypeError, match="keyword argument 'format'"):
        hook(BUDGET, format="gemini")
