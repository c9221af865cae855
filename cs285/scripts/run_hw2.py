"""Homework 2: policy gradient, with reward-to-go, a learned baseline and GAE."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[2]))  # this tree, not an installed one
from cs285.experiments.vpg import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
