"""Sends an array of three hundred million rows with nothing in them."""

from tests.attacks.forging._messages import MESSAGE

EXPECT = "failed"
AT_IMPORT = MESSAGE
EVERYWHERE = r"""
head = {"calls/calls": {"dtype": "F64", "shape": [300_000_000, 0], "data_offsets": [0, 0]}}
trials = {"calls": {"arrays": ["calls/calls"], "crash": None}}
send(message({"trials": trials, "shapes": {}, "note": {}}, head=head))
"""
