"""Lets `pytest autograder/hw3` judge somebody else's folder, and with another seed."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds --submission and --seed."""
    parser.addoption("--submission", metavar="DIR", help="what was handed in")
    parser.addoption("--seed", type=int, default=0, help="of the numbers in the checks")
