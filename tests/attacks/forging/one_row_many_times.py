"""Sends two million numbers, and says that each of a hundred arrays is all of them."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
BODIES = {
    "hw3.argmax.action": r"""
count, most = 1_900_000, 100
head = {"f4": {"dtype": "F32", "shape": [count], "data_offsets": [0, 4 * count]}}
names = [(f"usual/{number}", number) for number in range(most)]
send(message(plain(names=names, arrays=[["f4", 0, [count]]] * most), bytes(4 * count), head))
"""
}
