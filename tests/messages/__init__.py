"""Tests of conversations that are made to fit."""
