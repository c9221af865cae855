"""Homework 4, part 3: SAC on continuous control tasks."""

import sys

from cs285.experiments.sac import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
