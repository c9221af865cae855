"""Errors that end a command with one line."""

from __future__ import annotations


class UnknownHomeworkError(Exception):
    """There is no such homework here."""


class UsageError(Exception):
    """What was asked for cannot be done; one line says what, where, and how to mend it."""
