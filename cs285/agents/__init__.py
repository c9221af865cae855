"""Agents: they collect experience, store it and learn from it."""
