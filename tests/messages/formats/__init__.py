"""Tests of the message formats, a module for each."""
