"""Lets DQN's agent step for long: what it stores, what it acts on, and how often at random."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from autograder.hw3.step_agent import ACT, STARTS, play, try_alone
from autograder.hw3.step_world import GREEDY, NUM_ACTIONS, RECENT, Call
from autograder.probing import Student

SIGMAS = 6.0  # a right student falls outside once in 10^9 runs
FRAMES = "(1 the present one, 2 the next, 0 another)"
SIGHTS = "(1 the newest frames, 2 a single one, 3 older ones, 0 else)"
LATE = 10 * STARTS  # when there have been more updates than a warm-up has steps
PLAYS = {  # epsilon, and when; the step at which warm-up ends is left to everybody
    "before learning starts": (0.0, range(5, STARTS - 2, 2)),
    "before learning starts, with epsilon 1": (1.0, range(STARTS - 40, STARTS - 2)),
    "with epsilon 0, right after warm-up": (0.0, range(STARTS + 2, STARTS + 40)),
    "with epsilon 0": (0.0, range(LATE, LATE + 200)),
    "with epsilon 1": (1.0, range(LATE, LATE + 200)),
    "with epsilon 0.3": (0.3, range(LATE, LATE + 600)),
    "with epsilon 0.9": (0.9, range(LATE, LATE + 150)),
}


def probe(student: Student, seed: int) -> None:
    """Plays at different times, each long enough for its chances."""
    np.random.seed(seed)
    for when, (epsilon, times) in PLAYS.items():
        share = 1.0 if when.startswith("before") else epsilon
        once = partial(play, student, seed, partial(notes, share, when), times, epsilon)
        try_alone(student, ACT, when, once)


def notes(share: float, when: str, calls: Sequence[Call]) -> dict[str, Any]:
    """Says what all calls have in common, and how often they acted at random."""
    # The frames stored before the step, or, without any, those that came after it.
    stored = [[one for one in call.stored if not one[2]] or call.stored for call in calls]
    frames = [(call, *one) for call, ones in zip(calls, stored, strict=True) for one in ones]
    chosen = np.array([call.chosen for call in calls])
    asked = np.array([bool(call.shown) for call in calls], np.bool_)
    random = roughly(share, (chosen != GREEDY) | ~asked, asked)
    looked = {shown(call) for call in calls if call.shown} - ({1} if share == 1 else set())
    seen: dict[str, Any] = {
        "calls": [len(calls)],
        "number of frames stored": sorted({len(ones) for ones in stored}),
        f"frame stored {FRAMES}": sorted({which(call, number) for call, number, *_ in frames}),
        # Until the step: what the other blank makes of it then is not this one's.
        "its index is kept": sorted({call.index_at_step == idx for call, _, idx, _ in frames}),
        f"shown to the actor {SIGHTS}": sorted(looked),
        "epsilon is asked about another time": [any(call.another_time for call in calls)],
        "time passed": sorted({call.moved for call in calls}),
        f"share of random actions {when}, roughly": [random],
    }
    if share in (0.0, 1.0):  # between them, chance decides what the first step does
        # Its number is of this seed alone; all else in a record is the same for every seed.
        seen["first frame stored"] = [number for one in stored[:1] for number, _, _ in one]
    if share == 1.0:
        seen["random actions"] = sorted(set(chosen.tolist()) - {GREEDY})
    return seen


def which(call: Call, number: float) -> int:
    """Tells which frame a number is."""
    following = [came for _, came in call.steps[:1]] + [call.after]
    return 1 if number == call.before else 2 if number in following else 0


def shown(call: Call) -> int:
    """Tells what was acted on: what was shown last."""
    number = call.shown[-1]
    if number in (RECENT + call.before, call.before):
        return 1 if number > call.before else 2
    return 3 if number >= RECENT - 3 else 0


def roughly(epsilon: float, random: np.ndarray, asked: np.ndarray) -> float:
    """Returns epsilon, if the share of random actions may come from it.

    Who asks the actor at every step shows no random action that is as greedy as the actor's own:
    their share tells how many there were. Else 0 for none at all, 1 for as many as can be, and what
    lies between.
    """
    visible = 1 - 1 / NUM_ACTIONS if asked.all() else 1.0
    chance = visible * np.array([epsilon, 1.0])
    slack, slack_of_all = SIGMAS * np.sqrt(chance * (1 - chance) / max(1, len(random))) / visible
    share = float(np.mean(random)) / visible if len(random) else 0.0
    if abs(share - epsilon) <= slack:
        return epsilon
    if share == 0 or share >= 1 - slack_of_all:
        return float(share > 0)
    return (epsilon + (share > epsilon)) / 2
