"""The settings of each algorithm: flags of its script, and what its agent reads."""
