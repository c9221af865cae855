"""Answers with text that reads like a number."""

RETURNS = '"1.0"'
