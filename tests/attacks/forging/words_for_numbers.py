"""Answers with text that reads like a number."""

EXPECT = "failed"
RETURNS = '"1.0"'
