"""The autograder: probes a student's code, and names the misconceptions that explain it."""

__version__ = "0.2.0"  # as in cs285, which a learner's code may stand in for
