"""Raises on a line of nine hundred thousand characters, which messages quote."""

SAYS = "quoted"
BODIES = {"hw3.argmax.action": f"raise RuntimeError('quoted') or {'x' * 900_000}"}
