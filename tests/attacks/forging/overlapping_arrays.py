"""Sends a file whose arrays overlap, reach beyond its end and have negative sizes."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
head = {"each/size": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 8]},
        "each/action": {"dtype": "F64", "shape": [-1], "data_offsets": [4, 2**60]}}
send(message({"trials": {"each": {"crash": None}}, "shapes": {}, "note": {}}, bytes(8), head))
"""
