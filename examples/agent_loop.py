r"""An agent whose history outgrows its budget, and whose last step needs what the first ones said.

A scripted model works for a lamp shop. It remembers nothing but its plan: each value of a call is
read from the messages that it is shown. Before each step these are made to fit a budget of tokens,
in one run by keeping the newest, in the other by `dsgc.messages.compact`; all else is the same.
In the end a lamp is exchanged, or it is not: by age alone it is not, with 700 to 1,550 tokens.

    python examples/agent_loop.py
    python examples/agent_loop.py --budget 1500
"""

import argparse
import json
import re
import sys
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

from dsgc.errors import DsgcError
from dsgc.messages import compact, read_units

Message = dict[str, Any]
Tool = Callable[..., Any]
Fit = Callable[[list[Message], int], list[Message]]

INSTRUCTIONS = "You are the support agent of a lamp shop. Use the tools; never invent a value."
REQUEST = (
    "Hello, Mara Lindqvist here; the code you mailed me is 481206. The reading lamp of my order "
    "#W7720415 arrived broken. Please exchange it for a reading lamp in brushed brass with an EU "
    "plug that is in stock."
)
OPENING: list[Message] = [
    {"role": "system", "content": INSTRUCTIONS},
    {"role": "user", "content": REQUEST},
]
TICKET = "RX-5f0c-91d7"  # only the first result says it
BROKEN_LAMP = "8310227745"  # only the second one does


def verify_customer(code: str) -> Any:
    """Open an exchange; a code works once, so asking again is no way out."""
    return {"customer": "mara_lindqvist_4471", "code": code, "exchange_ticket": TICKET}


def get_order(order_id: str) -> Any:
    """Return what was ordered."""
    items = {"bulb, warm white": "5520918364", "reading lamp, olive green": BROKEN_LAMP}
    return {"order_id": order_id, "items": [{"name": n, "item_id": i} for n, i in items.items()]}


def search_products(text: str) -> Any:
    """Return the whole catalogue, as shops do, whatever was searched for."""
    kinds = ["wall lamp", "floor lamp", "desk lamp", text, "ceiling lamp"]
    finishes = ["matt black", "brushed brass", "white lacquer", "raw copper", "olive green"]
    return [
        {"product_id": f"P-{4000 + 37 * n}", "name": f"{kind}, {finish}", "dimmable": n % 3 == 0}
        for n, (kind, finish) in enumerate(product(kinds, finishes))
    ]


def get_product(product_id: str) -> Any:
    """Return the variants of a product."""
    variants = product(["US plug", "UK plug", "EU plug"], ["black", "white", "red"], [2, 3])
    return [
        {"item_id": f"{2290 + n}{product_id[2:]}", "plug": plug, "cable": f"{colour}, {metres} m"}
        for n, (plug, colour, metres) in enumerate(variants)
    ]


def check_stock(item_id: str) -> Any:
    """Return how many of an item each warehouse has; the first EU variant is sold out."""
    place = None if item_id.startswith("2302") else 4
    return [
        {"warehouse": f"WH-{n}", "delivery": "in 3 weeks", "item": item_id, "stock": n == place}
        for n in range(1, 13)
    ]


def exchange_item(ticket: str, order_id: str, old_item: str, new_item: str) -> Any:
    """Exchange an item of an order, if everything about it is right."""
    if (ticket, old_item) != (TICKET, BROKEN_LAMP):
        return {"error": f"no exchange of {old_item} in {order_id} is open under {ticket}"}
    return {"exchanged": old_item, "for": new_item}


class Step(NamedTuple):
    """A call, and where in the messages the values of its arguments are found."""

    tool: Tool
    patterns: dict[str, str]


VARIANT = r'"item_id": "(\d+)", "plug": "EU plug", "cable": "%s, 2 m"'
PLAN = [
    Step(verify_customer, {"code": r"code you mailed me is (\d+)"}),
    Step(get_order, {"order_id": r"my order (#W\d+)"}),
    Step(search_products, {"text": r"exchange it for a (\w+ lamp)"}),
    Step(get_product, {"product_id": r'"(P-\d+)", "name": "reading lamp, brushed brass"'}),
    Step(check_stock, {"item_id": VARIANT % "black"}),
    Step(check_stock, {"item_id": VARIANT % "white"}),
    Step(
        exchange_item,
        {
            "ticket": r'"exchange_ticket": "([^"]+)"',
            "order_id": r"my order (#W\d+)",
            "old_item": r'"reading lamp, [^"]*", "item_id": "(\d+)"',
            "new_item": r'"item": "(\d+)", "stock": true',
        },
    ),
]


class ScriptedModel:
    """Plays the model: makes the next call of the plan with what it can see."""

    def __init__(self) -> None:
        self._steps = iter(PLAN)

    def next_call(self, shown: list[Message]) -> tuple[Tool, dict[str, str | None]]:
        """Return the next tool and its arguments, read from the messages shown."""
        text = "\n".join(message["content"] for message in shown if message["content"])
        step = next(self._steps)
        found = {name: re.search(pattern, text) for name, pattern in step.patterns.items()}
        return step.tool, {name: match and match[1] for name, match in found.items()}


def run(tool: Tool, arguments: dict[str, str | None]) -> str:
    """Run a tool and return its result as JSON; arguments without a value are refused."""
    missing = [name for name, value in arguments.items() if value is None]
    error = {"error": f"{tool.__name__} needs {' and '.join(missing)}"}
    return json.dumps(error if missing else tool(**arguments), ensure_ascii=False)


def newest_first(messages: list[Message], budget: int) -> list[Message]:
    """Keep instructions and request, and as many of the newest calls with results as fit."""
    fixed, rest = messages[: len(OPENING)], messages[len(OPENING) :]
    starts = range(0, len(rest) + 1, 2)  # a call and its result go together
    fitting = (start for start in starts if cost(fixed + rest[start:]) <= budget)
    return fixed + rest[next(fitting, len(rest)) :]


def by_dsgc(messages: list[Message], budget: int) -> list[Message]:
    """Keep what the request, the later calls and their age say is needed."""
    return compact(messages, budget).messages


def cost(messages: list[Message]) -> int:
    """Count tokens as `compact` does."""
    return compact(messages, budget=1_000_000).tokens_before


def work(title: str, fit: Fit, budget: int) -> tuple[bool, list[Message]]:
    """Let the model work through its plan; return whether it succeeded, and the full history."""
    print(f"{title}\n  history   shown  call")
    model, history = ScriptedModel(), OPENING[:]
    for number in range(len(PLAN)):
        shown = fit(history, budget)
        tool, arguments = model.next_call(shown)
        said = ", ".join(f"{name}={value or '???'}" for name, value in arguments.items())
        print(f"  {cost(history):7} {cost(shown):7}  {tool.__name__}({said})")
        function = {"name": tool.__name__, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        history += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": run(tool, arguments)},
        ]
    is_done = "error" not in json.loads(history[-1]["content"])
    print(f"  {'Done' if is_done else 'Failed'}: {history[-1]['content']}\n")
    return is_done, history


def account(history: list[Message], budget: int) -> None:
    """Say what became, before the last call, of the results that it needs."""
    compaction = compact(history[:-2], budget)
    print(f"What dsgc showed of the history before the last call:\n{compaction.report}")
    verified = next(unit for unit in read_units(history) if TICKET in unit.text)
    print(f"\nWhy the ticket is there: {compaction.retention.explain(verified.id)}")


def main() -> int:
    """Do the same work twice; the exit status is 0 if it succeeds with dsgc."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--budget", type=int, default=900, help="in tokens (default: 900)")
    budget = parser.parse_args().budget
    try:
        by_dsgc(OPENING, budget)  # refused where not even the request fits
        print(f"The model is shown {budget} tokens at the most.\n")
        work("Newest first", newest_first, budget)
        is_done, history = work("dsgc", by_dsgc, budget)
        account(history, budget)
    except DsgcError as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if is_done else 1


if __name__ == "__main__":
    sys.exit(main())
