"""Fixtures that several files share: seeds, and handouts of homework 3, which take long to make."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.autograder.identifiability import ALL, FEW


@pytest.fixture(
    params=[pytest.param(FEW, id="20 seeds"), pytest.param(ALL, id="205", marks=pytest.mark.slow)]
)
def seeds(request: pytest.FixtureRequest) -> list[int]:
    """The public seeds and 15 fresh ones; in the slow tests 200."""
    found: list[int] = request.param
    return found


@pytest.fixture(scope="session")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree, before the gate, with single misconceptions; pairs of them take long."""
    from autograder.misconceptions.oracle import NAMED_SEED, PUBLIC_SEEDS
    from autograder.release import tree

    folder = tmp_path_factory.mktemp("given") / "hw3"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tree, "AT_ONCE", dict.fromkeys(PUBLIC_SEEDS, 0) | {NAMED_SEED: 1})
        tree.write_tree("hw3", folder)
    return folder
