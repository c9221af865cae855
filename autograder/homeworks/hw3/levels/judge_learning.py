"""Answers about whole agents: what must be learned in tiny environments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from autograder.base.judgement import Judgement
from autograder.base.record import Record, Trial
from autograder.base.results import read_misconceptions
from autograder.homeworks.hw3.fakes.tiny_envs import BEST_ACTION
from autograder.homeworks.hw3.levels.probe_learning import AGENTS, FIRST_VALUE, GAMMA
from autograder.misconceptions.crash_names import judge_crash

# How far a right agent may be off: several times what 500 of them were, and less than half of what
# the least misconception does (docs/results/probe_level.md). Shares: of actions that are the best.
VALUE, SHARE, GAP = 0.1, 0.85, 0.5
EXACT, UNTRAINED = 0.04, 1.0  # readings of what converges, and of what chance began with
TWO_LESSONS, LONG = 0.25, 0.4  # for values that are learned while the policy changes; for long sums
ACTION, EARNED = 0.5, 0.35  # continuous: the mean action; V against what the policy earns
Table = dict[float, tuple[float, ...]]


def exact_q(env: str, gamma: float) -> Table:
    """Returns the optimal Q(s, .) of each state of an environment, by the environment's name."""
    forever = 1 / (1 - gamma)
    tables: dict[str, Table] = {
        "ConstantReward": {0.0: (1.0, 1.0)},
        "RewardFromObservation": {-1.0: (-1.0, -1.0), 1.0: (1.0, 1.0)},
        "TwoSteps": {0.0: (gamma, gamma), 1.0: (1.0, 1.0)},
        "ActionMatters": {0.0: (-1.0, 1.0)},
        "ActionAndObservationMatter": {-1.0: (1 + gamma, -1 + gamma), 1.0: (-1.0, 1.0)},
        "AlwaysTruncated": {0.0: (forever, forever)},
    }
    return tables[env]


Readings = dict[str, tuple[tuple[float, ...], float]]
"""Misconception -> the values of the states that it leads to, and how far these may be off."""


@dataclass(frozen=True)
class Lesson:
    """What an environment teaches, and the misconception of who does not learn there."""

    env: str
    misconception: str
    after: tuple[str, ...] = ()  # environments without which this one says nothing new
    tolerance: float = VALUE  # how far a value may be off
    readings: Readings = field(default_factory=dict)


NEVER_SYNCED: Readings = {"learning.target_never_synced": ((GAMMA * FIRST_VALUE, 1.0), UNTRAINED)}
NO_DISCOUNT: Readings = {
    "learning.no_discount": ((1.0, 1.0), EXACT),
    "learning.no_future": ((0.0, 1.0), EXACT),
}
CONSTANT: Readings = {
    "learning.terminal_not_masked": ((1 / (1 - GAMMA),), LONG),
    "learning.no_reward": ((0.0,), VALUE),
}
# One step in three has no future then: V = 1 + gamma * (2 / 3) * V = 2.1, and more where fewer of
# one action's steps were cut. No other misconception spares all environments but this.
TRUNCATED: Readings = {"learning.time_limit_is_terminal": ((2.5,), 1.3)}
EASY = ("ConstantReward", "RewardFromObservation")
SUMS = ("ConstantReward", "TwoSteps")
CHOICES = (*EASY, "TwoSteps", "ActionMatters")
LESSONS = (
    Lesson("ConstantReward", "learning.constant_reward", readings=CONSTANT),
    Lesson("RewardFromObservation", "learning.reward_from_observation", EASY[:1]),
    Lesson("TwoSteps", "learning.two_steps", EASY, readings=NO_DISCOUNT | NEVER_SYNCED),
    Lesson("ActionMatters", "learning.action_matters", EASY[:1]),
    Lesson("ActionAndObservationMatter", "learning.action_and_observation", CHOICES, TWO_LESSONS),
    Lesson("AlwaysTruncated", "learning.always_truncated", SUMS, LONG, TRUNCATED),
)
AC_LESSONS = tuple(  # it has no target network
    replace(lesson, readings=NO_DISCOUNT) if lesson.env == "TwoSteps" else lesson
    for lesson in LESSONS
)
ONE = "ContinuousActionMatters"
EACH = "ContinuousActionAndObservationMatter"
CONTINUOUS_LESSONS = (
    Lesson(ONE, "learning.continuous_action"),
    Lesson(EACH, "learning.continuous_action_and_observation", (ONE,)),
)


@dataclass(frozen=True)
class Result:
    """How one agent did in one environment."""

    off: float  # how far it is from the exact answer, in tolerances: up to 1 it has learned
    values: np.ndarray  # what it says the states are worth; empty if it says nothing of the kind
    message: str  # the numbers, for people
    misconception: str = ""  # what it does wrong whatever the values are, if that shows


Grade = Callable[[Lesson, np.ndarray, np.ndarray], Result]
"""Judges one agent by the values that it learned, and by its actions."""
NOTHING = np.empty(0)
NAMED = read_misconceptions("homeworks/hw3/levels/misconceptions_learning.json")


def judge_lessons(lessons: Sequence[Lesson], grade: Grade, record: Record, seed: int) -> Judgement:
    """Names what is behind each environment that was not learned, unless an easier one was not.

    An environment counts as learned if one of the agents learned it: a right one may be unlucky.
    """
    verdict = Judgement()
    if any(trial.crash for trial in record.values()):
        return judge_crashes(list(record.values()))
    failed: set[str] = set()
    for lesson in lessons:
        arrays = record[lesson.env].arrays
        results = [
            grade(
                lesson, *(arrays.get(f"{what}{agent}", NOTHING) for what in ("values", "actions"))
            )
            for agent in range(AGENTS)
        ]
        if min(result.off for result in results) <= 1:
            continue
        best = min(results, key=lambda result: result.off)
        verdict.notes.append(f"{lesson.env}: {best.message}")
        if not failed & set(lesson.after):
            verdict.name(NAMED[read_misconception(lesson, results)])
        elif best.misconception:
            verdict.name(NAMED[best.misconception])
        failed.add(lesson.env)
    return verdict


def read_misconception(lesson: Lesson, results: Sequence[Result]) -> str:
    """Returns the misconception that all numbers show; the environment's own if none."""
    message = {result.misconception for result in results}
    if len(message) == 1 and "" not in message:
        return message.pop()
    for misconception, (values, within) in lesson.readings.items():
        if all(_off(r.values, np.array(values), within) <= 1 for r in results):
            return misconception
    return lesson.misconception


def judge_crashes(trials: Sequence[Trial]) -> Judgement:
    """Translates the exceptions, each once; a blank is the first thing to fill."""
    verdict = Judgement()
    reported: set[tuple[str, str, int]] = set()
    for crash in (trial.crash for trial in trials if trial.crash):
        if crash.blank:
            verdict.blank = True
            verdict.notes.append(f"waits for {crash.blank}")
            return verdict
        if (crash.kind, crash.file, crash.line) not in reported:
            over = crash.kind == "EpisodeOverError"
            judge_crash(crash, NAMED["learning.episode_never_ends"] if over else None, verdict)
        reported.add((crash.kind, crash.file, crash.line))
    return verdict


def _off(values: np.ndarray, exact: np.ndarray, tolerance: float) -> float:
    """Returns the largest error in tolerances; infinite where nothing can be compared."""
    if values.shape != exact.shape or values.dtype.kind not in "biuf":
        return np.inf
    error = float(np.abs(values.astype(np.float64) - exact).max())
    return error / tolerance if np.isfinite(error) else np.inf


def _in_words(values: np.ndarray, exact: np.ndarray) -> str:
    """Sets learned values against exact ones."""
    learned, right = (
        np.array2string(np.asarray(array), precision=2, separator=", ").replace("\n", "")
        for array in (values, exact)
    )
    return f"learned {learned}, exact {right}"


def grade_dqn(lesson: Lesson, q: np.ndarray, played: np.ndarray) -> Result:
    """Compares Q(s, a) with the exact ones, and what was done with what Q says."""
    exact = np.array(list(exact_q(lesson.env, GAMMA).values()))
    off = _off(q, exact, lesson.tolerance)
    message = f"Q(s, a) {_in_words(q, exact)}"
    if not np.isfinite(off):
        return Result(off, NOTHING, message)
    share = share_of_own_best(lesson, q, played)
    off = max(off, _off_share(share))
    if share < SHARE:
        message += f"; with epsilon 0, {share:.0%} of its actions are those that it values most"
    otherwise = share < SHARE and len(q) == 1  # not: took one state for another
    return Result(off, q.max(axis=1), message, "learning.acts_otherwise" if otherwise else "")


def share_of_own_best(lesson: Lesson, q: np.ndarray, played: np.ndarray) -> float:
    """Returns the share of actions that are the best by the agent's own values.

    Only states count in which these differ clearly: elsewhere anything goes.
    """
    right = []
    for row, state in zip(q, exact_q(lesson.env, GAMMA), strict=True):
        if abs(row[0] - row[1]) > GAP:
            right += (played[played[:, 0] == state, 1] == row.argmax()).tolist()
    return float(np.mean(right)) if right else 1.0


def _off_share(share: float) -> float:
    """Returns how far a share is from 1, in tolerances."""
    return (1 - share) / (1 - SHARE)


def grade_actor_critic(lesson: Lesson, values: np.ndarray, actions: np.ndarray) -> Result:
    """Compares V(s) with the exact ones, and the policy's actions with the best."""
    table = exact_q(lesson.env, GAMMA)
    exact = np.array([max(row) for row in table.values()])
    off, message = _off(values, exact, lesson.tolerance), f"V(s) {_in_words(values, exact)}"
    if len(actions) != len(exact) or "Matter" not in lesson.env:
        return Result(off, values, message)
    best = np.array([row.index(max(row)) for row in table.values()])
    share = float((actions == best[:, None]).mean())
    message += f"; {share:.0%} of its actions are the best"
    worst = share < 1 - SHARE and len(exact) == 1  # not: took one state for another
    misconception = "learning.worst_action" if worst else ""
    return Result(max(off, _off_share(share)), values, message, misconception)


def grade_continuous(lesson: Lesson, values: np.ndarray, actions: np.ndarray) -> Result:
    """Compares the mean action with the best one, and V(s) with what the policy earns."""
    signs = np.array([1.0]) if lesson.env == "ContinuousActionMatters" else np.array([-1.0, 1.0])
    best = signs[:, None] * BEST_ACTION
    if actions.ndim != 3 or actions.shape[::2] != best.shape:
        return Result(np.inf, NOTHING, f"actions of shape {actions.shape[2:]}, expected (2,)")
    mean = actions.mean(axis=1)
    earned = 1 - ((actions - best[:, None]) ** 2).sum(axis=2).mean(axis=1)
    off = max(_off(mean, best, ACTION), _off(values, earned, EARNED))
    message = f"mean actions {_in_words(mean, best)}; V(s) {_in_words(values, earned)}"
    return Result(off, values, message)


judge_dqn = partial(judge_lessons, LESSONS, grade_dqn)
judge_actor_critic = partial(judge_lessons, AC_LESSONS, grade_actor_critic)
judge_continuous = partial(judge_lessons, CONTINUOUS_LESSONS, grade_continuous)
