"""Nouns that all rooms of the grader use: checks, judgements, records, results."""
