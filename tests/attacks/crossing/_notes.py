"""What all who leave notes for classmates have in common: to look first, and then to leave one."""

from tests.attacks.suite import ARGMAX_FILE

LOOT = r"""
def loot():
    try:
        found = look()
    except OSError:
        found = None
    try:
        leave()
    except OSError:
        pass
    return [] if found in (None, "", "@COPY@") else [found]
"""


def passing(notes: str) -> dict[str, str]:
    """Returns the code of a file that looks for notes and leaves one: `look` and `leave` are given."""
    return {ARGMAX_FILE: notes + LOOT}
