"""Recurses until the C stack overflows."""

SAYS = "ended|Recursion|no answer"
BODIES = {
    "hw3.argmax.action": r"""
import sys
sys.setrecursionlimit(10**9)
def deeper(f):
    return deeper(lambda: sorted([1], key=lambda _: deeper(f)))
deeper(None)
"""
}
