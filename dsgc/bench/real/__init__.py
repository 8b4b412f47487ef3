"""Measures on real data: what survives of the histories of real agents."""

from dsgc.bench.real._cases import LARGEST_SHARE, Case, cases_of
from dsgc.bench.real._measure import Comparison, Measurement, Row, Share
from dsgc.bench.real._traces import Trace, data_folder, read_traces, trace_files

__all__ = [
    "LARGEST_SHARE",
    "Case",
    "Comparison",
    "Measurement",
    "Row",
    "Share",
    "Trace",
    "cases_of",
    "data_folder",
    "read_traces",
    "trace_files",
]
