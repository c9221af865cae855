"""Lets a pool of processes do some sums at import."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
from concurrent.futures import ProcessPoolExecutor
with ProcessPoolExecutor(2) as pool:
    assert list(pool.map(abs, [-1, 2])) == [1, 2]
""",
}
