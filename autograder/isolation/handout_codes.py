"""What submissions need not compile: the handout's files, as if they had been handed in."""

from __future__ import annotations

from pathlib import Path
from types import CodeType

from autograder.source.submission import Tree

HANDOUT: dict[tuple[str, str, str], CodeType] = {}
"""Their codes, by file, text and what is skipped, as `Tree.codes` has them."""


def compile_handout(package: Path) -> None:
    """Compiles the handout's files where a submission's will lie: few of these are changed."""
    tree = Tree(package)
    for path, text in tree.given.items():
        tree.compiled(text, str(package / path))
    HANDOUT.update(tree.codes)
