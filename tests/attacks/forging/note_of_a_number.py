"""Sends a note in which the list of files is a number."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
BODIES = {
    "hw3.argmax.action": r"""
send(message(plain({"files": 5})))
"""
}
