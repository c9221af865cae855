"""Checks of homework 4 that are about more than one blank."""
