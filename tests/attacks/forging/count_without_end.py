"""Sends a count of a hundred billion, for a judge that counts up to it."""

from tests.attacks.forging._messages import MESSAGE

EXPECT = "failed"
AT_IMPORT = MESSAGE
EVERYWHERE = r"""
head = {"calls/calls": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}}
trials = {"calls": {"arrays": ["calls/calls"], "crash": None}}
send(message({"trials": trials, "shapes": {}, "note": {}}, struct.pack("<q", 10**11), head))
"""
