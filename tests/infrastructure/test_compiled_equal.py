"""A compiled update does what the plain one does, for each algorithm: to 1e-6 after 100 updates."""

from __future__ import annotations

import pytest

from tests.compiled import LEARNERS, Watched, difference, learn_beside, needs_compiler

EXACT = 1e-6


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_equal_after_100_updates(name: str) -> None:
    plain, compiled = LEARNERS[name](), LEARNERS[name]()
    assert difference(plain, compiled) == 0.0
    watched = Watched(compiled.updates())
    learn_beside(plain, compiled, 0, 100)
    assert set(watched.ways) == {"short"}, watched.lines
    assert difference(plain, compiled) < EXACT
    # The bound is no wide one: a single update more makes a difference many times as large.
    plain.learn(100)
    assert difference(plain, compiled) > 10 * EXACT


@pytest.mark.parametrize("name", ["dqn", pytest.param("ppo", marks=pytest.mark.slow)])
def test_equal_where_it_is_only_traced(name: str) -> None:
    """By default: no compiler is called."""
    plain, traced = LEARNERS[name](), LEARNERS[name]()
    watched = Watched(traced.updates(), backend="eager")
    learn_beside(plain, traced, 0, 8)
    assert set(watched.ways) == {"torch"}, watched.lines
    assert difference(plain, traced) < EXACT
