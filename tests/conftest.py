"""Settings shared by all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, max_examples=100)
settings.register_profile("thorough", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

CHECKOUT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every test off the model hubs."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
