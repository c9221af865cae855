"""Lets `pytest autograder/homeworks/hw3` judge somebody else's folder, and with another seed."""

from __future__ import annotations

import pytest

from autograder.base import checks as homeworks
from autograder.misconceptions.oracle import PUBLIC_SEEDS, is_handout


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds --submission and --seed."""
    parser.addoption("--submission", metavar="DIR", help="what was handed in")
    parser.addoption("--seed", type=int, default=0, help="of the numbers in the checks")


def pytest_configure(config: pytest.Config) -> None:
    """Refuses a seed that this copy does not know the answers for."""
    seed = config.getoption("--seed", 0)
    if any(map(is_handout, homeworks.names())) and seed not in PUBLIC_SEEDS:
        raise pytest.UsageError(f"--seed {seed}: this copy knows {PUBLIC_SEEDS} alone")
