"""Benchmarks: `python -m dsgc.bench`."""
