"""Mutations of each blank's solution: one file a blank."""
