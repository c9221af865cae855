"""Plays given environments: a game whose script is known, and a vector task.

What is wrong with them is to be seen by itself: each trial notes flags.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograder.hw3.atari_world import (
    GAME,
    LIMIT,
    VECTOR,
    VECTOR_END,
    Seen,
    pixel_value,
    play_games,
    play_to_limit,
    register,
    remember,
)
from autograder.hw3.network_world import foreign
from autograder.hw3.probes.schedules import takes
from autograder.numbers import close
from autograder.probing import Student

Arrays = Mapping[str, np.ndarray]
Found = set[str]
FRAME, SKIP = (84, 84), 4
ONE_FRAME, MEAN, UNCLIPPED = "reward_one_frame", "reward_mean", "not_clipped"
CLIPPED, PER_FRAME = "score_clipped", "clipped_per_frame"
LARGEST_INPUT, SMALLEST_INPUT = 1.5, 0.02


def clip(reward: np.ndarray) -> np.ndarray:
    """Clips rewards as DQN does."""
    return np.asarray(np.clip(reward, -1, 1))


# What a step may tell as its reward, from columns of "steps", in order of preference.
Reading = tuple[Callable[[Arrays], np.ndarray], str | None]
SCORE_READINGS: list[Reading] = [
    (lambda raw: raw["sum"], None),
    (lambda raw: clip(raw["sum"]), CLIPPED),
    (lambda raw: np.sign(raw["sum"]), CLIPPED),
    (lambda raw: raw["clipped"], CLIPPED),
    (lambda raw: raw["last"], ONE_FRAME),
    (lambda raw: raw["first"], ONE_FRAME),
    (lambda raw: raw["max"], ONE_FRAME),
    (lambda raw: raw["mean"], MEAN),
]
TRAIN_READINGS: list[Reading] = [
    (lambda raw: clip(raw["sum"]), None),
    (lambda raw: np.sign(raw["sum"]), None),
    (lambda raw: raw["sum"], UNCLIPPED),
    (lambda raw: raw["clipped"], PER_FRAME),
    (lambda raw: clip(raw["last"]), ONE_FRAME),
    (lambda raw: clip(raw["first"]), ONE_FRAME),
    (lambda raw: clip(raw["max"]), ONE_FRAME),
    (lambda raw: np.sign(raw["last"]), ONE_FRAME),
    (lambda raw: clip(raw["mean"]), MEAN),
]


class Player:
    """What plays each environment, and keeps which flags are up by now."""

    def __init__(self, student: Student) -> None:
        """Has found nothing yet."""
        self.student, self.found = student, Found()

    def play(
        self,
        name: str,
        experiment: Callable[..., None],
        note: Callable[[Arrays, Found], None],
        **how: Any,
    ) -> None:
        """Plays, and raises the flags of what is wrong."""

        def run(seen: Seen) -> None:
            played: Seen = {}
            experiment(seen=played, **how)
            before = set(self.found)
            note({key: np.asarray(value) for key, value in played.items()}, self.found)
            seen |= dict.fromkeys(self.found - before, True)
            seen["played"] = True

        trial = self.student.try_out(name, run)
        strange = name == "pixels" and "frame_shape" in self.found  # it fits no network
        if trial.crash and (strange or foreign(trial.crash)):
            trial.crash, trial.arrays["played"] = None, np.array(True)


def probe(student: Student, seed: int) -> None:
    """Plays for scores and for training, to limits of steps, and shows the network a frame."""
    register()
    made: dict[str, Any] = {}

    def load(seen: Seen) -> None:
        made["envs"] = student.module("infrastructure.envs")
        made["game"] = maker_of_games(student, made["envs"].make_env)
        made["envs"].make_env(VECTOR)  # without Atari's packages nothing can be made at all

    trial = student.try_out("load", load)
    if trial.crash:
        trial.crash = None if foreign(trial.crash) else trial.crash
        return
    make, rule = made["game"], {"ep_len": 3, "discount": 0.9, "time_limit": "auto"}
    if not takes(make, GAME, **rule, training=True) or not takes(
        made["envs"].make_env, VECTOR, **rule
    ):
        return
    player = Player(student)
    for name, training in (("score", False), ("train", True)):
        note = functools.partial(note_games, training=training)
        player.play(name, play_games, note, make=make, seed=seed, training=training, discount=0.9)
    play_limits(player, make, made["envs"])

    def pixels(seen: Seen) -> None:
        frame, _ = make(GAME, training=False).reset(seed=seed)
        seen["value"] = pixel_value(student, np.asarray(frame))

    player.play("pixels", pixels, note_pixels)


def maker_of_games(student: Student, make_env: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what makes games: `make_env` of atari.py, or where it still does both, of envs.py."""
    if "training" in inspect.signature(make_env).parameters:
        return make_env
    make: Callable[..., Any] = student.module("infrastructure.atari").make_env
    return make


def play_limits(player: Player, make_game: Callable[..., Any], envs: Any) -> None:
    """Plays into limits of steps, which cut an episode or, if so asked, end it."""
    limits: dict[str, tuple[str, dict[str, Any]]] = {
        "cut": (GAME, {"time_limit": "bootstrap", "training": False}),
        "ended": (GAME, {"time_limit": "terminal", "training": False}),
        "vector_cut": (VECTOR, {"discount": 0.9}),
        "vector_ended": (VECTOR, {"discount": 1.0}),
    }
    for name, (task, how) in limits.items():
        make = make_game if task == GAME else envs.make_env
        note = functools.partial(note_limit, name=name)
        player.play(name, play_to_limit, note, make=make, task=task, **how)
    wrapper = getattr(envs, "RememberCut", None)
    for limit in (LIMIT, VECTOR_END) if wrapper is not None else ():
        note = functools.partial(note_remembered, limit=limit)
        player.play(f"remember_{limit}", remember, note, wrapper=wrapper, limit=limit)


def note_games(arrays: Arrays, found: Found, training: bool) -> None:
    """Notes what is wrong with two whole games.

    In training lives are episodes, and rewards are clipped; else scores are counted.
    """
    names = ("told", "sum", "max", "first", "last", "mean", "clipped", "frames")
    steps = dict(zip(names, arrays["steps"].T, strict=True))
    flags = dict(
        zip(
            ("terminated", "truncated", "over", "lost", "fired", "resets"),
            arrays["flags"].T,
            strict=True,
        )
    )
    if arrays["obs"].shape != FRAME:
        found.add("frame_shape")
    note_lives(flags, arrays["resets"], training, found)
    if "no_new_game" in found:
        return  # what a game does after its end tells nothing
    plain = (flags["lost"] == 0) & (flags["fired"] == 0)
    if plain.any() and np.any(steps["frames"][plain] != SKIP):
        found.add("frame_skip")
    if note_rewards(steps, plain, training, found):
        note_returns(arrays, steps, flags, found)


def note_lives(flags: Arrays, resets: np.ndarray, training: bool, found: Found) -> None:
    """A lost life ends the agent's episode in training alone, and never the game."""
    over, lost = flags["over"] > 0, (flags["lost"] > 0) & (flags["over"] == 0)
    terminated = flags["terminated"] > 0
    if np.any(over & ~terminated):
        found.add("end_lost")
    if training and not np.any(lost & terminated):
        found.add("lives_ignored")
    if not training and np.any(lost & terminated):
        found.add("score_per_life")
    if np.any(terminated & ~over & ~lost):
        found.add("ends_early")
    if training and np.any(flags["resets"] > 0):
        found.add("life_resets_game")
    note_resets(flags["fired"][lost] > 0, resets, training, found)


def note_resets(fired_again: np.ndarray, resets: np.ndarray, training: bool, found: Found) -> None:
    """A new game begins when the last one is over, and FIRE is pressed where a game waits."""
    game_resets, fired, after_game = resets.T
    if training and np.any((game_resets > 0) & (after_game == 0)):
        found.add("life_resets_game")
    if np.any((game_resets == 0) & (after_game > 0)):
        found.add("no_new_game")
        return
    # In training, the reset after a lost life may press it just as well as the step before.
    if not fired[after_game > 0].all() or not (training or fired_again.all()):
        found.add("no_fire")


def note_rewards(steps: Arrays, plain: np.ndarray, training: bool, found: Found) -> bool:
    """Names what explains the rewards that steps tell; returns whether they are explained."""
    told = steps["told"]
    for reading, mistake in TRAIN_READINGS if training else SCORE_READINGS:
        if not close(told[plain], reading(steps)[plain]):
            continue
        if mistake:
            found.add(mistake)
        if not close(told, reading(steps)) and mistake not in (ONE_FRAME, MEAN):
            found.add("reward_at_lost_life")
        return mistake not in (ONE_FRAME, MEAN)
    if not {ONE_FRAME, MEAN} & found:
        found.add("strange_rewards")
    return False


def note_returns(arrays: Arrays, steps: Arrays, flags: Arrays, found: Found) -> None:
    """What is reported is the sum of a whole game's unclipped rewards."""
    ends = np.flatnonzero(flags["over"])
    lives = np.flatnonzero(flags["lost"] > 0)
    if "returns" not in arrays or len(ends) == 0:
        return
    returns = arrays["returns"]
    whole = sums_between(steps["sum"], ends)
    if close(returns, whole):
        return
    if "score_per_life" in found or close(returns, sums_between(steps["sum"], lives)):
        found.add("score_per_life")
    elif close(returns, sums_between(steps["told"], ends)):
        found.add(CLIPPED)
    elif close(returns, sums_between(steps["told"], lives)):
        found.update((CLIPPED, "score_per_life"))
    elif "life_resets_game" not in found:
        found.add("strange_returns")


def sums_between(rewards: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Returns the sums of rewards up to and with each of `ends`, from the one before it on."""
    totals = np.cumsum(rewards)[ends]
    return np.asarray(np.diff(totals, prepend=0.0))


def note_limit(arrays: Arrays, found: Found, name: str) -> None:
    """A limit cuts an episode, or ends it where that was asked for; and the monitor hears of it."""
    terminated, truncated = arrays["flags"][-1]
    steps = len(arrays["flags"])
    # The press of FIRE in a game's reset may count as a step, or not.
    right = (LIMIT,) if name.startswith("vector") else (LIMIT - 1, LIMIT)
    if not (terminated or truncated) or steps == VECTOR_END:
        found.add("limit_lost")
        return
    if steps not in right and "frame_skip" not in found:
        found.add("limit_steps")
    if name.endswith("cut") and terminated:
        found.add("cut_is_end")
    if name.endswith("ended") and not terminated:
        found.add("limit_is_no_end")
    if len(arrays.get("returns", np.zeros(1))) != 1:
        found.add("limit_above_monitor")
    seeds = arrays.get("seeds", np.empty(0))
    if len(set(seeds.tolist())) < len(seeds) and seeds.min() >= 0:
        found.add("same_start")


def note_remembered(arrays: Arrays, found: Found, limit: int) -> None:
    """Only the frame at which an episode was cut is kept, and it does not change later."""
    cut = limit < VECTOR_END  # else it ended by itself
    held = [-1.0] * limit if not cut else [-1.0] * (limit - 1) + [float(limit)]
    if not close(arrays["held"], np.array(held)):
        found.add("cut_frame")
    elif cut and not close(arrays["kept"], np.array([float(limit)])):
        found.add("cut_frame_changes")


def note_pixels(arrays: Arrays, found: Found) -> None:
    """Pixels enter the network's layers as numbers of about 1, wherever they were scaled."""
    value = abs(float(arrays["value"]))
    if value > LARGEST_INPUT:
        found.add("not_scaled")
    elif 0 < value < SMALLEST_INPUT:
        found.add("scaled_twice")
    elif not SMALLEST_INPUT < value <= LARGEST_INPUT:
        found.add("strange_pixels")
