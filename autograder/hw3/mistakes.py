"""All mistakes that the checks of homework 3 know by name."""

from __future__ import annotations

from autograder.core.words import collect

MISTAKES = collect("hw3")
