"""Sends an array of no bytes whose shape is three hundred million by nothing."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
BODIES = {
    "hw3.argmax.action": r"""
head = {"each/action": {"dtype": "F32", "shape": [300_000_000, 0], "data_offsets": [0, 0]}}
shapes = {"each/action": [300_000_000, 0]}
send(message({"trials": {"each": {"crash": None}}, "shapes": shapes, "note": {}}, b"", head))
"""
}
