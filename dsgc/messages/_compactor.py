"""Compacting a conversation that grows, again and again: `Compactor`."""

import asyncio
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypedDict

from dsgc._arguments import check_kinds
from dsgc._encoding import Encoder
from dsgc._policy import RetentionPolicy
from dsgc._tokens import TokenCounter
from dsgc.errors import InputError
from dsgc.messages._compaction import compact
from dsgc.messages._continuation import go_on, read_on
from dsgc.messages._detection import AUTO, format_of
from dsgc.messages._limits import limits_of, listed_tools
from dsgc.messages._memory import Memory, past_of
from dsgc.messages._pinning import Predicate
from dsgc.messages._reading import read_pieces
from dsgc.messages._result import Compaction
from dsgc.messages._tokens import estimate_tokens
from dsgc.messages._transcript import checked_messages


class CompactorOptions(TypedDict, total=False):
    """The settings of a `Compactor` but for its budget and format, as keyword arguments."""

    policy: RetentionPolicy
    encoder: Encoder | None
    count_tokens: TokenCounter
    reserve: int
    tools: Iterable[Any]
    split_results: bool
    keep_first_user: bool | None
    pin: Predicate | None
    high_water: float | None
    low_water: float | None
    n_conversations: int


@dataclass(frozen=True, eq=False)
class Compactor:
    """The settings of `compact`, for agents that call a model again and again.

    Compacting anew before each call would change the beginning of the conversation each time, and
    a prompt cache be of no use. A compactor remembers what it left out: as long as a conversation
    only goes on, and what was kept with what came since stays within the high mark, it leaves
    that beginning as it is, and adds what came since. Beyond the mark the whole conversation, as
    it is given, is compacted again, to the low mark. A conversation whose earlier messages have
    changed is compacted anew too.

    One compactor serves many conversations, in many threads. It tells them by what they say, and
    returns a message of one only to a conversation that begins with that very message.

    Attributes:
        budget: The most tokens that messages, `tools` and `reserve` may cost together.
        format: As of `compact`, like all that follow.
        policy: What is valued, and how the budget is filled.
        encoder: What turns texts into vectors.
        count_tokens: The tokens of a text.
        reserve: Tokens to leave free, for the answer.
        tools: Tool schemas that are sent along each time, to be counted.
        split_results: Whether long results may be cut.
        keep_first_user: Whether the first user message must stay.
        pin: Says of a message whether it must stay.
        high_water: Compact only once the messages exceed this.
        low_water: What to compact to, once it comes to that.
        n_conversations: How many compacted conversations to remember; 0 compacts anew each time.

    Raises:
        InputError: a setting that cannot be, as of `compact`.
        InputTypeError: a setting of the wrong kind.

    Example:
        >>> compactor = Compactor(60, low_water=0.5)
        >>> history = [{"role": "user", "content": f"Note {number}. " * 4} for number in range(6)]
        >>> first = compactor.compact(history)
        >>> first
        Compaction(kept 2 of 6 messages, 24 of 72 tokens)
        >>> second = compactor.compact([*history, {"role": "user", "content": "Go on."}])
        >>> second
        Compaction(kept 3 of 7 messages, 30 of 78 tokens)
        >>> second.messages[:2] == first.messages
        True
    """

    budget: int
    _: KW_ONLY
    format: str = AUTO
    policy: RetentionPolicy = field(default_factory=RetentionPolicy.agent)
    encoder: Encoder | None = None
    count_tokens: TokenCounter = estimate_tokens
    reserve: int = 0
    tools: Iterable[Any] = ()
    split_results: bool = True
    keep_first_user: bool | None = None
    pin: Predicate | None = None
    high_water: float | None = None
    low_water: float | None = None
    n_conversations: int = 64
    _memory: Memory = field(init=False, repr=False)

    def __post_init__(self) -> None:
        size = self.n_conversations
        if isinstance(size, bool) or not isinstance(size, int) or size < 0:
            raise InputError(
                f"n_conversations must be a whole number, 0 or more, got {size!r}. It is how many "
                "conversations are remembered at once."
            )
        object.__setattr__(self, "tools", listed_tools(self.tools))
        object.__setattr__(self, "_memory", Memory(size))
        self._compact([], None, self.tools)  # refuses what no conversation could be compacted with

    def compact(
        self, messages: Iterable[Any], query: str | None = None, *, tools: Iterable[Any] = ()
    ) -> Compaction:
        """Make a conversation fit, leaving its beginning as it was made before if that still fits.

        Args:
            messages: The whole conversation, oldest first, as for `compact`. It is not changed.
            query: What the agent is about to do, in words; by default the latest user message.
            tools: Tool schemas that are sent along this time, beside those of the settings.

        Returns:
            As of `compact`. Where the beginning is left as it was, the report says of it what
            became of it then, and `retention` is the decision that was made then.

        Raises:
            PinsOverBudgetError: what must stay does not fit.
            DsgcError: as of `compact`.

        Example:
            >>> Compactor(100).compact([{"role": "user", "content": "Hello"}])
            Compaction(kept 1 of 1 messages, 6 of 6 tokens)
        """
        given, schemas = checked_messages(messages), (*self.tools, *listed_tools(tools))
        check_kinds((), "" if query is None else query, (), self.policy, self.count_tokens)
        form = format_of(given, self.format)
        pieces = read_pieces(form, given)
        past = self._memory.recall(form, pieces)
        if past is not None:
            transcript = read_on(past, given, form, pieces, self.count_tokens)
            marks = (self.high_water, self.low_water)
            limits = limits_of(self.budget, self.reserve, schemas, marks, transcript.pricing)
            continued = go_on(past, transcript, limits, self.pin)
            if continued is not None:
                return continued
        compaction = self._compact(given, query, schemas)
        new = past_of(form, given, pieces, compaction)
        if new is not None:
            self._memory.remember(new)
        return compaction

    async def acompact(
        self, messages: Iterable[Any], query: str | None = None, *, tools: Iterable[Any] = ()
    ) -> Compaction:
        """Do what `compact` does in a thread of its own, so that the event loop goes on.

        Args:
            messages: As for `compact`.
            query: As for `compact`.
            tools: As for `compact`.

        Returns:
            As of `compact`.

        Raises:
            DsgcError: as of `compact`.

        Example:
            >>> import asyncio
            >>> asyncio.run(Compactor(100).acompact([{"role": "user", "content": "Hello"}]))
            Compaction(kept 1 of 1 messages, 6 of 6 tokens)
        """
        given = checked_messages(messages)  # before the caller goes on and adds to them
        return await asyncio.to_thread(self.compact, given, query, tools=listed_tools(tools))

    def _compact(self, messages: list[Any], query: str | None, tools: Iterable[Any]) -> Compaction:
        return compact(
            messages,
            self.budget,
            query,
            format=self.format,
            policy=self.policy,
            encoder=self.encoder,
            count_tokens=self.count_tokens,
            reserve=self.reserve,
            tools=tools,
            split_results=self.split_results,
            keep_first_user=self.keep_first_user,
            pin=self.pin,
            high_water=self.high_water,
            low_water=self.low_water,
        )
