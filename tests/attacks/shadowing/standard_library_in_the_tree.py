"""Hands in modules named json, struct, select and random."""

from tests.attacks.shadowing._names import BODIES, SAYS  # noqa: F401

FILES = {
    "json.py": "import os\nraise SystemExit(0)\n",
    "struct.py": "import os\nraise SystemExit(0)\n",
    "cs285/select.py": "import os\nraise SystemExit(0)\n",
    "random.py": "import os\nraise SystemExit(0)\n",
    "cs285/agents/random.py": "import os\nraise SystemExit(0)\n",
    "collections/__init__.py": "import os\nraise SystemExit(0)\n",
}
