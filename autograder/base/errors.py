"""Errors that end a command with one line."""

from __future__ import annotations


class UnknownHomeworkError(Exception):
    """There is no such homework here."""


class UsageError(Exception):
    """A command cannot do what it is asked to; one line reports what, where, and how to fix it."""
