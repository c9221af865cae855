"""Sends a file whose rows overlap, reach beyond its end and have negative sizes."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
head = {"f4": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 8]},
        "f8": {"dtype": "F64", "shape": [-1], "data_offsets": [4, 2**60]}}
names, arrays = {"each/size": 0, "each/action": 1}, [["f4", 0, [2**10]], ["f8", 0, [1]]]
send(message(plain(names=names, arrays=arrays), bytes(8), head))
"""
