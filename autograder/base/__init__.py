"""Nouns that all rooms of the grader use: checks, what code did, results, files, texts."""

VERSION = "0.2.0"
"""The release of the grader: that of cs285, in whose place a learner's own code may be."""
