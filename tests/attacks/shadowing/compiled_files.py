"""Hands in bytecode for its modules, so that what is read is not what runs."""

import importlib.util
import marshal

EXPECT = "blank"
CODE = compile("import os; os._exit(0)", "argmax_policy.py", "exec")
PYC = importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(CODE)
FILES = {
    f"cs285/policies/__pycache__/argmax_policy.cpython-3{minor}.pyc": PYC for minor in range(10, 14)
} | {"cs285/policies/argmax_policy.pyc": PYC, "cs285/agents/dqn_agent.abi3.so": b"\x7fELF"}
