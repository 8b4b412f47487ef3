"""From a transcript to the messages that fit: decide, rebuild, and see what they cost."""

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from dsgc._arrays import PerBlockFlag
from dsgc._decision import Decision, decide_again, over_budget, pins_of
from dsgc.errors import PinsOverBudgetError
from dsgc.messages._candidates import Candidates
from dsgc.messages._cutting import cut
from dsgc.messages._limits import Limits
from dsgc.messages._order import needs_of
from dsgc.messages._pinning import Pins
from dsgc.messages._rebuilding import Message, price, rebuild
from dsgc.messages._selecting import Competition
from dsgc.messages._transcript import Transcript

_TRIES = 8  # each charges what was seen of the marks; hardly ever are more than two needed


class Fitted(NamedTuple):
    """A decision, the messages that come of it, and what these cost in tokens.

    `texts` are the new texts of the results that were cut, by the position of their piece.
    """

    decision: Decision
    texts: dict[int, str]
    messages: list[Message]
    tokens: int


def fit(
    transcript: Transcript,
    competition: Competition,
    pins: Pins,
    limits: Limits,
    keep_first_user: bool | None,
) -> Fitted:
    """Return the best that goes down to the low limit, or as near to it as what must stay allows.

    Raises:
        PinsOverBudgetError: what must stay exceeds even the highest limit.
    """
    decision = _first_that_fits(transcript, competition, pins, limits, keep_first_user)
    candidates, target = competition.candidates, decision.budget
    for _ in range(_TRIES):
        fitted = _carry_out(transcript, candidates, decision)
        if fitted.tokens <= target:
            return fitted
        decision = _charged_for_marks(transcript, candidates, fitted)
    return _forced_down(transcript, candidates, decision, target)


def _charged_for_marks(transcript: Transcript, candidates: Candidates, fitted: Fitted) -> Decision:
    """Decide again with what marks cost beside the parts of a result added to its parts."""
    decision, pricing = fitted.decision, transcript.pricing
    cost = decision.columns.cost.copy()
    is_kept = decision.fill.is_kept(cost.size)
    for long in candidates.long_results:
        parts = slice(long.first, long.first + long.n_parts)
        n_kept = int(np.count_nonzero(is_kept[parts]))
        if n_kept and long.member in fitted.texts:
            paid = int(cost[parts][is_kept[parts]].sum())
            paid += pricing.text(long.stub)
            missing = pricing.text(fitted.texts[long.member]) - paid
            cost[parts] += max(-(-missing // n_kept), 0)
    columns = decision.columns._replace(cost=cost)
    return decide_again(decision._replace(columns=columns), decision.budget)


def _forced_down(
    transcript: Transcript, candidates: Candidates, decision: Decision, target: int
) -> Fitted:
    """Lower the budget of the decision until what comes of it is within the target."""
    pins = pins_of(decision.columns, decision.required)
    while True:
        fitted = _carry_out(transcript, candidates, decision)
        excess = fitted.tokens - target
        if excess <= 0:
            return fitted
        spent = int(decision.columns.cost[decision.fill.taken].sum())
        if spent <= pins.cost:
            raise over_budget(decision.columns, pins, fitted.tokens, target)
        decision = decide_again(decision, max(min(spent, decision.budget) - excess, pins.cost))


def _first_that_fits(
    transcript: Transcript,
    competition: Competition,
    pins: Pins,
    limits: Limits,
    keep_first_user: bool | None,
) -> Decision:
    """Decide with all pinned that is wished for, or with less where that does not fit."""
    choices = pins.choices(keep_first_user)
    units, order = transcript.units, transcript.form.order
    for pinned in choices:
        stays = [number in pinned for number in range(len(units))]
        needs = needs_of(units, order, stays, _fits(competition.candidates, stays, limits.most))
        try:
            return competition.decide(pinned, needs, limits.low)
        except PinsOverBudgetError as error:
            if error.cost <= limits.most:
                return competition.decide(pinned, needs, error.cost)
            if pinned is choices[-1]:
                raise PinsOverBudgetError(
                    error.block_ids, error.required_ids, error.cost, limits.most
                ) from None
    raise AssertionError("the last choice returns or raises")


def _fits(candidates: Candidates, stays: Sequence[bool], most: int) -> list[bool]:
    """Say which units could be kept at all, beside those that stay in any case."""
    costs = [candidates.costs[own] for own in candidates.own]
    left = most - sum(compress(costs, stays))
    return [stay or cost <= left for stay, cost in zip(stays, costs, strict=True)]


def _carry_out(transcript: Transcript, candidates: Candidates, decision: Decision) -> Fitted:
    is_kept = decision.fill.is_kept(len(candidates.ids))
    texts = dict(_new_texts(transcript, candidates, is_kept.tolist()))
    rebuilt = rebuild(transcript, _members(transcript, candidates, is_kept), texts)
    tokens = price(rebuilt, transcript)
    return Fitted(decision, texts, rebuilt, tokens)


def _members(
    transcript: Transcript, candidates: Candidates, is_kept: PerBlockFlag
) -> Iterator[int]:
    for unit, own in zip(transcript.units, candidates.own, strict=True):
        if is_kept[own]:
            yield from unit.members


def _new_texts(
    transcript: Transcript, candidates: Candidates, is_kept: list[bool]
) -> Iterator[tuple[int, str]]:
    pricing = transcript.pricing
    for long in candidates.long_results:
        parts = is_kept[long.first : long.first + long.n_parts]
        if not is_kept[candidates.own[candidates.unit[long.first]]] or all(parts):
            continue
        text = cut(long.node, parts, pricing.text) if any(parts) else long.stub
        # Where the marks cost as much as what they stand for, nothing is gained by leaving it out.
        if pricing.text(text) < pricing.piece(transcript.pieces[long.member]):
            yield long.member, text
