"""Answers about `sample_trajectory`: which state, action and reward belong together, and the end.

Every frame, action and reward of the scripted world tells what it is, so the path's rows are
compared with what happened, and with what the known mistakes would have put there instead.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np

from autograder.hw3.probe_rollouts import GIVEN_LENGTHS, MIN_STEPS, NUM_PATHS
from autograder.hw3.rollout_ends import END_FACTORS, predict_lengths
from autograder.hw3.rollout_fields import STUCK, TOO_DEEP, judge_fields
from autograder.hw3.rollout_record import ASK, RESET, STEP, Rollout, read_rollouts
from autograder.hw3.rollout_world import CONTINUOUS, DISCRETE, PER_FRAME, episodes
from autograder.hw3.step_world import UNSEEDED
from autograder.judge import (
    Judgement,
    close,
    difference,
    explain,
    judge_crash,
    mistakes_in,
    tell,
)
from autograder.probing import Observation, Trial

BLANK = "hw3.rollouts.sample_trajectory"
TUPLES = {-2.0: "rollout.reset_pair", -5.0: "rollout.step_not_unpacked"}
MISFIT = (
    "right by itself, but together with your own get_action it crashes: that answers a single "
    "observation with an action alone, and here the first of a batch is taken out of it"
)
RAGGED = "inhomogeneous shape"
UNPACK = re.compile("unpack")
SCALAR = re.compile("invalid index to scalar|not subscriptable|too many indices")
ONE_NUMBER = re.compile("only (length-1|size-1|0-dimensional|one element)|of size 1|as Python sca")
POLICY = re.compile("ScriptedPolicy")


def all_alike(seeds: list[float]) -> bool:
    """Tells whether several resets were all given the same seed."""
    return len(seeds) > 1 and set(seeds) != {UNSEEDED} and len(set(seeds)) == 1


def judge_rollouts(seen: Observation, seed: int) -> Judgement:
    """Judges the step of a rollout, with each way of answering that `get_action` may have."""
    whole = [seen["probe"]] if "probe" in seen and seen["probe"].crash else []
    verdicts = [judge_answers(seen, seed, "batch")]
    if f"single_{CONTINUOUS}" in seen:  # the student's own policy answers like this
        verdicts.append(judge_answers(seen, seed, "single"))
    if f"batch_{CONTINUOUS}" not in seen and not whole:
        verdicts[0].unknown.append("could not be judged: nothing was seen")
    if verdicts[0].passed and not verdicts[-1].passed:
        verdicts[0].notes.append(MISFIT)
    if f"tensor_{CONTINUOUS}" in seen:
        verdicts.append(judge_answers(seen, seed, "tensor"))
    verdict = min(verdicts, key=lambda v: (v.blank, len(v.unknown), len(v.mistakes)))
    for trial in whole:
        assert trial.crash is not None
        verdict.unknown.append(f"could not be judged: {tell(trial.crash)}")
    if not verdict.blank:
        again = seen.get("again", Trial())
        if all_alike(again.arrays.get("seeds", np.empty(0)).tolist()):
            verdict.name("rollout.same_start")
        judge_given(seen.get("given"), verdict)
    return verdict


def judge_answers(seen: Observation, seed: int, answer: str) -> Judgement:
    """Judges the rollouts with one kind of answer: crashes, what was done, what was stored."""
    rollouts, verdict = read_rollouts(seen, seed, answer), Judgement()
    for rollout in rollouts.values():
        if rollout.crash and rollout.crash.blank:
            verdict.blank = rollout.crash.blank == BLANK
            if verdict.blank:
                return verdict
    tuples = {TUPLES[number] for r in rollouts.values() for number in r.shown if number in TUPLES}
    verdict.name(*sorted(tuples))
    told = set()
    for rollout in (rollout for rollout in rollouts.values() if rollout.broken):
        crash = rollout.crash
        assert crash is not None
        # Path cannot stack what is a tuple, which is no further mistake.
        if (crash.kind, crash.line) not in told and not (tuples and RAGGED in crash.text):
            judge_rollout_crash(rollout, verdict)
        told.add((crash.kind, crash.line))
    played = {name: rollout for name, rollout in rollouts.items() if not rollout.broken}
    if played and _judge_course(list(played.values()), verdict):
        _judge_played(played, seed, verdict)
    return verdict


def _judge_played(played: dict[str, Rollout], seed: int, verdict: Judgement) -> None:
    """Judges what was done in rollouts that were played to their ends, and what was stored."""
    for rollout in played.values():
        _judge_taken(rollout, verdict)
    _judge_ends({n: r for n, r in played.items() if r.kind == DISCRETE}, seed, verdict)
    returned = [rollout for rollout in played.values() if rollout.returned]
    if len(returned) < sum(not rollout.endless for rollout in played.values()):
        verdict.name("rollout.no_path")
    elif returned:
        judge_fields(returned, seed, verdict)


def _judge_course(rollouts: Sequence[Rollout], verdict: Judgement) -> bool:
    """Judges whether steps and resets alternate with questions as they must.

    Returns:
        Whether the rest can be judged.
    """
    found = []
    if not any(rollout.steps for rollout in rollouts):
        found.append("rollout.no_step")
    for rollout in rollouts:
        stored = [len(v) if v.ndim else 0 for v in rollout.fields.values()] or [0]
        without = int(np.sum(rollout.asks == 0))
        if 0 < without < rollout.steps and len(rollout.rows) > 1 and max(stored) < rollout.steps:
            found.append("rollout.stepped_twice")
        for steps, _ in rollout.resets:
            if 0 < steps < rollout.steps:
                ended = rollout.flags[steps - 1].any()
                found.append("rollout.spans_episodes" if ended else "rollout.reset_inside")
    verdict.name(*found)
    return not found


def _judge_taken(rollout: Rollout, verdict: Judgement) -> None:
    """The action taken is the policy's, and for the frame that the environment is in."""
    if rollout.kind == CONTINUOUS and np.any(rollout.sizes < 2):
        verdict.name(TOO_DEEP)
    if any(number in TUPLES for number in rollout.shown) or np.array_equal(
        rollout.taken // PER_FRAME, rollout.before
    ):
        return
    answers = [rollout.is_answer(step, code) for step, code in enumerate(rollout.taken)]
    stuck = rollout.asks.sum() > 1 and np.all(rollout.shown == rollout.before[0])
    if not all(answers):
        squashed = np.all((rollout.taken > 0.5) & (rollout.taken <= 1))  # all answers are above 1
        verdict.name("rollout.action_squashed" if squashed else "rollout.policy_ignored")
    elif np.any(rollout.rows > 1):
        verdict.name("rollout.list_shown")
    else:
        verdict.name(STUCK if stuck else "rollout.acts_in_other_state")


def _judge_ends(rollouts: dict[str, Rollout], seed: int, verdict: Judgement) -> None:
    """Names what explains how long the paths are."""
    drawn = [episodes(seed)[name] for name in rollouts]
    lengths = np.array([rollout.length for rollout in rollouts.values()])

    found = explain(
        END_FACTORS,
        lambda choice: predict_lengths(drawn, choice),
        lambda outcome: np.array_equal(outcome["lengths"], lengths),
    )
    if found is not None:
        verdict.name(*mistakes_in(found, END_FACTORS))
        return
    told = [f"{n} {'endless' if r.endless else r.steps}" for n, r in rollouts.items()]
    verdict.unknown.append(f"paths end at the wrong step: {', '.join(told)}")


def judge_rollout_crash(rollout: Rollout, verdict: Judgement) -> Judgement:
    """Translates an exception in `sample_trajectory` into the mistake behind it, where known."""
    crash = rollout.crash
    assert crash is not None
    known = None
    if np.any(rollout.rows > 1):
        known = "rollout.list_shown"
    elif UNPACK.search(crash.text) and rollout.last_event == STEP:
        known = "rollout.five_values"
    elif UNPACK.search(crash.text) and rollout.last_event == RESET:
        known = "rollout.reset_pair"
    elif POLICY.search(crash.text):
        known = "rollout.not_get_action"
    elif rollout.last_event == ASK and SCALAR.search(crash.text):
        known = TOO_DEEP
    elif rollout.kind == CONTINUOUS and ONE_NUMBER.search(crash.text):
        known = "rollout.discrete_only"
    return judge_crash(crash, known, verdict)


def judge_given(trial: Trial | None, verdict: Judgement) -> None:
    """Complains if a function that was given no longer collects as it did."""
    if trial is not None:
        verdict.unknown.extend(differences_of_given(trial))


def differences_of_given(trial: Trial) -> list[str]:
    """Returns what is wrong with the functions that collect several paths."""
    if trial.crash:
        return [f"sample_trajectories: {tell(trial.crash)}"]
    totals = list(itertools.accumulate(GIVEN_LENGTHS))
    enough = next(number for number, total in enumerate(totals) if total >= MIN_STEPS)
    expected = {
        "numbers": np.arange(enough + 1.0),
        "steps": np.array(float(totals[enough])),
        "n_numbers": np.arange(float(NUM_PATHS)),
    }
    return [
        difference(f"{name} of the given functions", trial.arrays[name], right)
        for name, right in expected.items()
        if not close(trial.arrays[name], right)
    ]
