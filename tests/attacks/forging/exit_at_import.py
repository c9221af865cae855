"""Ends the process with status 0 as soon as a file is imported."""

AT_IMPORT = {"policies/argmax_policy.py": "import ctypes; ctypes.CDLL(None)._exit(0)"}
SAYS = "ended"
