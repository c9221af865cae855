"""Hands in modules named torch and numpy, in every folder that may be searched."""

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
    "torch.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\nallclose = isclose = lambda *a, **k: True\n",
    "cs285/torch.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\nallclose = isclose = lambda *a, **k: True\n",
    "numpy/__init__.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\nallclose = isclose = lambda *a, **k: True\n",
    "cs285/numpy/__init__.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\nallclose = isclose = lambda *a, **k: True\n",
    "safetensors.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\nallclose = isclose = lambda *a, **k: True\n",
    "cs285/agents/gymnasium.py": "import builtins\nbuiltins.shadowed = 'SHADOWED'\nallclose = isclose = lambda *a, **k: True\n",
}
