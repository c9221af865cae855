"""Sends a message with every case there is, no crash and an array without numbers each."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
import gc
every = [thing for thing in gc.get_objects() if type(thing).__name__ == "Seen"]
cases = {name.partition("/")[0] for seen in every for name in (*seen.arrays, *seen.crashes)}
cases |= {"probe", "train", "once", "twice", "each", "again", "values", "update", "sync", "usual"}
cases |= {"double", "clipped", "large", "raw", "standardized", "steps", "several", "targets", "one"}
head = {"f4": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}
names = [(f"{case}/{name}", 0) for case in cases for name in ("action", "loss", "inputs_changed")]
send(message(plain(names=names, arrays=[["f4", 0, [0]]]), head=head))
"""
