"""Tests of dsgc, a module for each of its own."""
