"""Keeps what a helper has computed, at import."""

EXPECT = "passed"
SOLVED = True
AT_IMPORT = {
    "policies/argmax_policy.py": """
import functools
@functools.lru_cache(maxsize=None)
def powers(gamma, n):
    return tuple(gamma**t for t in range(n))
assert len(powers(0.99, 10)) == 10
""",
}
