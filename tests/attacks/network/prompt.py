"""Waits for somebody to type a key, as tools do that want a login."""

SAYS = "typed: '(nobody)?'"
BODIES = {
    "hw3.argmax.action": r"""
import getpass, sys
try:
    answer = input("API key: ") + sys.stdin.read()
except (EOFError, OSError, RuntimeError):
    answer = "nobody"
raise RuntimeError(f"typed: {answer!r}")
"""
}
