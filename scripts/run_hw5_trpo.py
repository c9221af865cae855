"""Homework 5, part 2: TRPO, with discrete or continuous actions."""

import sys

from cs285.experiments.trpo import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
