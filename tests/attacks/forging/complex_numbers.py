"""Answers with a complex number, whose real part may be anything."""

EXPECT = "failed"
RETURNS = "(1 + 1j)"
