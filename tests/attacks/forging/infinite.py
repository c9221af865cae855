"""Answers with infinity, which is within no distance, and beyond none."""

EXPECT = "failed"
RETURNS = 'float("inf")'
