"""Handed-in runs as evidence: settings, curves, copies, and what their weights reach."""
