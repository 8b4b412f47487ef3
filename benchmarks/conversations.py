"""Made-up conversations, the same from the same seed."""

import json
from typing import Any

import numpy as np

from benchmarks.stores import texts

_WORDS = 20


def conversation(n_messages: int) -> list[dict[str, Any]]:
    """Return an agent's conversation in OpenAI chat form: questions, calls, results, answers.

    Each call names an order of some earlier question; every other result is long JSON.
    """
    generator = np.random.default_rng(0)
    said = iter(texts(np.full(2 * n_messages, _WORDS), generator))
    messages: list[dict[str, Any]] = [{"role": "system", "content": next(said)}]
    for number in range(-(-(n_messages - 1) // 4)):
        order = f"#W{10_000 + int(generator.integers(number + 1))}"
        result = next(said)
        if number % 2:
            items = [{"item": f"item_{number}_{i}", "note": next(said)[:60]} for i in range(6)]
            result = json.dumps({"order": order, "items": items})
        function = {"name": "get_order", "arguments": json.dumps({"order": order})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages += [
            {"role": "user", "content": f"{next(said)} #W{10_000 + number}"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": result},
            {"role": "assistant", "content": next(said)},
        ]
    return messages[:n_messages]
