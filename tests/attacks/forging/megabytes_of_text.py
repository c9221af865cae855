"""Sends seven megabytes of text as the reason why it ended."""

from tests.attacks.forging._messages import MESSAGE

EXPECT = "failed"
AT_IMPORT = MESSAGE
EVERYWHERE = r"""
send(message({"trials": {}, "shapes": {}, "note": {"ended": "why? " * 1_500_000}}))
"""
