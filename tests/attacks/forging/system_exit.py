"""Raises SystemExit(0), which `except Exception` does not catch."""

EXPECT = "failed"
EVERYWHERE = "raise SystemExit(0)"
SAYS = "SystemExit"
