"""Homework 2: policy gradient, with reward-to-go, a learned baseline and GAE."""

import sys

from cs285.experiments.vpg import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
