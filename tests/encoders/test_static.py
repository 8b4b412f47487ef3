"""Static word embeddings by wordllama, on the weights inside its package."""

import socket
import subprocess
import sys
from typing import Any, Literal

import numpy as np
import pytest

import dsgc.encoders
from dsgc import Block, Encoder, RetentionPolicy, retain
from dsgc.encoders import StaticEncoder
from dsgc.errors import MissingExtraError

CHAIN_EDGES = [("c3", "c2"), ("c2", "c1")]
QUERY = "May Alice delete the encrypted backup?"


@pytest.fixture(scope="module")
def encoder() -> StaticEncoder:
    return StaticEncoder()


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("the network was asked for")


def test_it_is_an_encoder(encoder: StaticEncoder) -> None:
    assert isinstance(encoder, Encoder)


def test_rows_have_256_dimensions_and_unit_length(encoder: StaticEncoder) -> None:
    rows = encoder.encode(["delete the backup", "备份", "x " * 2_000])
    assert rows.shape == (3, 256)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("n_dimensions", [64, 128, 256])
def test_fewer_dimensions_are_the_leading_ones(
    encoder: StaticEncoder, n_dimensions: Literal[64, 128, 256]
) -> None:
    texts = ["delete the backup", "weather today"]
    rows = StaticEncoder(n_dimensions).encode(texts)
    leading = encoder.encode(texts)[:, :n_dimensions]
    assert rows.shape == (2, n_dimensions)
    assert rows == pytest.approx(leading / np.linalg.norm(leading, axis=1, keepdims=True), abs=1e-5)


def test_what_means_the_same_is_closer_than_what_does_not(encoder: StaticEncoder) -> None:
    rows = encoder.encode(["delete the backup", "remove the copy", "weather today"])
    assert float(rows[0] @ rows[1]) == pytest.approx(0.447, abs=0.01)
    assert float(rows[0] @ rows[2]) == pytest.approx(0.014, abs=0.01)


@pytest.mark.usefixtures("encoder")  # it imports wordllama the right way
def test_a_text_is_never_computed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    # Not at the top: wordllama sets up the root logger when it is imported by itself.
    from wordllama.inference import WordLlamaInference

    embed = WordLlamaInference.embed
    reached: list[str] = []

    def counting(self: object, texts: list[str], **options: Any) -> Any:
        reached.extend(texts)
        return embed(self, texts, **options)

    monkeypatch.setattr(WordLlamaInference, "embed", counting)
    fresh = StaticEncoder()
    blocks = [Block(str(number), f"text {number % 3}", 1) for number in range(7)]
    for _ in range(3):
        retain(blocks, "text 1", 4, encoder=fresh)
    fresh.encode(["text 2", "other", "text 0"])
    assert sorted(reached) == ["other", "text 0", "text 1", "text 2"]


def test_neither_the_order_nor_the_other_texts_change_a_row(encoder: StaticEncoder) -> None:
    texts = [f"text {number} " * (1 + number % 9) for number in range(70)]
    forward = encoder.encode(texts)
    assert StaticEncoder().encode(texts[::-1])[::-1].tobytes() == forward.tobytes()
    assert StaticEncoder().encode(texts[3:4]).tobytes() == forward[3:4].tobytes()


def test_no_texts_give_no_rows(encoder: StaticEncoder) -> None:
    assert encoder.encode([]).shape == (0, 256)


def test_an_empty_text_is_a_zero_row(encoder: StaticEncoder) -> None:
    assert encoder.encode(["", "backup"]).any(axis=1).tolist() == [False, True]


def test_a_lone_surrogate_is_read_as_a_question_mark(encoder: StaticEncoder) -> None:
    rows = encoder.encode(["delete \ud800", "delete ?"])
    assert rows[0].tobytes() == rows[1].tobytes()


def test_the_chain_survives_where_similarity_alone_breaks_it(
    encoder: StaticEncoder, chain_blocks: list[Block]
) -> None:
    by_similarity = retain(
        chain_blocks, QUERY, 21, CHAIN_EDGES, policy=RetentionPolicy.no_graph(), encoder=encoder
    )
    by_dsgc = retain(chain_blocks, QUERY, 21, CHAIN_EDGES, encoder=encoder)
    assert by_similarity.kept_ids == ("c1", "n1", "c3")
    assert by_dsgc.kept_ids == ("c1", "c2", "c3")


def test_empty_texts_and_queries_are_valid(encoder: StaticEncoder) -> None:
    blocks = [Block("empty", "", 1), Block("rule", "delete the backup", 1)]
    assert retain(blocks, "remove the copy", 1, encoder=encoder).kept_ids == ("rule",)
    assert retain(blocks, "", 1, encoder=encoder).kept_ids == ("empty",)


def test_loading_and_encoding_say_nothing_and_touch_no_network(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(socket, "socket", refuse)
    assert StaticEncoder().encode(["delete"]).any()
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_a_new_process_needs_no_network_and_no_home_and_prints_nothing() -> None:
    ran = run_python(
        "import socket\n"
        "def refuse(*_, **__): raise AssertionError('the network was asked for')\n"
        "socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from dsgc.encoders import StaticEncoder\n"
        "assert StaticEncoder().encode(['delete']).any()\n"
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_the_root_logger_is_left_as_it_was() -> None:
    ran = run_python(
        "import logging\n"
        "root = logging.getLogger()\n"
        "assert (root.handlers, root.level) == ([], logging.WARNING)\n"
        "from dsgc.encoders import StaticEncoder\n"
        "StaticEncoder().encode(['delete'])\n"
        "assert (root.handlers, root.level) == ([], logging.WARNING)\n"
        "logging.getLogger('app').info('not shown')\n"
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_handlers_that_were_set_before_stay() -> None:
    ran = run_python(
        "import logging\n"
        "root, mine = logging.getLogger(), logging.NullHandler()\n"
        "root.addHandler(mine)\n"
        "root.setLevel(logging.ERROR)\n"
        "from dsgc.encoders import StaticEncoder\n"
        "StaticEncoder()\n"
        "print(root.handlers == [mine], root.level == logging.ERROR)\n"
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "True True\n", "")


def test_neither_torch_nor_the_sentence_encoder_is_loaded() -> None:
    ran = run_python(
        "import sys\n"
        "from dsgc.encoders import StaticEncoder\n"
        "assert 'wordllama' not in sys.modules\n"
        "StaticEncoder()\n"
        "print(*sorted({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))\n"
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "\n", "")


def test_without_its_extra_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(MissingExtraError, match="'static' extra") as caught:
        StaticEncoder()
    assert str(caught.value) == "StaticEncoder needs the 'static' extra: pip install 'dsgc[static]'"
    assert caught.value.extra == "static"
    assert isinstance(caught.value.__cause__, ImportError)


def test_the_package_knows_its_encoders_and_no_others() -> None:
    assert dsgc.encoders.__all__ == ["SentenceEncoder", "StaticEncoder"]
    assert dsgc.encoders.StaticEncoder is StaticEncoder
    with pytest.raises(AttributeError, match=r"'dsgc\.encoders' has no attribute 'OtherEncoder'"):
        dsgc.encoders.OtherEncoder  # noqa: B018  # looking it up is the test
