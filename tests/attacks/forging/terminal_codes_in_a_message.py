"""Raises a message with codes that clear and rename the instructor's terminal."""

EVERYWHERE = r"""
raise RuntimeError('\x1b[2J\x1b]0;owned\x07\x1b[31m100 /100\r passed \x9b2J \u202e')
"""
SAYS = "100 /100"
