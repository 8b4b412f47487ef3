"""Tests of the measures on real data."""
