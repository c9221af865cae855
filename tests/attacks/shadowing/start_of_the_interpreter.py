"""Hands in sitecustomize, usercustomize and .pth files, which run when Python starts."""

EXPECT = "failed"
SAYS = "not shadowed"
BODIES = {
    "hw3.argmax.action": """
import builtins, json, sys, numpy, torch
assert json.loads("[1]") == [1] and float(torch.ones(2).sum()) == numpy.ones(2).sum()
raise RuntimeError(getattr(builtins, "shadowed", "not shadowed"))
"""
}
FILES = {
    "sitecustomize.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\n",
    "usercustomize.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\n",
    "cs285/sitecustomize.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\n",
    "evil.pth": "import os; os._exit(0)\n",
    "cs285/evil.pth": "import os; os._exit(0)\n",
    "pyvenv.cfg": "home = /tmp\n",
    "__main__.py": "raise SystemExit(0)\n",
}
