"""Hands in an autograder folder, whose checks give every point."""

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
    "autograder/__init__.py": "",
    "autograder/__main__.py": "raise SystemExit(0)\n",
    "autograder/running/worker.py": "import os\nos._exit(0)\n",
    "autograder/homeworks/hw3/__init__.py": "",
    "autograder/homeworks/hw3/checks.json": '{"names": {}, "checks": []}\n',
    "autograder/running/channel.py": "raise SystemExit(0)\n",
    "cs285/autograder/__init__.py": "",
    "autograder/misconceptions/crash_names.py": "close = lambda *a, **k: True\n",
    "setup.py": "import os\nos._exit(0)\n",
}
