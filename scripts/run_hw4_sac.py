"""Homework 4, part 3: SAC on continuous control tasks."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.experiments.sac import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
