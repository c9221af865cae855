"""The autograder: probes a student's code, and names the misconceptions that explain it."""

from autograder.base import VERSION as __version__  # noqa: N811  (the usual name)

__all__ = ["__version__"]
