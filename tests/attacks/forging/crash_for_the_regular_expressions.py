"""Sends 60 MB of text that the judge's patterns search for very long."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
BODIES = {
    "hw3.argmax.action": r"""
text = "can't convert " * 4_000_000
crash = {"kind": "TypeError", "text": text, "file": "policies/argmax_policy.py", "line": 1}
names = ("probe", "each", "train", "once", "update", "with epsilon 0.3", "values", "sync")
send(message(plain(crashes=dict.fromkeys(names, crash))))
"""
}
