"""Raises a message that a spreadsheet would run."""

EVERYWHERE = r"""
raise RuntimeError('=cmd|\' /C calc\'!A0')
"""
SAYS = "calc"
