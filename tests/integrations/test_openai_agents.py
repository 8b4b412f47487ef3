"""The filter in real runs of the OpenAI Agents SDK."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import (
    Agent,
    Model,
    ModelResponse,
    RunConfig,
    Runner,
    SQLiteSession,
    Usage,
    function_tool,
    handoff,
)
from agents.run import CallModelData, ModelInputData
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from dsgc.errors import InputError, PinsOverBudgetError
from dsgc.integrations.openai_agents import call_model_input_filter
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

TOOLS = [function_tool(tool) for tool in (find_customer, read_page, close_account)]
SCHEMAS = [
    {"name": tool.name, "description": tool.description, "parameters": tool.params_json_schema}
    for tool in TOOLS
]
SCHEMA_TOKENS = compact([], 10_000).budget - compact([], 10_000, tools=SCHEMAS).budget
SENT_ALONG = SCHEMA_TOKENS + tokens("openai-chat", [{"role": "system", "content": INSTRUCTIONS}])
ROOM = BUDGET - SENT_ALONG


class ScriptedModel(Model):
    """A model that does what the script decides."""

    def __init__(self, script: Script) -> None:
        self.script = script

    async def get_response(
        self, system_instructions: str | None, input: Any, *_: Any, **__: Any
    ) -> ModelResponse:
        assert system_instructions == INSTRUCTIONS
        items: list[Any] = list(input)
        decision = self.script.decide(items, [str(item.get("output", "")) for item in items])
        number = len(self.script.sent)
        if isinstance(decision, Call):
            output: Any = ResponseFunctionToolCall(
                id=f"fc_{number}",
                call_id=f"call_{number}",
                name=decision.tool,
                arguments=json.dumps(decision.arguments),
                type="function_call",
            )
        else:
            text = ResponseOutputText(text=decision, type="output_text", annotations=[])
            output = ResponseOutputMessage(
                id=f"msg_{number}",
                content=[text],
                role="assistant",
                status="completed",
                type="message",
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def agent_of(script: Script) -> Agent[None]:
    return Agent(
        "closer", instructions=INSTRUCTIONS, model=ScriptedModel(script), tools=list(TOOLS)
    )


def config_of(*arguments: Any, **options: Any) -> RunConfig:
    compacting = call_model_input_filter(*arguments, **options)
    return RunConfig(call_model_input_filter=compacting, tracing_disabled=True)


def check(script: Script, items: list[Any]) -> None:
    """Assert that the model was sent what fits, and that the result has everything."""
    assert len(items) == 1 + 2 * N_CALLS + 1
    check_steps("openai-responses", script, items[:-1], ROOM)


def test_each_model_call_fits_and_the_result_keeps_every_item() -> None:
    script = Script()
    done = Runner.run_sync(agent_of(script), TASK, run_config=config_of(BUDGET), max_turns=20)
    assert done.final_output == ANSWER
    check(script, done.to_input_list())


def test_the_event_loop_goes_on_while_it_compacts() -> None:
    script, count = Script(), SlowCounter()
    config = config_of(BUDGET, count_tokens=count)
    work = Runner.run(agent_of(script), TASK, run_config=config, max_turns=20)
    done, beats = with_heartbeat(work)
    assert done.final_output == ANSWER
    check(script, done.to_input_list())
    assert beats > 50
    assert count.threads
    assert threading.get_ident() not in count.threads


def test_a_session_keeps_every_item_and_goes_on_from_there() -> None:
    script, session = Script(), SQLiteSession("1")
    config = config_of(BUDGET, low_water=0.6)

    async def converse() -> list[Any]:
        agent = agent_of(script)
        await Runner.run(agent, TASK, session=session, run_config=config, max_turns=20)
        await Runner.run(agent, "Which account was it?", session=session, run_config=config)
        return list(await session.get_items())

    items = asyncio.run(converse())
    session.close()
    assert len(items) == 1 + 2 * N_CALLS + 3
    assert script.sent[-1][-1]["content"] == "Which account was it?"
    assert tokens("openai-responses", script.sent[-1]) <= ROOM


def filtered(items: list[Any], agent: Agent[None], budget: int) -> ModelInputData:
    async def run() -> ModelInputData:
        data = CallModelData(ModelInputData(items, agent.instructions), agent, None)  # type: ignore[arg-type]  # instructions are a text here
        return await call_model_input_filter(budget)(data)

    return asyncio.run(run())


def test_handoffs_count_whether_they_are_agents_or_not() -> None:
    other = Agent("a specialist", handoff_description="for difficult cases " * 30)
    items = [{"role": "user", "content": f"question {number}"} for number in range(9)]
    alone = Agent("closer", instructions=INSTRUCTIONS)
    cost = tokens("openai-responses", [{"role": "system", "content": INSTRUCTIONS}, *items])
    assert filtered(items, alone, cost).input == items
    for handoffs in ([other], [handoff(other)]):
        agent = Agent("closer", instructions=INSTRUCTIONS, handoffs=list(handoffs))
        with pytest.raises(InputError, match=r"tools \(\d+ tokens\) exceed the budget of 100"):
            filtered(items, agent, 100)
        assert len(filtered(items, agent, cost + 150).input) < len(items)


def test_outputs_whose_calls_the_server_keeps_pass_as_they_are() -> None:
    output = {"type": "function_call_output", "call_id": "call_9", "output": "a page " * 400}
    agent = agent_of(Script())
    assert filtered([output], agent, BUDGET).input == [output]
    call = {"type": "function_call", "call_id": "call_1", "name": "read_page", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "call_1", "output": "a page"}
    asks = {"role": "user", "content": "go on"}
    assert filtered([output, asks, call, result], agent, BUDGET).input == [asks, call, result]


def test_what_must_stay_and_does_not_fit_is_the_typed_error() -> None:
    agent, config = agent_of(Script()), config_of(SCHEMA_TOKENS + 10)
    with pytest.raises(PinsOverBudgetError, match="but the budget is 10") as caught:
        Runner.run_sync(agent, TASK, run_config=config)
    assert caught.value.block_ids == ("m0", "m1")
    with pytest.raises(PinsOverBudgetError, match="but the budget is 10"):
        asyncio.run(Runner.run(agent, TASK, run_config=config))


def test_options_are_checked_when_the_filter_is_made() -> None:
    with pytest.raises(InputError, match="reserve"):
        call_model_input_filter(BUDGET, reserve=BUDGET + 1)
    with pytest.raises(TypeError, match="keyword argument 'format'"):
        call_model_input_filter(BUDGET, format="gemini")  # type: ignore[call-arg]
