"""The given replay buffer: every row that is drawn must be one true transition."""

from __future__ import annotations

from autograder.core.question import Arrays
from autograder.judge import Judgement
from autograder.probing import Observation

BY_CHANCE = {"same_batch": "same_batch", "glued": "glued", "vectors_alike": "reference"}
BY_CHANCE |= {"image_stacks_alike": "reference"}


def by_chance(seen: Observation, verdict: Judgement) -> None:
    """What depends on what was drawn is predicted by nobody."""
    for arrays in (trial.arrays for trial in seen.values()):
        up = [name for flag, name in BY_CHANCE.items() if flag in arrays and arrays[flag].any()]
        verdict.name(*(f"replay.{mistake}" for mistake in up[:1]))


def by_rows(observed: Arrays, right: Arrays, verdict: Judgement) -> None:
    """Names what is true of each row, and not of all: some never come, or seldom."""
    if any(array.size for n, array in observed.items() if n.endswith("/never")):
        verdict.name("replay.forgets_too_soon")
    if any(not array.all() for name, array in observed.items() if name.endswith("/uniform")):
        verdict.name("replay.not_uniform")


FACTS = (by_chance,)
OTHERWISE = (by_rows,)
