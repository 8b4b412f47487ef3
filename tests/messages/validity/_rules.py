"""The rules that hold in every format, and how a format adds its own."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.messages.validity._atoms import Atom, pair

STUB_LENGTH = 200  # characters; what is left of a result nothing of which survived is shorter


@dataclass(frozen=True)
class Checker:
    """Finds what is wrong with the messages of one format.

    `atoms` takes messages apart; `shape` names what is wrong with single messages and with their
    sequence, in words that do not depend on where they stand; `relative` compares a history with
    the one it was made from.
    """

    atoms: Callable[[Sequence[Any]], list[Atom]]
    shape: Callable[[Sequence[Any]], list[str]]
    user_begins: bool
    whole_turns: bool = True
    relative: Callable[[Sequence[Any], Sequence[Any]], list[str]] = lambda _after, _before: []

    def problems(self, messages: Sequence[Any], given: Sequence[Any] | None = None) -> list[str]:
        """Return what is wrong with `messages`; what was so in `given` already is excused.

        A result without its call is never excused.
        """
        atoms = self.atoms(messages)
        orphans = [f"no call for {atoms[index]}" for index in pair(atoms).orphans]
        faults = Counter(self._faults(messages, atoms))
        if given is None:
            return orphans + list(faults.elements())
        before = self.atoms(given)
        faults -= Counter(self._faults(given, before))
        found = orphans + list(faults.elements()) + result_problems(atoms, before)
        if self.whole_turns:
            found += turn_problems(atoms, before)
        return found + self.relative(messages, given)

    def _faults(self, messages: Sequence[Any], atoms: Sequence[Atom]) -> list[str]:
        faults = [f"no result for {atoms[index]}" for index in pair(atoms).pending]
        if self.user_begins:
            faults += opening_problems(atoms)
        return faults + self.shape(messages)


def opening_problems(atoms: Sequence[Atom]) -> list[str]:
    """After the system text, the user begins."""
    first = next((atom for atom in atoms if atom.kind != "system"), None)
    if first is None or first.kind == "user":
        return []
    return ["the history does not begin with the user"]


def turn_problems(after: Sequence[Atom], before: Sequence[Atom]) -> list[str]:
    """What an assistant said, thought and called in one turn is all there, or nothing of it."""
    whole = Counter(_turns(before))
    return [
        f"a turn is no longer whole: {[str(atom) for atom in turn]}"
        for turn in (Counter(_turns(after)) - whole).elements()
    ]


def _turns(atoms: Sequence[Atom]) -> list[tuple[Atom, ...]]:
    turns: dict[int, list[Atom]] = {}
    for atom in atoms:
        if atom.kind in {"assistant", "reasoning", "call"}:
            turns.setdefault(atom.position, []).append(_anywhere(atom))
    return [tuple(turn) for turn in turns.values()]


def result_problems(after: Sequence[Atom], before: Sequence[Atom]) -> list[str]:
    """Each call keeps its own result, and JSON that was cut is still JSON."""
    original = _results_by_call(before)
    found = []
    for call, results in _results_by_call(after).items():
        for result, source in zip(results, original.get(call, []), strict=False):
            if result.says != source.says and not _still_json(result, source):
                found.append(f"cut JSON is no JSON any more: {result.texts}")
    pending_before = Counter(_anywhere(before[index]) for index in pair(before).pending)
    pending_after = Counter(_anywhere(after[index]) for index in pair(after).pending)
    lost = pending_before - pending_after
    return found + [f"pending {call} is gone or answered" for call in lost.elements()]


def _anywhere(atom: Atom) -> Atom:
    return Atom(atom.kind, 0, atom.says, atom.keys, atom.texts)


def _results_by_call(atoms: Sequence[Atom]) -> dict[Atom, list[Atom]]:
    results: dict[Atom, list[Atom]] = {}
    for result, call in pair(atoms).call_of.items():
        results.setdefault(_anywhere(atoms[call]), []).append(atoms[result])
    return results


def _still_json(result: Atom, source: Atom) -> bool:
    if not any(is_json_container(text) for text in source.texts):
        return True
    changed = [text for text in result.texts if text not in source.texts]
    return all(is_json_container(text) or is_stub(text, source.texts) for text in changed)


def is_json_container(text: str) -> bool:
    """Whether the text is a JSON object or array, and nothing but JSON's own constants."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict | list)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def is_stub(text: str, sources: Sequence[str]) -> bool:
    """Whether the text is short and repeats nothing of note from its sources."""
    pieces = [text[start : start + 20] for start in range(max(len(text) - 19, 1))]
    return len(text) < STUB_LENGTH and not any(
        len(piece) == 20 and piece in source for piece in pieces for source in sources
    )


def comparable(value: Any) -> str:
    """Return a text that two equal values share."""
    return json.dumps(value, sort_keys=True, default=repr)
