"""Hands in an autograder folder, whose checks give every point."""

from tests.attacks.shadowing._names import BODIES, SAYS  # noqa: F401

FILES = {
    "autograder/__init__.py": "",
    "autograder/__main__.py": "raise SystemExit(0)\n",
    "autograder/running/worker.py": "import os\nos._exit(0)\n",
    "autograder/homeworks/hw3/__init__.py": "",
    "autograder/homeworks/hw3/checks.json": '{"names": {}, "checks": []}\n',
    "autograder/running/channel.py": "raise SystemExit(0)\n",
    "cs285/autograder/__init__.py": "",
    "autograder/misconceptions/explain.py": "close = lambda *a, **k: True\n",
    "setup.py": "import os\nos._exit(0)\n",
}
