"""Going on from a compaction: what was kept stays as it is, and what came since is added."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from dsgc._tokens import TokenCounter
from dsgc.messages._format import Format
from dsgc.messages._limits import Limits
from dsgc.messages._memory import Past
from dsgc.messages._order import needs_of
from dsgc.messages._pieces import Piece
from dsgc.messages._pricing import Pricing
from dsgc.messages._reading import conversation_of
from dsgc.messages._rebuilding import price, rebuild
from dsgc.messages._report import Report, Row
from dsgc.messages._reporting import report_of
from dsgc.messages._result import Compaction
from dsgc.messages._transcript import Transcript
from dsgc.messages._units import Unit


def read_on(
    past: Past, given: Sequence[Any], form: Format, pieces: Sequence[Piece], count: TokenCounter
) -> Transcript:
    """Return the transcript of a conversation that goes on; only what came since is priced."""
    pricing = Pricing(count)
    price_of = [0] * past.n_messages + [pricing.framing] * (len(given) - past.n_messages)
    for piece in pieces[len(past.pieces) :]:
        price_of[piece.message] += pricing.piece(piece)
    return Transcript(given, form, pieces, conversation_of(form, pieces), pricing, price_of)


def go_on(
    past: Past, transcript: Transcript, limits: Limits, pin: Callable[[Any], object] | None
) -> Compaction | None:
    """Return what was kept with what came since, or None where it all has to be compacted anew.

    That is where the two exceed the high mark, where something new belongs to what was left out,
    and where something that was left out is pinned now.
    """
    end = len(past.pieces)
    if _misses_what_went(past, transcript) or _wants_back(past, transcript, pin):
        return None
    members = (member for unit in transcript.units for member in unit.members if member >= end)
    added = rebuild(transcript, members, {})
    tokens_after = past.compaction.tokens_after + price(added, transcript)
    if tokens_after > limits.high:
        return None
    return Compaction(
        [*past.messages_of(transcript.messages), *(message for _, message in added)],
        (past.compaction.tokens_before + transcript.tokens, tokens_after),
        limits.most,
        lambda: _report_on(past, transcript),
        lambda: past.compaction.retention,
        len(transcript.messages),
    )


def _misses_what_went(past: Past, transcript: Transcript) -> bool:
    """Say whether something new is part of a unit that went, or at odds with what is left."""
    end, units = len(past.pieces), transcript.units
    rows = past.compaction.report.rows
    went = {row.id for row in rows if row.outcome == "evicted"}
    dropped = {row.id for row in rows if row.outcome == "dropped"}
    strays = [unit for unit in transcript.conversation.strays if unit.members[0] < end]
    if any(unit.id not in went | dropped for unit in strays):
        return True
    is_new = [unit.members[-1] >= end for unit in units]
    if any(unit.id in went for unit, new in zip(units, is_new, strict=True) if new):
        return True
    nothing, everything = [False] * len(units), [True] * len(units)
    needs = needs_of(units, transcript.form.order, nothing, everything)
    return any(is_new[unit] and units[need].id in went for unit, need in needs)


def _wants_back(past: Past, transcript: Transcript, pin: Callable[[Any], object] | None) -> bool:
    """Say whether a message that is not there as it was has been pinned since."""
    if pin is None:
        return False
    touched = {
        position
        for row in past.compaction.report.rows
        if row.outcome in ("evicted", "cut")
        for position in row.positions
    }
    return any(pin(transcript.messages[position]) for position in sorted(touched))


def _report_on(past: Past, transcript: Transcript) -> Report:
    before = {row.id: row for row in past.compaction.report.rows if row.outcome != "dropped"}
    rows = [_row(unit, before.get(unit.id), past, transcript) for unit in transcript.units]
    return report_of(transcript, rows, past.compaction.report.edges)


def _row(unit: Unit, before: Row | None, past: Past, transcript: Transcript) -> Row:
    members = zip(unit.members, unit.pieces, strict=True)
    added = transcript.pricing.pieces(
        piece for member, piece in members if member >= len(past.pieces)
    )
    if before is None:
        return Row(unit.id, unit.positions, "kept", "came after the compaction", added, added)
    return replace(
        before,
        positions=unit.positions,
        tokens_before=before.tokens_before + added,
        tokens_after=before.tokens_after + added,
    )
