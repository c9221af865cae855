"""Sends half of a message, and leaves."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
send(message(plain())[:20])
"""
