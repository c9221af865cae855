"""Modules that stay from one run of our own solution to the next refer to each other."""

from __future__ import annotations

import importlib

import pytest

from autograder.misconceptions import mutants
from autograder.source.importing import forget_package, imported_from

LOOP, PATHS = "cs285.infrastructure.rl_trainer", "cs285.infrastructure.rollouts"


def test_a_forgotten_package_leaves_no_module_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what a probe watches is another copy than the one that the loop calls."""
    monkeypatch.setattr(mutants, "WARM", {})
    with imported_from(mutants.MutantTree({})):
        importlib.import_module(LOOP)
    with imported_from(mutants.MutantTree({})):
        forget_package()
        importlib.import_module(PATHS)
    with imported_from(mutants.MutantTree({})):
        assert importlib.import_module(LOOP).rollouts is importlib.import_module(PATHS)


def test_modules_stay_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "WARM", {})
    found = []
    for _ in range(2):
        with imported_from(mutants.MutantTree({})):
            found.append(importlib.import_module(LOOP))
    assert found[0] is found[1]


def test_a_package_that_stays_does_not_hide_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "WARM", {})
    path = "infrastructure/rollouts.py"
    changed = {path: f"{mutants.reference.texts()[path]}\nMARK = 1\n"}
    marked = []
    for files in ({}, changed, {}, changed):
        with imported_from(mutants.MutantTree(files)):
            marked.append(hasattr(importlib.import_module(LOOP).rollouts, "MARK"))
    assert marked == [False, True, False, True]
