"""Sends four million bytes, and says that each of two thousand arrays is all of them."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
BODIES = {
    "hw3.argmax.action": r"""
count = 4_000_000
names = [("usual/action", 0), *((f"usual/{number}", 0) for number in range(1_999))]
head = {"u1": {"dtype": "U8", "shape": [count], "data_offsets": [0, count]}}
send(message(plain(names=names, arrays=[["u1", 0, [count]]]), bytes(count), head))
"""
}
