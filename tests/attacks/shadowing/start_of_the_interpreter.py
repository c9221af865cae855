"""Hands in sitecustomize, usercustomize and .pth files, which run when Python starts."""

from tests.attacks.shadowing._names import BODIES, SAYS  # noqa: F401

FILES = {
    "sitecustomize.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\n",
    "usercustomize.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\n",
    "cs285/sitecustomize.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\n",
    "evil.pth": "import os; os._exit(0)\n",
    "cs285/evil.pth": "import os; os._exit(0)\n",
    "pyvenv.cfg": "home = /tmp\n",
    "__main__.py": "raise SystemExit(0)\n",
}
