"""Homework 3, part 1: DQN and double DQN on Atari games, Lunar Lander and other discrete tasks."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[2]))  # this tree, not an installed one
from cs285.experiments.dqn import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
