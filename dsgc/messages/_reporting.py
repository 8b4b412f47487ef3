"""Reading the report off what was decided."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from dsgc._retention import Retention
from dsgc.messages._candidates import Candidates
from dsgc.messages._fitting import Fitted
from dsgc.messages._induction import InducedEdge
from dsgc.messages._pieces import Piece
from dsgc.messages._report import Problem, Report, Row
from dsgc.messages._transcript import Transcript


def report_on_all(transcript: Transcript) -> Report:
    """Return the report on a conversation that fits as it is; its edges are not asked for."""
    rows = []
    for unit in transcript.units:
        tokens = transcript.pricing.pieces(unit.pieces)
        rows.append(Row(unit.id, unit.positions, "kept", "everything fits", tokens, tokens))
    return report_of(transcript, rows, ())


def report_on(
    transcript: Transcript,
    candidates: Candidates,
    edges: Sequence[InducedEdge],
    fitted: Fitted,
    retention: Retention,
) -> Report:
    """Return the report on a conversation that was compacted."""
    bounds = pairwise([*candidates.own, len(candidates.ids)])
    marked = _parts_of_cut_results(candidates, fitted)
    rows = [
        _row(transcript, number, range(own, end), fitted, retention, marked)
        for number, (own, end) in enumerate(bounds)
    ]
    return report_of(transcript, rows, edges)


def _row(
    transcript: Transcript,
    number: int,
    blocks: range,
    fitted: Fitted,
    retention: Retention,
    marked: frozenset[int],
) -> Row:
    unit, pricing = transcript.units[number], transcript.pricing
    before = after = pricing.pieces(unit.pieces)
    record, parts = retention.records[blocks[0]], blocks[1:]
    if not record.kept:
        counts = (0, len(parts))
        return Row(unit.id, unit.positions, "evicted", record.reason, before, 0, counts)
    for member in unit.members:
        if member in fitted.texts:
            after += pricing.text(fitted.texts[member])
            after -= pricing.piece(transcript.pieces[member])
    cut = map(retention.records.__getitem__, filter(marked.__contains__, parts))
    left_out = [record for record in cut if not record.kept]
    counts = (len(parts) - len(left_out), len(parts))
    if after == before:
        return Row(unit.id, unit.positions, "kept", record.reason, before, after, counts)
    best = min(left_out, key=lambda record: record.rank)
    reason = f"{record.reason}; {len(left_out)} of {len(parts)} parts left out, {best.reason}"
    return Row(unit.id, unit.positions, "cut", reason, before, after, counts)


def _parts_of_cut_results(candidates: Candidates, fitted: Fitted) -> frozenset[int]:
    """Return the blocks of results that were cut: others stayed whole, whatever was decided."""
    return frozenset(
        block
        for long in candidates.long_results
        if long.member in fitted.texts
        for block in range(long.first, long.first + long.n_parts)
    )


def report_of(transcript: Transcript, rows: list[Row], edges: Sequence[InducedEdge]) -> Report:
    """Return the report that has these rows, and those of what was dropped."""
    conversation = transcript.conversation
    dropped = [
        Row(
            f"m{piece.message}.{piece.part}",
            (piece.message,),
            "dropped",
            "result without a call",
            transcript.pricing.piece(piece),
            0,
        )
        for piece in conversation.orphans
    ]
    for unit in conversation.strays:
        tokens = transcript.pricing.pieces(unit.pieces)
        reason = "no text may stand right before a call, once the result between them is gone"
        dropped.append(Row(unit.id, unit.positions, "dropped", reason, tokens, 0))
    every = sorted([*rows, *dropped], key=lambda row: row.positions[0])
    return Report(tuple(every), tuple(_problems(transcript)), tuple(edges))


def _problems(transcript: Transcript) -> Iterator[Problem]:
    for piece in transcript.conversation.orphans:
        yield Problem(
            "orphan result",
            (piece.message,),
            f"messages[{piece.message}] holds a result{_named(piece)} without a call before "
            "it that still waits for one. It was left out: no model accepts it.",
        )
    for piece in transcript.conversation.unanswered:
        yield Problem(
            "unanswered call",
            (piece.message,),
            f"messages[{piece.message}] holds a call{_named(piece)} that has no result. It was "
            "kept: the result may still come.",
        )


def _named(piece: Piece) -> str:
    return f" of {piece.name!r}" if piece.name else ""
