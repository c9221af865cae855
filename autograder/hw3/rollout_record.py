"""Reads the record of a rollout: what was done in which state, and what ended when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from autograder.hw3.probe_rollouts import CONTINUOUS_EPISODE
from autograder.hw3.rollout_world import (
    CONTINUOUS,
    DISCRETE,
    KINDS,
    PER_FRAME,
    Episode,
    episodes,
    frame,
    reward_of,
)
from autograder.probing import Crash, Observation, Trial

RESET, ASK, STEP = (float(number) for number in range(len(KINDS)))


@dataclass(frozen=True)
class Rollout:
    """One path that was played, or what there is of it. T is the number of steps."""

    kind: str  # what its actions are
    episode: Episode
    fields: Mapping[str, np.ndarray]  # of the path that was returned; empty if none was
    crash: Crash | None
    before: np.ndarray  # (T,) number of the newest frame before each step
    after: np.ndarray  # (T,) number of the frame that each step returned
    taken: np.ndarray  # (T,) first component of the action
    sizes: np.ndarray  # (T,) components of the action
    shown: np.ndarray  # (T,) number of the last frame shown to the policy before each step
    rows: np.ndarray  # (asks,) frames shown at once
    asks: np.ndarray  # (T,) questions to the policy since the step before
    flags: np.ndarray  # (T, 2) terminated, truncated
    resets: tuple[tuple[int, int], ...]  # the number of steps before it, and its frame
    last_event: float

    @property
    def steps(self) -> int:
        """T."""
        return len(self.taken)

    @property
    def endless(self) -> bool:
        """Whether the rollout had to be stopped."""
        return self.crash is not None and self.crash.kind == "RunawayError"

    @property
    def broken(self) -> bool:
        """Whether the student's code raised something."""
        return self.crash is not None and not self.endless

    @property
    def returned(self) -> bool:
        """Whether a path was returned."""
        return bool(self.fields)

    @property
    def length(self) -> int:
        """T, or 0 if the rollout had to be stopped."""
        return 0 if self.endless else self.steps

    def frames(self, numbers: np.ndarray) -> np.ndarray:
        """Returns the frames of some numbers. Shape (T, FRAME_SIZE)."""
        return np.array([frame(int(number)) for number in numbers]).reshape(len(numbers), -1)

    def rewards(self, seed: int) -> np.ndarray:
        """Returns what the environment paid. Shape (T,)."""
        return np.array([reward_of(seed, step + 1) for step in range(self.steps)])

    def is_answer(self, step: int, code: float) -> bool:
        """Tells whether an action is an answer to what was shown before a step."""
        past = self.shown[: step + 1]
        return code // PER_FRAME in past and code == int(code)


def read_rollout(trial: Trial, episode: Episode, kind: str) -> Rollout:
    """Reads one trial."""
    tape = trial.arrays.get("tape", np.empty((0, 5)))
    what, frames = tape[:, 0], tape[:, 1].copy()
    stepped = what == STEP
    frames[stepped] = tape[stepped, 2]
    before: list[float] = []
    shown: list[float] = []
    asks: list[int] = []
    flags: list[tuple[bool, bool]] = []
    newest, last_shown, asked, in_episode = -1.0, -1.0, 0, 0
    resets: list[tuple[int, int]] = []
    for event, number in zip(what, frames, strict=True):
        if event == ASK:
            last_shown, asked = number, asked + 1
            continue
        if event == RESET:
            resets.append((len(before), int(number)))
            in_episode = 0
        else:
            in_episode += 1
            before.append(newest)
            shown.append(last_shown)
            asks.append(asked)
            flags.append(episode.flags(in_episode))
            asked = 0
        newest = number
    return Rollout(
        kind=kind,
        episode=episode,
        fields={k: v for k, v in trial.arrays.items() if k not in ("tape", "is_path")},
        crash=trial.crash,
        before=np.array(before),
        after=tape[stepped, 2],
        taken=tape[stepped, 1],
        sizes=tape[stepped, 3],
        shown=np.array(shown),
        rows=tape[what == ASK, 2],
        asks=np.array(asks, int),
        flags=np.array(flags, bool).reshape(-1, 2),
        resets=tuple(resets),
        last_event=float(what[-1]) if len(what) else -1.0,
    )


def read_rollouts(seen: Observation, seed: int, answer: str) -> dict[str, Rollout]:
    """Reads the trials with one kind of answer, by their episodes' names."""
    drawn = episodes(seed)
    found = {}
    for name in (*drawn, CONTINUOUS):
        trial = seen.get(f"{answer}_{name}")
        if trial is not None:
            kind = CONTINUOUS if name == CONTINUOUS else DISCRETE
            episode = drawn[CONTINUOUS_EPISODE if kind == CONTINUOUS else name]
            found[name] = read_rollout(trial, episode, kind)
    return found
