"""The given replay buffer: every row that is drawn must be one true transition."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.core.question import Arrays, Question
from autograder.judge import Judgement
from autograder.probing import Observation

DRAWN = {"same_batch": "same_batch", "glued": "glued"}
ALIKE = {"vectors_alike": "reference", "image_stacks_alike": "reference"}
SEEN = {
    "blank": "unwritten",
    "newest": "newest_sampled",
    "cut": "cut_frame_sampled",
    "ahead": "stack_crosses_head",
}


def flagged(arrays: Arrays, flags: Mapping[str, str]) -> list[str]:
    """Returns the mistakes whose flags are up in any trial."""
    up = {name.rpartition("/")[2] for name, array in arrays.items() if array.any()}
    return [f"replay.{mistake}" for flag, mistake in flags.items() if flag in up]


def by_chance(seen: Observation, verdict: Judgement) -> None:
    """What depends on what was drawn is predicted by nobody."""
    for trial in seen.values():
        verdict.name(*flagged(trial.arrays, DRAWN)[:1], *flagged(trial.arrays, ALIKE))


def by_rows(observed: Arrays, right: Arrays, verdict: Judgement) -> None:
    """Names what is drawn that should not be, or is not and should."""
    found = flagged(observed, SEEN)
    verdict.name(*found[: 1 if "replay.unwritten" in found else None])
    if not verdict.passed:
        return
    if any(array.size for n, array in observed.items() if n.endswith("/never")):
        verdict.name("replay.forgets_too_soon")
    if any(not array.all() for name, array in observed.items() if name.endswith("/uniform")):
        verdict.name("replay.not_uniform")


QUESTION = Question(
    "hw3.given.replay",
    __file__,
    most=2,
    facts=(by_chance,),
    otherwise=(by_rows,),
    given=("infrastructure/replay_buffer.py",),
)
