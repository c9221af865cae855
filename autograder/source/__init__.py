"""A student's files, our files, and which is which."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGE = "cs285"
"""The package in which students write, below `ROOT` and in what they hand in."""
