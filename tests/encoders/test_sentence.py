"""Embeddings by sentence-transformers, on the real weights of all-MiniLM-L6-v2."""

import socket
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dsgc import Block, Encoder, RetentionPolicy, retain
from dsgc.encoders import SentenceEncoder
from dsgc.errors import MissingExtraError, ModelNotFoundError

CHAIN_EDGES = [("c3", "c2"), ("c2", "c1")]
QUERY = "May Alice delete the encrypted backup?"


def count_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of all texts that reach the model from now on."""
    from sentence_transformers import SentenceTransformer  # seconds to import

    encode = SentenceTransformer.encode
    reached: list[str] = []

    def counting(self: SentenceTransformer, texts: list[str], **options: Any) -> Any:
        reached.extend(texts)
        return encode(self, texts, **options)

    monkeypatch.setattr(SentenceTransformer, "encode", counting)
    return reached


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("the network was asked for")


def test_it_is_an_encoder(sentence_encoder: SentenceEncoder) -> None:
    assert isinstance(sentence_encoder, Encoder)


def test_rows_have_384_dimensions_and_unit_length(sentence_encoder: SentenceEncoder) -> None:
    rows = sentence_encoder.encode(["delete the backup", "备份", "x " * 2_000, ""])
    assert rows.shape == (4, 384)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_what_means_the_same_is_closer_than_what_does_not(
    sentence_encoder: SentenceEncoder,
) -> None:
    rows = sentence_encoder.encode(["delete the backup", "remove the copy", "weather today"])
    assert float(rows[0] @ rows[1]) == pytest.approx(0.574, abs=0.01)
    assert float(rows[0] @ rows[2]) == pytest.approx(0.034, abs=0.01)


def test_a_text_is_never_computed_twice(
    sentence_encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = count_calls(monkeypatch)
    sentence_encoder.encode(["once b", "once a", "once b"])
    sentence_encoder.encode(["once a", "once c"])
    sentence_encoder.encode(["once c", "once b", "once a"])
    assert sorted(reached) == ["once a", "once b", "once c"]


def test_retain_computes_no_text_twice(
    sentence_encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = count_calls(monkeypatch)
    blocks = [Block(str(number), f"retained {number % 3}", 1) for number in range(7)]
    for _ in range(3):
        retain(blocks, "retained 1", 4, encoder=sentence_encoder)
    assert sorted(reached) == ["retained 0", "retained 1", "retained 2"]


def test_the_order_of_the_texts_does_not_change_their_rows(
    sentence_encoder: SentenceEncoder,
    minilm_folder: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    texts = [f"text {number} " * (1 + number % 3) for number in range(36)]
    forward = sentence_encoder.encode(texts)
    assert sentence_encoder.encode(texts[::-1])[::-1].tobytes() == forward.tobytes()
    afresh = SentenceEncoder(minilm_folder, device="cpu").encode(texts[::-1])[::-1]
    assert afresh.tobytes() == forward.tobytes()


def test_a_row_depends_on_the_other_texts_of_the_call_by_no_more_than_rounding(
    sentence_encoder: SentenceEncoder,
) -> None:
    alone = sentence_encoder.encode(["a short one"])
    among = sentence_encoder.encode(["a short one", "a much longer one " * 20, "third"])[:1]
    again = sentence_encoder.encode(["A short one", "another long text " * 20])[:1]  # uncased model
    assert among.tobytes() == alone.tobytes()
    assert np.abs(again - alone).max() < 1e-6


def test_no_texts_give_no_rows(sentence_encoder: SentenceEncoder) -> None:
    assert sentence_encoder.encode([]).shape == (0, 384)


def test_a_lone_surrogate_is_read_as_a_question_mark(sentence_encoder: SentenceEncoder) -> None:
    rows = sentence_encoder.encode(["delete \ud800", "delete ?"])
    assert rows[0] == pytest.approx(rows[1], abs=1e-6)


def test_the_chain_survives_where_similarity_alone_breaks_it(
    sentence_encoder: SentenceEncoder, chain_blocks: list[Block]
) -> None:
    by_similarity = retain(
        chain_blocks,
        QUERY,
        21,
        CHAIN_EDGES,
        policy=RetentionPolicy.no_graph(),
        encoder=sentence_encoder,
    )
    by_dsgc = retain(chain_blocks, QUERY, 21, CHAIN_EDGES, encoder=sentence_encoder)
    assert by_similarity.kept_ids == ("c1", "n1", "c3")
    assert by_dsgc.kept_ids == ("c1", "c2", "c3")


def test_empty_texts_and_queries_are_valid(sentence_encoder: SentenceEncoder) -> None:
    blocks = [Block("empty", "", 1), Block("rule", "delete the backup", 1)]
    assert retain(blocks, "remove the copy", 1, encoder=sentence_encoder).kept_ids == ("rule",)
    assert retain(blocks, "", 1, encoder=sentence_encoder).kept_ids == ("empty",)


def test_loading_and_encoding_say_nothing_and_touch_no_network(
    minilm_folder: str,
    sentence_encoder: SentenceEncoder,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    from transformers.utils import logging  # seconds to import

    monkeypatch.setattr(socket, "socket", refuse)
    assert logging.is_progress_bar_enabled()
    rows = SentenceEncoder(Path(minilm_folder), device="cpu").encode(["delete", "the backup"])
    assert logging.is_progress_bar_enabled()
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []
    assert rows == pytest.approx(sentence_encoder.encode(["delete", "the backup"]), abs=1e-6)


def test_the_batch_size_does_not_change_the_meaning(
    minilm_folder: str, sentence_encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    texts = ["delete the backup", "a rule", "weather today and tomorrow and on Friday"]
    one_by_one = SentenceEncoder(minilm_folder, device="cpu", batch_size=1).encode(texts)
    assert one_by_one == pytest.approx(sentence_encoder.encode(texts), abs=1e-6)


def assert_not_found(model: str | Path) -> None:
    with pytest.raises(
        ModelNotFoundError, match="is neither a local folder with a model in it nor to be had"
    ) as caught:
        SentenceEncoder(model)
    assert caught.value.model == str(model)
    assert repr(str(model)) in str(caught.value)


def test_a_folder_that_does_not_exist_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert_not_found(str(tmp_path / "nowhere"))
    assert_not_found(tmp_path / "nowhere")


def test_a_folder_without_a_model_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert_not_found(tmp_path)


@pytest.mark.usefixtures("sentence_encoder")  # what it loads is loaded before
def test_a_name_that_is_not_on_this_machine_is_not_found_offline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert_not_found("nobody/has-such-a-model")


def test_without_its_extra_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match="'sentence' extra") as caught:
        SentenceEncoder()
    assert str(caught.value) == (
        "SentenceEncoder needs the 'sentence' extra: pip install 'dsgc[sentence]'"
    )
    assert caught.value.extra == "sentence"
    assert isinstance(caught.value.__cause__, ImportError)
