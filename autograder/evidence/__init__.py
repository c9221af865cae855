"""Handed-in runs as evidence: settings, log, events and weights, checked against each other."""
