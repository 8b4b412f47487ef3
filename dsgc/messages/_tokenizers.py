"""Real tokenizers as token counters: those of tiktoken and of Hugging Face."""

import inspect
import operator
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsgc.errors import (
    InputError,
    InputTypeError,
    MissingExtraError,
    ModelNotFoundError,
    VocabularyNotFoundError,
)
from dsgc.messages._tokens import FRAMING

if TYPE_CHECKING:
    import tiktoken
    import tokenizers

_FILE = "tokenizer.json"
_SURROGATE = re.compile("[\ud800-\udfff]")
_AS_TEXT = {"add_special_tokens": False, "split_special_tokens": True, "verbose": False}


def tiktoken_counter(
    encoding_or_model: "str | tiktoken.Encoding", *, framing: int = FRAMING
) -> "TiktokenCounter":
    """Return a counter of tokens as OpenAI's models have them.

    The vocabulary is loaded here: from TIKTOKEN_CACHE_DIR, or once from the network. Text that
    looks like a special token counts as the text that it is, and a lone surrogate as a character.

    Args:
        encoding_or_model: An encoding such as `o200k_base`, a model such as `gpt-4o`, or a
            `tiktoken.Encoding`.
        framing: Tokens that `compact` adds for each message.

    Returns:
        A counter for `count_tokens`.

    Raises:
        MissingExtraError: tiktoken is not installed.
        InputError: tiktoken knows no encoding and no model of this name.
        ModelNotFoundError: the vocabulary is not here, and the network cannot be reached.

    Example:
        >>> import tiktoken
        >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"or": 256}
        >>> encoding = tiktoken.Encoding(
        ...     "tiny", pat_str="[a-z]+|.", mergeable_ranks=ranks, special_tokens={}
        ... )
        >>> tiktoken_counter(encoding)("order")
        4
    """
    try:
        import tiktoken
    except ImportError as missing:
        raise MissingExtraError("tiktoken_counter", "tiktoken") from missing
    if isinstance(encoding_or_model, tiktoken.Encoding):
        return TiktokenCounter(encoding_or_model, _checked(framing))
    if not isinstance(encoding_or_model, str):
        raise InputTypeError(
            f"encoding_or_model is of the type {type(encoding_or_model).__name__}. Give the name "
            "of an encoding or a model, or a tiktoken.Encoding."
        )
    name = _encoding_name(encoding_or_model)
    try:
        return TiktokenCounter(tiktoken.get_encoding(name), _checked(framing))
    except (OSError, ValueError) as cause:  # the latter where what was fetched is not the file
        raise VocabularyNotFoundError(name) from cause


def huggingface_counter(tokenizer: Any, *, framing: int = FRAMING) -> "HuggingFaceCounter":
    """Return a counter of tokens as a model on the Hugging Face hub has them.

    The tokenizer is loaded here, and copied where need be: what cuts or pads texts is turned off,
    no special tokens are added, and text that looks like one counts as the text that it is.

    Args:
        tokenizer: A `tokenizers.Tokenizer`, a tokenizer of transformers or anything else with
            `encode`; the path of a `tokenizer.json` or of a folder with one; or a name on the hub.
        framing: Tokens that `compact` adds for each message.

    Returns:
        A counter for `count_tokens`.

    Raises:
        MissingExtraError: tokenizers is not installed.
        InputError: a file is no `tokenizer.json`.
        ModelNotFoundError: there is no such folder, or the hub cannot be reached.
        InputTypeError: `tokenizer` has no `encode`.

    Example:
        >>> count_tokens = huggingface_counter(MINILM_FOLDER)
        >>> count_tokens("Where is my order?"), count_tokens("[SEP]")
        (5, 3)
    """
    framing = _checked(framing)
    if isinstance(tokenizer, str | os.PathLike):
        return HuggingFaceCounter(_as_text(_loaded(os.fspath(tokenizer))), framing)
    # A fast tokenizer of transformers wraps one of these, with limits of its own.
    inner = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if hasattr(inner, "encode_special_tokens"):
        return HuggingFaceCounter(_as_text(_copied(inner)), framing)
    encode = getattr(tokenizer, "encode", None)
    if not callable(encode):
        raise InputTypeError(
            f"tokenizer is of the type {type(tokenizer).__name__}, which has no encode(). Give a "
            "tokenizer, the path of a tokenizer.json, or a name on the hub."
        )
    return HuggingFaceCounter(tokenizer, framing, _understood(encode))


@dataclass(frozen=True)
class TiktokenCounter:
    """Counts tokens by an encoding of tiktoken."""

    encoding: "tiktoken.Encoding"
    framing: int = FRAMING

    def __call__(self, text: str) -> int:
        """Return the tokens of a text."""
        return len(self.encoding.encode_ordinary(text))


@dataclass(frozen=True)
class HuggingFaceCounter:
    """Counts tokens by a tokenizer that has `encode`, called with `options`."""

    tokenizer: Any
    framing: int = FRAMING
    options: Mapping[str, bool] = field(default_factory=lambda: {"add_special_tokens": False})

    def __call__(self, text: str) -> int:
        """Return the tokens of a text."""
        if _SURROGATE.search(text):  # which no tokenizer takes
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return len(self.tokenizer.encode(text, **self.options))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if hasattr(self.tokenizer, "encode_special_tokens"):  # which a pickle of it forgets
            self.tokenizer.encode_special_tokens = True


def _checked(framing: object) -> int:
    try:
        tokens = operator.index(framing)  # type: ignore[arg-type]  # the very thing being tested
    except TypeError:
        tokens = -1
    if tokens < 0:
        raise InputError(f"framing must be a whole number of tokens, 0 or more, got {framing!r}.")
    return tokens


def _encoding_name(name: str) -> str:
    import tiktoken
    from tiktoken.model import MODEL_TO_ENCODING

    encodings = tiktoken.list_encoding_names()
    if name in encodings:
        return name
    try:
        return tiktoken.encoding_name_for_model(name)
    except KeyError:
        from difflib import get_close_matches

        near = get_close_matches(name, [*MODEL_TO_ENCODING, *encodings], n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"tiktoken knows no encoding and no model {name!r}.{hint} Name its encoding instead, "
            f"for recent models 'o200k_base', or a later tiktoken may know it. Encodings: "
            f"{', '.join(encodings)}."
        ) from None


def _loaded(path_or_name: str) -> "tokenizers.Tokenizer":
    try:
        from tokenizers import Tokenizer
    except ImportError as missing:
        raise MissingExtraError("huggingface_counter", "tokenizers") from missing
    path = Path(path_or_name)
    file = path / _FILE if path.is_dir() else path
    if not path_or_name or (path.is_dir() and not file.is_file()):
        raise ModelNotFoundError(path_or_name)
    try:
        if file.is_file():
            return Tokenizer.from_file(str(file))
        return Tokenizer.from_pretrained(path_or_name)
    except Exception as cause:  # tokenizers raises nothing more specific
        if file.is_file():
            raise InputError(
                f"{str(file)!r} is no {_FILE}: {cause}. Give the file that is saved with a fast "
                "tokenizer, or the folder that holds it."
            ) from cause
        raise ModelNotFoundError(path_or_name) from cause


def _copied(tokenizer: "tokenizers.Tokenizer") -> "tokenizers.Tokenizer":
    copy: tokenizers.Tokenizer = type(tokenizer).from_str(tokenizer.to_str())
    return copy


def _as_text(tokenizer: "tokenizers.Tokenizer") -> "tokenizers.Tokenizer":
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def _understood(encode: Callable[..., Any]) -> dict[str, bool]:
    """Return those of the options that `encode` takes."""
    try:
        parameters = inspect.signature(encode).parameters
    except ValueError:  # a function that does not tell
        return {}
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    is_of_transformers = takes_any and "add_special_tokens" in parameters
    return {
        name: value for name, value in _AS_TEXT.items() if is_of_transformers or name in parameters
    }
