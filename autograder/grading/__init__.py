"""Checks in order, and the score board."""
