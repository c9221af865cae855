"""Loops for ever when a file is imported."""

SAYS = "no answer|no end"
AT_IMPORT = {"policies/argmax_policy.py": "while True: pass"}
