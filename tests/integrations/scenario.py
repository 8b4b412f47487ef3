"""An agent's task whose history outgrows the budget, and what holds at each step of it.

The agent looks up an account, reads a handbook page by page, and closes the account at last: with
the number that it finds in what it is sent then, as a model would.
"""

import asyncio
import re
import threading
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dsgc.messages import compact, estimate_tokens
from tests.messages.validity import CHECKERS

T = TypeVar("T")

ROOM = 10**12
BUDGET = 900
N_PAGES = 8
N_CALLS = N_PAGES + 2
INSTRUCTIONS = "You close accounts. Never guess the number of an account."
TASK = "Read the handbook, then close the account of the customer Alice Winter."
ANSWER = "The account ACC-7719-QX is closed."


def find_customer(name: str) -> str:
    """Find the account of a customer."""
    return f"The customer {name} has the account ACC-7719-QX."


def read_page(number: int) -> str:
    """Read a page of the handbook."""
    lines = (f"Page {number}, line {line}: parcels are weighed twice." for line in range(20))
    return "\n".join(lines)


def close_account(account: str) -> str:
    """Close an account."""
    return f"The account {account} is closed."


@dataclass(frozen=True)
class Call:
    """A call that the script has the model make."""

    tool: str
    arguments: dict[str, Any]


@dataclass
class Script:
    """Decides like a model would, from what it is sent, and remembers that."""

    sent: list[list[Any]] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def decide(self, messages: Sequence[Any], texts: Sequence[str]) -> Call | str:
        """Return the next call, or the answer at the end."""
        self.sent.append(list(messages))
        step = len(self.sent) - 1
        if step == 0:
            return Call("find_customer", {"name": "Alice Winter"})
        if step <= N_PAGES:
            return Call("read_page", {"number": step})
        if step == N_PAGES + 1:
            account = re.search(r"ACC-\d+-\w+", "\n".join(texts))
            return Call("close_account", {"account": account[0] if account else "unknown"})
        return texts[-1]


@dataclass
class SlowCounter:
    """Counts as by default, but takes its time, and remembers the threads that it ran in."""

    threads: set[int] = field(default_factory=set)
    framing: int = 4

    def __call__(self, text: str) -> int:
        self.threads.add(threading.get_ident())
        time.sleep(0.001)
        return estimate_tokens(text)


def with_heartbeat(work: Awaitable[T]) -> tuple[T, int]:
    """Run something in an event loop of this thread, and count how often others got a turn."""

    async def main() -> tuple[T, int]:
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                await asyncio.sleep(0.001)
                beats += 1

        heart = asyncio.create_task(beat())
        try:
            return await work, beats
        finally:
            heart.cancel()

    return asyncio.run(main())


def tokens(name: str, messages: Sequence[Any]) -> int:
    return compact(messages, ROOM, format=name).tokens_before


def check_steps(name: str, script: Script, whole: Sequence[Any], room: int) -> None:
    """Assert that each step was sent what is valid and fits, down from a history that does not.

    `whole` is all that was said until the answer, in the end, and `room` what is left for it.
    """
    assert len(script.sent) == N_CALLS + 1
    assert tokens(name, whole) > 2 * room
    for messages in script.sent:
        assert CHECKERS[name].problems(messages) == []
        assert tokens(name, messages) <= room
        assert TASK in repr(messages)
    for number, messages in enumerate(script.sent[2 : N_PAGES + 2], start=1):
        assert f"Page {number}, line 0" in repr(messages[-1])
