"""Answers with infinity, which is within no distance, and beyond none."""

RETURNS = 'float("inf")'
