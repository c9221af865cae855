"""Hands in a conftest.py, a pytest.ini and plugins that turn failures into passes."""

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
    "conftest.py": "def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n",
    "pytest.ini": "[pytest]\naddopts = -p conftest\n",
    "cs285/conftest.py": "import os\nos._exit(0)\n",
    "setup.cfg": "[tool:pytest]\naddopts = --co\n",
    "tox.ini": "[pytest]\naddopts = --co\n",
}
