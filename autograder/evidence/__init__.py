"""Handed-in runs as evidence: their settings and curves, and what their weights reach."""
