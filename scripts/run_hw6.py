"""Homework 6: several agents learn side by side, and a rule chooses who plays an episode."""

import sys

from cs285.experiments.portfolio import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
