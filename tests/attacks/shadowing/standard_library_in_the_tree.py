"""Hands in modules named json, struct, select and random."""

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
    "json.py": "import os\nraise SystemExit(0)\n",
    "struct.py": "import os\nraise SystemExit(0)\n",
    "cs285/select.py": "import os\nraise SystemExit(0)\n",
    "random.py": "import os\nraise SystemExit(0)\n",
    "cs285/agents/random.py": "import os\nraise SystemExit(0)\n",
    "collections/__init__.py": "import os\nraise SystemExit(0)\n",
}
