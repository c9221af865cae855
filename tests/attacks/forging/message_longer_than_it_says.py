"""Sends a message whose first bytes announce 2^62 bytes."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
send(struct.pack("<Q", 2**62) + b"{}")
"""
