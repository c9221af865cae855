"""Answers with a complex number, whose real part may be anything."""

RETURNS = "(1 + 1j)"
