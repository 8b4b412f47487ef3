"""Errors: what they say, what they carry, and how they can be caught."""

import copy
import inspect
import pickle
from collections.abc import Callable

import pytest

from dsgc import Block, RetentionPolicy, errors, retain
from dsgc.errors import (
    DsgcError,
    DuplicateBlockError,
    EncodingError,
    InputError,
    InputTypeError,
    InvalidBudgetError,
    InvalidCostError,
    MissingExtraError,
    ModelNotFoundError,
    NeverKeptError,
    PinsOverBudgetError,
    SelfEdgeError,
    UnknownBlockError,
    UnknownFormatError,
    UnreadableMessageError,
    VocabularyNotFoundError,
)

ALL = [
    InvalidBudgetError(-1),
    InvalidCostError("a", -1, 5),
    DuplicateBlockError("a", 0, 1),
    UnknownBlockError("edge refers", ["rule-l"], ["rule-1"]),
    SelfEdgeError("a"),
    PinsOverBudgetError(["a"], ["b"], 3, 2),
    NeverKeptError("a", "duplicate of 'b'"),
    EncodingError("wrong", "a"),
    UnknownFormatError("there is no format 'x'.", ["gemini", "auto"]),
    UnreadableMessageError(3, "has no role", "gemini"),
    InputError("wrong"),
    InputTypeError("wrong"),
    ModelNotFoundError("nowhere"),
    VocabularyNotFoundError("o200k_base"),
    MissingExtraError("SentenceEncoder", "sentence"),
    DsgcError("wrong"),
]
BLOCKS = [Block("rule-1", "x", 1), Block("b", "y", 1)]


def kind(error: Exception) -> str:
    return type(error).__name__


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (InputError, ValueError),
        (InvalidBudgetError, ValueError),
        (InvalidCostError, ValueError),
        (DuplicateBlockError, ValueError),
        (UnknownBlockError, ValueError),
        (SelfEdgeError, ValueError),
        (PinsOverBudgetError, ValueError),
        (NeverKeptError, ValueError),
        (EncodingError, ValueError),
        (UnknownFormatError, ValueError),
        (UnreadableMessageError, ValueError),
        (InputTypeError, TypeError),
        (ModelNotFoundError, OSError),
        (VocabularyNotFoundError, OSError),
        (MissingExtraError, ImportError),
    ],
)
def test_every_error_is_a_dsgc_error_and_the_builtin_one_expects(
    error: type[Exception], builtin: type[Exception]
) -> None:
    assert issubclass(error, DsgcError)
    assert issubclass(error, builtin)
    assert issubclass(error, InputError) == (builtin is ValueError)


def test_no_error_of_the_module_is_left_out_here() -> None:
    defined = {
        name
        for name, thing in vars(errors).items()
        if inspect.isclass(thing) and issubclass(thing, Exception)
    }
    assert {kind(error) for error in ALL} == defined


@pytest.mark.parametrize("error", ALL, ids=kind)
def test_an_error_keeps_its_message_and_data_when_it_crosses_processes(error: DsgcError) -> None:
    received = pickle.loads(pickle.dumps(error))
    assert type(received) is type(error)
    assert str(received) == str(error)
    assert vars(received) == vars(error)


@pytest.mark.parametrize("error", ALL, ids=kind)
def test_an_error_can_be_copied(error: DsgcError) -> None:
    copied = copy.deepcopy(error)
    assert str(copied) == str(error)
    assert vars(copied) == vars(error)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            InvalidBudgetError(2.5),
            "budget must be a whole number of tokens, 0 or more, got 2.5. Round it down with "
            "int(), or check what was subtracted from it.",
        ),
        (
            InvalidCostError("a", -1, 9),
            "the cost of block 'a' must be a whole number of tokens from 0 to 9, got -1. Correct "
            "its `cost`, or what `count_tokens` returns for its text.",
        ),
        (
            DuplicateBlockError("a", 0, 4),
            "blocks 0 and 4 both have the id 'a'. Ids must be unique: rename one, or leave one "
            "out.",
        ),
        (
            SelfEdgeError("a"),
            "an edge makes block 'a' its own prerequisite. Remove that edge: a block that is kept "
            "needs no edge to itself.",
        ),
        (
            PinsOverBudgetError(["a", "b"], [], 900, 500),
            "the pinned blocks 'a', 'b' cost 900 tokens, but the budget is 500. Unpin or shorten "
            "some, or raise the budget to 900.",
        ),
        (
            PinsOverBudgetError(["a"], ["b", "c"], 900, 500),
            "the pinned blocks 'a' with their prerequisites 'b', 'c' cost 900 tokens, but the "
            "budget is 500. Unpin or shorten some, or raise the budget to 900.",
        ),
        (
            NeverKeptError("a", "duplicate of 'b'"),
            "no budget that holds all that ranks higher keeps block 'a': it is a duplicate of "
            "'b'. Ask for that block instead, or use a policy with deduplicate=False.",
        ),
        (
            MissingExtraError("StaticEncoder", "static"),
            "StaticEncoder needs the 'static' extra: pip install 'dsgc[static]'",
        ),
    ],
    ids=[
        "budget",
        "cost",
        "duplicate",
        "self-edge",
        "pins",
        "pins with prerequisites",
        "never kept",
        "extra",
    ],
)
def test_a_message_says_what_where_and_what_next(error: DsgcError, message: str) -> None:
    assert str(error) == message


def test_the_data_behind_a_message_are_attributes() -> None:
    pins = PinsOverBudgetError(["a", "b"], ["c"], 900, 500)
    assert (pins.block_ids, pins.required_ids) == (("a", "b"), ("c",))
    assert (pins.cost, pins.budget) == (900, 500)
    assert InvalidBudgetError(-3).budget == -3
    assert (InvalidCostError("a", -1, 9).block_id, InvalidCostError("a", -1, 9).cost) == ("a", -1)
    assert DuplicateBlockError("a", 0, 4).positions == (0, 4)
    assert SelfEdgeError("a").block_id == "a"
    assert NeverKeptError("a", "duplicate of 'b'").block_id == "a"
    assert EncodingError("wrong").block_id is None
    assert ModelNotFoundError("nowhere").model == "nowhere"
    assert MissingExtraError("StaticEncoder", "static").extra == "static"


def test_an_unknown_id_comes_with_the_nearest_known_one() -> None:
    error = UnknownBlockError("edge refers", ["rule-l"], ["note-7", "rule-1", "plan"])
    assert str(error) == (
        "edge refers to block 'rule-l', which is not among the 3 blocks given. "
        "Did you mean 'rule-1'?"
    )
    assert (error.block_id, error.suggestion) == ("rule-l", "rule-1")


def test_the_nearest_id_is_given_even_where_it_is_not_near() -> None:
    error = UnknownBlockError("edge refers", ["zzz"], ["plan", "jazz band", "note"])
    assert str(error) == (
        "edge refers to block 'zzz', which is not among the 3 blocks given. "
        "The nearest id is 'jazz band'."
    )
    assert error.suggestion == "jazz band"


def test_nothing_is_suggested_where_there_is_nothing() -> None:
    error = UnknownBlockError("edge refers", ["zzz"], [])
    assert str(error) == "edge refers to block 'zzz', which is not among the 0 blocks given."
    assert error.suggestion is None


def test_several_unknown_ids_are_each_named_once() -> None:
    error = UnknownBlockError("edges refer", ["x", "y", "x"], iter([]))
    assert str(error) == ("edges refer to blocks 'x', 'y', which are not among the 0 blocks given.")
    assert (error.block_id, error.block_ids) == ("x", ("x", "y"))


def test_of_many_unknown_ids_five_are_named_and_all_are_carried() -> None:
    unknown = [f"gone-{number}" for number in range(8)]
    error = UnknownBlockError("edges refer", unknown, ["plan"])
    assert "'gone-3', 'gone-4' and 3 more, which are not" in str(error)
    assert error.block_ids == tuple(unknown)


def test_a_vocabulary_that_is_not_there_is_a_model_not_found_with_other_advice() -> None:
    error = VocabularyNotFoundError("o200k_base")
    assert isinstance(error, ModelNotFoundError)
    assert error.model == "o200k_base"
    assert str(error) == (
        "tiktoken has no copy of the vocabulary 'o200k_base' and cannot fetch it. Set "
        "TIKTOKEN_CACHE_DIR to a folder that holds one, or count with estimate_tokens, which needs "
        "none."
    )


def test_an_unknown_format_comes_with_the_known_ones() -> None:
    error = UnknownFormatError("there is no format 'openai'.", ["openai-chat", "auto"])
    assert str(error) == "there is no format 'openai'. Known formats: openai-chat, auto."
    assert error.known == ("openai-chat", "auto")


def test_a_message_that_cannot_be_read_is_named_by_its_position_and_format() -> None:
    error = UnreadableMessageError(3, "has no role", "gemini")
    assert str(error) == (
        "messages[3] has no role, so it cannot be read as gemini. Correct the message, or name its "
        "format with `format=`."
    )
    assert (error.position, error.format) == (3, "gemini")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: retain(BLOCKS, "x", -1), InvalidBudgetError),
        (lambda: retain([Block("a", "x", -1)], "x", 1), InvalidCostError),
        (lambda: retain([*BLOCKS, *BLOCKS], "x", 1), DuplicateBlockError),
        (lambda: retain(BLOCKS, "x", 1, [("b", "rule-l")]), UnknownBlockError),
        (lambda: retain(BLOCKS, "x", 1, [("b", "b")]), SelfEdgeError),
        (lambda: retain([Block("a", "x", 2, True)], "x", 1), PinsOverBudgetError),
        (lambda: retain(BLOCKS, "x", 1, ["ab"]), InputTypeError),
        (
            lambda: retain(
                [Block("a", "x"), Block("c", "x")], "x", 1, policy=RetentionPolicy.chain_safe()
            ).budget_for(["a", "c"]),
            NeverKeptError,
        ),
    ],
)
def test_one_except_clause_catches_whatever_retain_refuses(
    call: Callable[[], object], error: type[DsgcError]
) -> None:
    with pytest.raises(DsgcError, match=r"\w+") as caught:
        call()
    assert type(caught.value) is error


def test_a_failed_budget_names_the_pins_their_cost_and_the_budget() -> None:
    blocks = [Block("system", "x", 600, True), Block("task", "y", 300, True), Block("c", "z", 1)]
    with pytest.raises(
        PinsOverBudgetError, match="'system', 'task' cost 900 tokens, but the budget is 500"
    ) as caught:
        retain(blocks, "x", 500)
    assert caught.value.block_ids == ("system", "task")
    assert (caught.value.cost, caught.value.budget) == (900, 500)
    assert retain(blocks, "x", 900).kept_ids == ("system", "task")
