"""Sends numbers of a million digits, and others that JSON does not have."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
BODIES = {
    "hw3.argmax.action": r"""
send(message('{"seen": [[{"each/size": 0}, {}, [], []]], "arrays": [["f4", 0, ['
             + "9" * 1_000_000 + ', NaN, -Infinity]]], "note": {}}'))
"""
}
