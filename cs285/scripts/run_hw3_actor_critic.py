"""Homework 3, part 2: actor-critic with a bootstrapped critic."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[2]))  # this tree, not an installed one
from cs285.experiments.actor_critic import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
