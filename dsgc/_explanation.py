"""An explanation of one block's fate, in words."""

import numpy as np

from dsgc._decision import Decision
from dsgc._policy import RetentionPolicy
from dsgc._propagation import support_sources
from dsgc._records import BlockRecord, Explanation, Supporter


def explain_record(record: BlockRecord, block: int, decision: Decision) -> Explanation:
    """Return the explanation of the record of the block at a position."""
    supporters = _supporters(record, block, decision)
    sentences = (
        _fate(record, len(decision.columns.ids)),
        _relevance(record),
        _support(record, supporters, block, decision),
        _missing(record, decision),
        _activity(record, decision.policy),
        _sum(record, decision.policy),
    )
    return Explanation(record, supporters, " ".join(filter(None, sentences)))


def _supporters(record: BlockRecord, block: int, decision: Decision) -> tuple[Supporter, ...]:
    if not record.support:
        return ()
    policy = decision.policy
    contribution = support_sources(
        decision.links.prerequisites,
        decision.scores.relevance,
        policy.hops,
        policy.damping,
        policy.aggregate,
        block,
    )
    if policy.aggregate == "max":
        contribution = np.where(np.arange(contribution.size) == contribution.argmax(), 1.0, 0.0)
    share = contribution / contribution.sum()
    order = np.argsort(-share, kind="stable")[: np.count_nonzero(share)]
    return tuple(Supporter(decision.columns.ids[i], float(share[i])) for i in order.tolist())


def _fate(record: BlockRecord, n_blocks: int) -> str:
    return (
        f"Block {record.id!r} was {'kept' if record.kept else 'evicted'} ({record.reason}): it "
        f"ranks {record.rank} of {n_blocks} with score {record.score:.4f} and costs "
        f"{_counted(record.cost, 'token')}."
    )


def _relevance(record: BlockRecord) -> str:
    return (
        f"Its similarity to the query is {record.similarity:.4f}, its relevance "
        f"{record.relevance:.4f}."
    )


def _support(
    record: BlockRecord, supporters: tuple[Supporter, ...], block: int, decision: Decision
) -> str:
    n_dependents = len(decision.links.dependents.row(block))
    if not n_dependents:
        return "Nothing depends on it."
    verb = "depends" if n_dependents == 1 else "depend"
    count = f"{_counted(n_dependents, 'block')} directly {verb} on it"
    if not decision.policy.prerequisite_weight:
        as_uses = decision.policy.activation_weight > 0
        return (
            f"{count}, which this policy {'counts as uses only' if as_uses else 'does not count'}."
        )
    if not supporters:
        return f"{count}, but no relevance reaches it from there."
    shown = ", ".join(f"{each.id!r} ({each.share:.0%})" for each in supporters[:_MOST_NAMED])
    if len(supporters) > _MOST_NAMED:
        shown += f" and {len(supporters) - _MOST_NAMED} more"
    return f"{count}; support {record.support:.4f} comes from {shown}."


def _missing(record: BlockRecord, decision: Decision) -> str:
    missing = [
        repr(name) for name, needed_by in decision.links.missing.items() if record.id in needed_by
    ]
    return f"It needs {', '.join(missing)}, no longer among the blocks." if missing else ""


def _activity(record: BlockRecord, policy: RetentionPolicy) -> str:
    terms = []
    if policy.recency_weight:
        terms.append(f"recency {record.recency:.4f}")
    if policy.activation_weight:
        terms.append(f"activation {record.activation:.4f}")
    return f"It has {' and '.join(terms)}." if terms else ""


def _sum(record: BlockRecord, policy: RetentionPolicy) -> str:
    """Show how the score comes about; with one term there is nothing to show."""
    own = f"{policy.relevance_weight:g} * {record.relevance:.4f}"
    support = f"{policy.prerequisite_weight:g} * {record.support:.4f}"
    joined = f"max({own}, {support})" if policy.aggregate == "max" else f"{own} + {support}"
    others = [
        f"{weight:g} * {value:.4f}"
        for weight, value in (
            (policy.recency_weight, record.recency),
            (policy.activation_weight, record.activation),
        )
        if weight
    ]
    total = " + ".join([joined, *others])
    if policy.density_exponent:
        total = f"({total}) / {max(record.cost, 1)} ** {policy.density_exponent:g}"
    return f"Score: {total} = {record.score:.4f}."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_MOST_NAMED = 5
