"""Compact a real agent's conversation: valid by construction, prerequisites kept, explained."""

from dsgc.messages._compaction import compact
from dsgc.messages._compactor import Compactor
from dsgc.messages._induction import InducedEdge, induce_edges
from dsgc.messages._report import Problem, Report, Row
from dsgc.messages._result import Compaction
from dsgc.messages._tokenizers import huggingface_counter, tiktoken_counter
from dsgc.messages._tokens import estimate_tokens
from dsgc.messages._transcript import read_units
from dsgc.messages._units import Unit

__all__ = [
    "Compaction",
    "Compactor",
    "InducedEdge",
    "Problem",
    "Report",
    "Row",
    "Unit",
    "compact",
    "estimate_tokens",
    "huggingface_counter",
    "induce_edges",
    "read_units",
    "tiktoken_counter",
]
