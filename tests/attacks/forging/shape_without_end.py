"""Sends an array of no bytes whose shape is three hundred million by nothing."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
BODIES = {
    "hw3.argmax.action": r"""
head = {"f4": {"dtype": "F32", "shape": [300_000_000, 0], "data_offsets": [0, 0]}}
arrays = [["f4", 0, [300_000_000, 0]]]
send(message(plain(names={"usual/action": 0}, arrays=arrays), b"", head))
"""
}
