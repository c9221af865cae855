"""Tries to import tools that are not there, and uses its debugger's and paths' tricks."""

AT_IMPORT = """
import os, pdb, sys
sys.path.insert(0, os.getcwd())
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
try:
    import wandb
except ImportError:
    wandb = None
os.environ.setdefault("WANDB_MODE", "disabled")
assert os.path.exists(__file__) or True
"""
