"""Policies: from observations to actions."""
