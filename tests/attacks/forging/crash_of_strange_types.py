"""Sends a crash whose fields are lists, objects and numbers."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
crash = {"kind": ["TypeError"], "text": {"a": 1}, "file": 3, "line": "x", "source": [], "function": 0,
         "blank": [], "names": 5}
names = ("probe", "each", "train", "once", "update", "with epsilon 0.3", "values", "sync")
send(message(plain(crashes=dict.fromkeys(names, crash))))
"""
