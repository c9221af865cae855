"""Homework 6: several agents learn side by side, and a rule chooses who plays an episode."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.experiments.portfolio import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
