"""Checks of homework 2 that look at more than one blank."""
