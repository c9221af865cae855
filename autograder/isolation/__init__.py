"""Walls around code that nobody has read: a sandbox, and what it is built from, on Linux."""
