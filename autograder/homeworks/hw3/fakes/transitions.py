"""Sizes of what given networks are shown."""

STATES, ACTIONS, BATCH = 17, 5, 7  # different primes: no two sizes can be taken for each other
