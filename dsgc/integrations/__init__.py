"""Compaction inside agent frameworks, one module each, which needs that framework's extra.

Each hook takes a budget and the options of `dsgc.messages.Compactor`, compacts what is about to be
sent to the model, and runs in a thread of its own where the framework is asynchronous:

- `dsgc.integrations.langchain.CompactionMiddleware` for `create_agent`
- `dsgc.integrations.langgraph.pre_model_hook` for `create_react_agent`
- `dsgc.integrations.pydantic_ai.CompactHistory` and `history_processor` for `Agent`
- `dsgc.integrations.openai_agents.call_model_input_filter` for `RunConfig`
"""
