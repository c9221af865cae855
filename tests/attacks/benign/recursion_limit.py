"""Raises the limit of recursion, as notebooks on trees do."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import sys
sys.setrecursionlimit(5000)
""",
}
