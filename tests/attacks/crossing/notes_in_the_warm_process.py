"""Leaves a note in the warm process that all submissions are forked from."""

from tests.attacks.crossing._notes import passing

COPIES = 2
AT_IMPORT = passing(
    r"""
import os


def look():
    import sys
    import torch
    return getattr(torch, "note", None) or os.environ.get("NOTE")

def leave():
    import sys
    import torch
    torch.note = os.environ["NOTE"] = "@COPY@"
    for pid in (os.getppid(), 1, 2):
        try:
            where = id(torch.__dict__)
            with open(f"/proc/{pid}/mem", "r+b", 0) as memory:
                memory.seek(id("autograder.running.worker"))
                memory.write(memory.read(0))
        except (OSError, ValueError, OverflowError):
            pass
"""
)
