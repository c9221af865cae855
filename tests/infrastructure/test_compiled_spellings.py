"""Whatever a student writes: a compiled update equals the plain one, or is plain with its line."""

from __future__ import annotations

import pytest
import torch

from tests.compiled import Watched, difference, dqn, learn_beside, needs_compiler
from tests.spellings import SPELLINGS, critic_class


def check(name: str, backend: str, updates: int) -> None:
    plain, other = dqn(double_q=False), dqn(double_q=False)
    for learner in (plain, other):
        learner.critic.__class__ = critic_class(name)
    watched = Watched(other.updates(), backend)
    torch._dynamo.reset()
    learn_beside(plain, other, 0, updates)
    assert difference(plain, other) < 1e-6
    expected = SPELLINGS[name].plain
    if expected:
        assert watched.ways == ["plain"]
        (line,) = [line for line in watched.lines if "stays plain" in line]
        assert expected in line and "\n" not in line, line
    else:
        assert watched.ways[0] != "plain", watched.lines
        assert watched.compiling == ["DQNCritic.gradient_step"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SPELLINGS)
def test_equal_or_plain_with_its_line(name: str) -> None:
    """Only traced: whether code is taken as it is meant, and what guards see, is torch's tracer."""
    check(name, "eager", 40)


COMPILED = ("as given", "it keeps the largest", "a gradient is left for the next update")


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_some_by_the_compiler(name: str) -> None:
    check(name, "inductor", 40)
