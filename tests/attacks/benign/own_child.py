"""Begins a child at import, which ends itself."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import os
child = os.fork()
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
""",
}
