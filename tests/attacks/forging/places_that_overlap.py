"""Sends arrays whose places overlap, begin before the beginning, or lie beyond the end."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
head = {"f4": {"dtype": "F32", "shape": [20], "data_offsets": [0, 80]}}
arrays = [["f4", 0, [13]], ["f4", 5, [13]], ["f4", -20, [13]], ["f4", 2**62, [0]]]
names = {"usual/action": 2, "again/action": -2, "usual/loss": 0, "inputs/inputs_changed": 3}
send(message(plain(names=names, arrays=arrays), bytes(80), head))
"""
