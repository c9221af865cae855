"""Ends its message with half a character, which no file can be written with."""

from tests.attacks.forging._messages import MESSAGE

EXPECT = "failed"
AT_IMPORT = MESSAGE
EVERYWHERE = r"""
send(message({"trials": {}, "shapes": {}, "note": {"ended": "over \ud800"}}))
"""
