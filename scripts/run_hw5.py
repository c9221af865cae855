"""Homework 5: hands over to the script of the algorithm that --algo names."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.experiments import by_algo
from cs285.infrastructure.base.config import cli


@cli
def main(argv: Sequence[str]) -> int:
    """Runs the script of the algorithm with the other words."""
    return by_algo.run("hw5", argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
