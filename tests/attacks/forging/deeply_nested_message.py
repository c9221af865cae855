"""Sends JSON that is nested a hundred thousand deep."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
BODIES = {
    "hw3.argmax.action": r"""
send(message('{"seen": ' + "[" * 100_000 + "]" * 100_000 + "}"))
"""
}
