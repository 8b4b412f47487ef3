"""Decide which memory blocks of an LLM agent survive when the context budget is too small."""

from dsgc._block import Block
from dsgc._diagnosis import Diagnosis, diagnose
from dsgc._encoding import Encoder, LexicalEncoder
from dsgc._graph import PrerequisiteGraph
from dsgc._policy import RetentionPolicy
from dsgc._records import BlockRecord, Explanation, Verdict
from dsgc._retention import Retention, retain
from dsgc._tokens import count_words

__version__ = "0.1.0"

__all__ = [
    "Block",
    "BlockRecord",
    "Diagnosis",
    "Encoder",
    "Explanation",
    "LexicalEncoder",
    "PrerequisiteGraph",
    "Retention",
    "RetentionPolicy",
    "Verdict",
    "count_words",
    "diagnose",
    "retain",
]
