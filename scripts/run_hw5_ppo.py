"""Homework 5, part 1: PPO, with discrete or continuous actions."""

import sys

from cs285.experiments.ppo import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
