"""Tests of the encoders that need an extra."""
