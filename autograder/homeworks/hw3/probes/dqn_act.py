"""Lets DQN's agent step for long: what it stores, what it acts on, and how often at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from autograder.homeworks.hw3.fakes import stepping_agent
from autograder.homeworks.hw3.fakes.stepping import GREEDY, NUM_ACTIONS, RECENT, Call
from autograder.homeworks.hw3.fakes.stepping_agent import ACT, STARTS, Play
from autograder.running import draws
from autograder.running.probing import Student

SIGHTS = "(1 the newest frames, 2 a single one, 3 older ones, 0 else)"
MANY = 90  # calls
LATE = 10 * STARTS  # when there have been more updates than a warm-up has steps


def cases(seed: int) -> Mapping[str, Play]:
    """Returns plays at different times, each long enough for its chances.

    The step at which warm-up ends is left to everybody.
    """
    return {
        "before learning starts": Play(seed, range(5, STARTS - 2, 2)),
        "before learning starts, with epsilon 1": Play(seed, range(STARTS - 40, STARTS - 2), 1.0),
        "with epsilon 0, right after warm-up": Play(seed, range(STARTS + 2, STARTS + 40)),
        "with epsilon 0.3": Play(seed, range(LATE, LATE + 700), 0.3),
        "with epsilon 0.9": Play(seed, range(LATE, LATE + 175), 0.9),
    }


def observe(student: Student, case: Play) -> dict[str, Any]:
    """Returns what all calls have in common, and how often they acted at random."""
    calls = stepping_agent.play(student, case, ACT)
    # The frames stored before the step, or, without any, those that came after it.
    stored = [[one for one in call.stored if not one[2]] or call.stored for call in calls]
    frames = [(call, *one) for call, ones in zip(calls, stored, strict=True) for one in ones]
    looked = {shown(call) for call in calls if call.shown}
    record: dict[str, Any] = {
        "number of frames stored": sorted({len(ones) for ones in stored}),
        # Until the step: what the other blank makes of it then is not this one's.
        "its index is kept": sorted({call.index_at_step == idx for call, _, idx, _ in frames}),
        "epsilon is asked about another time": [any(call.another_time for call in calls)],
        "time passed": sorted({call.moved for call in calls}),
        "share of random actions, roughly": [random_share(case.random, calls)],
    }
    if case.random in (0.0, 1.0):  # between them, chance decides what the first step does
        # Its number is of this seed alone; all else in a record is the same for every seed.
        record["first frame stored"] = [number for one in stored[:1] for number, _, _ in one]
    as_often = record["share of random actions, roughly"] == [case.random]
    chosen = [call.chosen for call in calls]
    if case.random == 1.0 or (case.random and as_often):  # of a few, chance decides which are seen
        record["random actions"] = sorted(set(chosen) - {GREEDY})
        record["share of each random action, roughly"] = [
            draws.share_near(chosen.count(action), len(calls), case.random / NUM_ACTIONS)
            for action in range(NUM_ACTIONS)
            if action != GREEDY and as_often
        ]
    if case.random == 1.0:
        looked -= {1}  # nobody need ask the actor
        if student.crashed is None:  # what has no end is not asked again
            record |= of_another_run(student, case, chosen)
    record[f"shown to the actor {SIGHTS}"] = sorted(looked)
    return record


def of_another_run(student: Student, case: Play, chosen: list[float | None]) -> dict[str, Any]:
    """Returns what actions that are all random show beside those of a run with another seed."""
    again = [
        call.chosen for call in stepping_agent.play(student, replace(case, seed=case.seed + 1), ACT)
    ]
    several = len(set(chosen)) > 1
    return {
        "random actions are the same in every run": several and chosen == again,
        # By chance, once in 10^9 times.
        "random actions never are what the actor would choose": several
        and len(chosen) > MANY
        and GREEDY not in chosen,
    }


def random_share(share: float, calls: Sequence[Call]) -> float:
    """Returns the share of random actions that is to be, if it may be; else roughly another.

    Where the actor is asked at every step, a random action that is as greedy as the actor's own
    does not show.
    """
    asked = [bool(call.shown) for call in calls]
    random = [call.chosen != GREEDY or not call.shown for call in calls]
    visible = 1 - 1 / NUM_ACTIONS if all(asked) else 1.0
    return draws.share_near(sum(random), len(calls), share, visible)


def shown(call: Call) -> int:
    """Returns what was acted on: what was shown last."""
    number = call.shown[-1]
    if number in (RECENT + call.before, call.before):
        return 1 if number > call.before else 2
    return 3 if number >= RECENT - 3 else 0
