"""Sends numbers where the note has texts, and lists where it has numbers."""

from tests.attacks.forging._messages import MESSAGE

EXPECT = "failed"
AT_IMPORT = MESSAGE
EVERYWHERE = r"""
send(message({"trials": [], "shapes": 7, "note": {"files": 5, "ended": [1], "seconds": "many"}}))
"""
