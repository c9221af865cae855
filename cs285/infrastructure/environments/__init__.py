"""Environments by name, time limits, and their state."""
