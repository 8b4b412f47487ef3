"""An event loop for the frameworks that take the current one and never close it."""

import asyncio
from collections.abc import Iterator

import pytest


@pytest.fixture
def current_loop() -> Iterator[None]:
    """Let `run_sync` of pydantic-ai and of the Agents SDK find a loop, and close it after them."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
    asyncio.set_event_loop(None)
