"""Answers with NaN, which no comparison finds too large."""

EXPECT = "failed"
RETURNS = 'float("nan")'
