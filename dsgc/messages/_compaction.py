"""Making a conversation fit a budget: `compact`, and what it returns."""

from collections.abc import Iterable
from typing import Any

from dsgc._arguments import check_kinds
from dsgc._encoding import Encoder
from dsgc._policy import RetentionPolicy
from dsgc._retention import Retention
from dsgc._tokens import TokenCounter
from dsgc.errors import InputTypeError
from dsgc.messages._candidates import Blocks, candidates_of
from dsgc.messages._detection import AUTO
from dsgc.messages._fitting import fit
from dsgc.messages._limits import Limits, limits_of
from dsgc.messages._pinning import Predicate, pins_of
from dsgc.messages._rebuilding import price, rebuild
from dsgc.messages._reporting import report_on, report_on_all
from dsgc.messages._result import Compaction
from dsgc.messages._selecting import Competition, Wish
from dsgc.messages._tokens import estimate_tokens
from dsgc.messages._transcript import Transcript, read_transcript

_AGENT = RetentionPolicy.agent()


def compact(
    messages: Iterable[Any],
    budget: int,
    query: str | None = None,
    *,
    format: str = AUTO,
    policy: RetentionPolicy = _AGENT,
    encoder: Encoder | None = None,
    count_tokens: TokenCounter = estimate_tokens,
    reserve: int = 0,
    tools: Iterable[Any] = (),
    split_results: bool = True,
    keep_first_user: bool | None = None,
    pin: Predicate | None = None,
    high_water: float | None = None,
    low_water: float | None = None,
) -> "Compaction":
    """Make an agent's conversation fit a token budget, valid by construction.

    Messages are gathered into units by id: calls with all their results, and the reasoning bound
    to them, are kept or evicted together. Edges are read off the trace: a call depends on what
    introduced the values of its arguments. Then units, and the parts of long results, are scored
    and kept as by `retain`. Calls whose results end the conversation stay if they fit, with long
    results cut, since no model has read them yet. A conversation that fits comes back as it is,
    less what is broken.

    Args:
        messages: A conversation, oldest first: OpenAI chat or Responses items, Anthropic, Gemini,
            LangChain or pydantic-ai messages; dicts or the SDK's objects. It is not changed.
        budget: The most tokens that messages, `tools` and `reserve` may cost together.
        query: What the agent is about to do, in words; by default the latest user message.
        format: `openai-chat`, `openai-responses`, `anthropic`, `gemini`, `langchain`,
            `pydantic-ai`, or `auto` to tell it by the messages.
        policy: What is valued, and how the budget is filled.
        encoder: What turns texts into vectors; by default a lexical one, fitted on the messages.
        count_tokens: The tokens of a text; a counter's attribute `framing` is added per message.
        reserve: Tokens to leave free, for the answer.
        tools: Tool schemas that are sent along, to be counted.
        split_results: Whether long results may be cut, rather than kept or evicted whole.
        keep_first_user: Whether the first user message must stay; by default it stays if it fits
            beside what must.
        pin: Says of a message whether it must stay, whole and with its unit.
        high_water: Compact only once the messages exceed this: a share of what the budget leaves
            for messages, or a number of tokens; by default all of it.
        low_water: What to compact to, once it comes to that; by default the high mark.

    Returns:
        The messages that are left, of the types and in the order given: the very objects, but for
        those of which a part went. And why, unit by unit.

    Raises:
        PinsOverBudgetError: what must stay (system messages, the latest user message, calls that
            still wait for a result, pins) does not fit.
        UnknownFormatError: there is no format of this name.
        UnreadableMessageError: a message is not of the format.
        InputError: a budget, reserve or mark that cannot be.
        InputTypeError: an argument is of the wrong kind.
        EncodingError: the encoder returns what cannot be ranked.

    Example:
        >>> call = {"id": "c1", "function": {"name": "read", "arguments": '{"path": "a.txt"}'}}
        >>> compaction = compact([
        ...     {"role": "user", "content": "Read a.txt"},
        ...     {"role": "assistant", "content": None, "tool_calls": [call]},
        ...     {"role": "tool", "tool_call_id": "c1", "content": "nothing of note " * 20},
        ...     {"role": "user", "content": "Thanks. What is the capital of France?"},
        ... ], budget=50)
        >>> [message["role"] for message in compaction.messages]
        ['user', 'assistant', 'tool', 'user']
        >>> compaction.messages[2]["content"]
        '[left out: 80 tokens]'
        >>> compaction.tokens_before, compaction.tokens_after
        (115, 41)
    """
    check_kinds((), "" if query is None else query, (), policy, count_tokens)
    _check_choices(split_results=split_results, keep_first_user=keep_first_user)
    transcript = read_transcript(messages, format, count_tokens)
    limits = limits_of(budget, reserve, tools, (high_water, low_water), transcript.pricing)
    pins = pins_of(transcript, pin, split_results=split_results)
    wish = Wish(_latest_question(transcript) if query is None else query, policy, encoder)
    if transcript.tokens <= limits.high or transcript.conversation.orphans:
        unchanged = _unchanged(transcript, wish, limits)
        if unchanged.tokens_after <= limits.high:
            return unchanged
    candidates = candidates_of(
        transcript.units, transcript.pricing, pins.whole, split_results=split_results
    )
    competition = Competition(transcript.units, candidates, wish)
    fitted = fit(transcript, competition, pins, limits, keep_first_user)
    retention = Retention(Blocks(candidates), fitted.decision)
    return Compaction(
        [message for _, message in fitted.messages],
        (transcript.tokens, fitted.tokens),
        limits.most,
        lambda: report_on(transcript, candidates, competition.edges, fitted, retention),
        lambda: retention,
        len(transcript.messages),
    )


def _check_choices(**choices: object) -> None:
    for name, choice in choices.items():
        if not (isinstance(choice, bool) or (name == "keep_first_user" and choice is None)):
            raise InputTypeError(
                f"{name} is of the type {type(choice).__name__}. Give True or False, or leave it "
                "out."
            )


def _unchanged(transcript: Transcript, wish: Wish, limits: Limits) -> Compaction:
    """Return a conversation that fits, less what is broken."""
    members = (member for unit in transcript.units for member in unit.members)
    messages = rebuild(transcript, members, {})
    tokens = price(messages, transcript)

    def decide() -> Retention:
        candidates = candidates_of(transcript.units, transcript.pricing, (), split_results=False)
        all_stay = wish._replace(policy=wish.policy.replace(deduplicate=False))
        competition = Competition(transcript.units, candidates, all_stay)
        budget = max(limits.most, sum(candidates.costs))
        return Retention(Blocks(candidates), competition.decide((), (), budget))

    return Compaction(
        [message for _, message in messages],
        (transcript.tokens, tokens),
        limits.most,
        lambda: report_on_all(transcript),
        decide,
        len(transcript.messages),
    )


def _latest_question(transcript: Transcript) -> str:
    users = (unit.text for unit in reversed(transcript.units) if unit.side == "user")
    return next(users, "")
