"""Sends a message with every trial there is, no crash and no arrays."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
import gc
names = {n for s in gc.get_objects() if type(s).__name__ == "Student" for n in s.trials}
names |= {"probe", "train", "once", "twice", "each", "again", "values", "update", "sync"}
names |= {"double", "clipped", "large", "raw", "standardized", "steps", "several", "targets", "one"}
send(message({"trials": {n: {"crash": None} for n in names}, "shapes": {}, "note": {}}))
"""
