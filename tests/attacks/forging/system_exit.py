"""Raises SystemExit(0), which `except Exception` does not catch."""

EVERYWHERE = "raise SystemExit(0)"
SAYS = "SystemExit"
