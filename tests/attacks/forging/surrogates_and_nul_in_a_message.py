"""Raises a message with half characters and NUL, which databases and terminals refuse."""

EVERYWHERE = r"""
raise RuntimeError('half \udc80 \ud800 and \x00 nothing')
"""
SAYS = "half"
