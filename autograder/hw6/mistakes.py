"""All mistakes that the checks of homework 6 know by name."""

from __future__ import annotations

from autograder.core.words import collect

MISTAKES = collect("hw6")
