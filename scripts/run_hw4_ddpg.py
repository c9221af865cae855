"""Homework 4, part 1: DDPG on continuous control tasks."""

import sys

from cs285.experiments.ddpg import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
