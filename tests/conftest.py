"""Settings shared by all tests."""

import os
from pathlib import Path

from hypothesis import settings

# Read when the library is imported: no test reaches for a model hub.
os.environ["HF_HUB_OFFLINE"] = "1"

settings.register_profile("default", deadline=None, max_examples=100)
# The same examples each time: what fails there fails here too. The others look for new ones.
settings.register_profile("repeatable", deadline=None, max_examples=100, derandomize=True)
settings.register_profile("ci", deadline=None, max_examples=150, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

CHECKOUT = Path(__file__).parent.parent
