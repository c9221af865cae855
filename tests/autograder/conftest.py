"""Seeds of the proofs that no two outcomes can be confused."""

from __future__ import annotations

import pytest

from tests.autograder.identifiability import ALL, FEW


@pytest.fixture(
    params=[pytest.param(FEW, id="20 seeds"), pytest.param(ALL, id="205", marks=pytest.mark.slow)]
)
def seeds(request: pytest.FixtureRequest) -> list[int]:
    """The public seeds and 15 fresh ones; in the slow tests 200."""
    found: list[int] = request.param
    return found
