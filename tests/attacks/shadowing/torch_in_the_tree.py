"""Hands in modules named torch and numpy, in every folder that may be searched."""

from tests.attacks.shadowing._names import BODIES, SAYS  # noqa: F401

FALSE = """
import builtins
builtins.shadowed = 'SHADOWED'
allclose = isclose = lambda *a, **k: True
"""
PLACES = ("torch.py", "numpy/__init__.py", "safetensors.py", "agents/gymnasium.py")
FILES = {f"{top}{place}": FALSE for place in PLACES for top in ("", "cs285/")}
