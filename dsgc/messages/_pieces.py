"""What every message format is read into: pieces."""

from typing import Any, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["system", "user", "assistant", "reasoning", "call", "result"]

ASSISTANT_SIDE: frozenset[Kind] = frozenset({"assistant", "reasoning", "call"})


class Piece(NamedTuple):
    """A part of a message that has one role in the conversation.

    Attributes:
        message: The position of its message in the list.
        part: Which part of that message it is; 0 where the message has no parts.
        turn: Equal for pieces of one side that only make sense together: those of one message, and
            in formats of items those of one model response.
        kind: Its role. `user` is what a person (or the program in their place) says; what a model
            says is `assistant`, `reasoning` or `call`.
        text: What it says, for scoring, for counting and for finding values; never encoded media.
        key: What pairs a call with its result; equal for the two, and may recur later.
        name: The tool of a call or result.
        arguments: A call's arguments: decoded JSON where they are JSON, otherwise their text.
        media: The fixed price of its images, audio and files, in tokens.
        awaits_result: Whether a call without a result is pending, rather than complete in itself.
        replaceable: Whether `Format.rebuild` can put another text in the place of this result.
        pinned: Whether the format knows that it must stay.
        by_order: Whether a result's key is only a name, so that results come in order of the calls.
    """

    message: int
    part: int
    turn: int
    kind: Kind
    text: str
    key: str = ""
    name: str = ""
    arguments: Any = None
    media: int = 0
    awaits_result: bool = True
    replaceable: bool = False
    pinned: bool = False
    by_order: bool = False
