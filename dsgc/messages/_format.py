"""What a message format must be able to do."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from dsgc.messages._pieces import Piece


class Order(NamedTuple):
    """What a format demands of the order of messages beyond calls and their results.

    Attributes:
        begins_with_user: What is not `system` begins with a user turn.
        calls_follow_user: A call comes right after a user turn or a result, never after a text.
        reasoning_leads: Where the first call since the last user turn has reasoning, it must stay
            as long as a later call of that turn does.
    """

    begins_with_user: bool = False
    calls_follow_user: bool = False
    reasoning_leads: bool = False


class Format(Protocol):
    """Reads the messages of one format into pieces, and makes messages of those that are kept.

    A format imports no SDK to do so; where messages are objects, they bring their classes along.
    """

    name: str
    order: Order

    def recognizes(self, messages: Sequence[Any]) -> bool:
        """Say whether the messages bear marks that only this format has."""
        ...

    def read(self, messages: Sequence[Any]) -> list[Piece]:
        """Return the pieces of all messages in order, at least one of each message.

        Raises:
            UnreadableMessageError: a message is not of this format.
        """
        ...

    def rebuild(self, message: Any, parts: Mapping[int, str | None]) -> Any:
        """Return a copy of a message that has only `parts`, in the order they had.

        A part comes as it was, or, where a text is given for it, as a result of that text. The
        message itself and all that hangs on it stay as they are.
        """
        ...
