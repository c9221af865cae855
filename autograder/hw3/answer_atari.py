"""Answers about given environments: what must be told of a game whose script is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from autograder.hw3.network_world import foreign
from autograder.hw3.probe_atari import BRIGHTNESS, LIMIT, VECTOR_END
from autograder.judge import Judgement, close, difference, judge_crash
from autograder.probing import Observation

Arrays = Mapping[str, np.ndarray]
FRAME, SKIP = (84, 84), 4
TRIALS = ("score", "train", "cut", "ended", "vector_cut", "vector_ended", "remember_cut",
          "remember_end", "pixels")  # fmt: skip
ONE_FRAME, MEAN, UNCLIPPED = "atari.reward_one_frame", "atari.reward_mean", "atari.not_clipped"
CLIPPED, PER_FRAME = "atari.score_clipped", "atari.clipped_per_frame"
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


def judge_atari(seen: Observation, seed: int) -> Judgement:
    """Judges all that was played."""
    verdict = Judgement()
    _judge_what_was_played(seen, verdict)
    _judge_remembered(seen, verdict)
    for name in ("load", *TRIALS):
        crash = seen[name].crash if name in seen else None
        follows = name == "pixels" and "atari.frame_shape" in verdict.mistakes
        if crash and not (foreign(crash) or follows):
            judge_crash(crash, None, verdict)
    verdict.unknown[:] = dict.fromkeys(verdict.unknown)
    return verdict


def _judge_what_was_played(seen: Observation, verdict: Judgement) -> None:
    """Judges each trial that came to its end."""
    arrays = {name: trial.arrays for name, trial in seen.items()}
    for name in ("score", "train"):
        if "steps" in arrays.get(name, ()):
            _judge_games(arrays[name], name == "train", verdict)
    for name in ("cut", "ended", "vector_cut", "vector_ended"):
        if "flags" in arrays.get(name, ()):
            _judge_limit(name, arrays[name], verdict)
    if "value" in arrays.get("pixels", ()):
        _judge_pixels(float(arrays["pixels"]["value"]), verdict)


def _judge_games(arrays: Arrays, training: bool, verdict: Judgement) -> None:
    """Judges two whole games, for training (lives are episodes, rewards clipped) or for scores."""
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
        verdict.name("atari.frame_shape")
    _judge_lives(flags, arrays["resets"], training, verdict)
    if "atari.no_new_game" in verdict.mistakes:
        return  # what a game does after its end tells nothing
    plain = (flags["lost"] == 0) & (flags["fired"] == 0)
    if plain.any() and np.any(steps["frames"][plain] != SKIP):
        verdict.name("atari.frame_skip")
    if _judge_rewards(steps, plain, training, verdict):
        _judge_returns(arrays, steps, flags, verdict)


def _judge_lives(flags: Arrays, resets: np.ndarray, training: bool, verdict: Judgement) -> None:
    """A lost life ends the agent's episode in training alone, and never the game."""
    over, lost = flags["over"] > 0, (flags["lost"] > 0) & (flags["over"] == 0)
    terminated = flags["terminated"] > 0
    if np.any(over & ~terminated):
        verdict.name("atari.end_lost")
    if training and not np.any(lost & terminated):
        verdict.name("atari.lives_ignored")
    if not training and np.any(lost & terminated):
        verdict.name("atari.score_per_life")
    if np.any(terminated & ~over & ~lost):
        verdict.name("atari.ends_early")
    if training and np.any(flags["resets"] > 0):
        verdict.name("atari.life_resets_game")
    _judge_resets(flags["fired"][lost] > 0, resets, training, verdict)


def _judge_resets(
    fired_again: np.ndarray, resets: np.ndarray, training: bool, verdict: Judgement
) -> None:
    """A new game begins when the last one is over, and FIRE is pressed where a game waits."""
    game_resets, fired, after_game = resets.T
    if training and np.any((game_resets > 0) & (after_game == 0)):
        verdict.name("atari.life_resets_game")
    if np.any((game_resets == 0) & (after_game > 0)):
        verdict.name("atari.no_new_game")
        return
    # In training, the reset after a lost life may press it just as well as the step before.
    if not fired[after_game > 0].all() or not (training or fired_again.all()):
        verdict.name("atari.no_fire")


def _judge_rewards(steps: Arrays, plain: np.ndarray, training: bool, verdict: Judgement) -> bool:
    """Names what explains the rewards that steps tell; returns whether they are explained."""
    told = steps["told"]
    for reading, mistake in TRAIN_READINGS if training else SCORE_READINGS:
        if not close(told[plain], reading(steps)[plain]):
            continue
        if mistake:
            verdict.name(mistake)
        if not close(told, reading(steps)) and mistake not in (ONE_FRAME, MEAN):
            verdict.name("atari.reward_at_lost_life")
        return mistake not in (ONE_FRAME, MEAN)
    known = {ONE_FRAME, MEAN} & set(verdict.mistakes)
    if not known:
        right = (TRAIN_READINGS if training else SCORE_READINGS)[0][0](steps)
        verdict.unknown.append(difference("reward", told[plain], right[plain]))
    return False


def _judge_returns(arrays: Arrays, steps: Arrays, flags: Arrays, verdict: Judgement) -> None:
    """What is reported is the sum of a whole game's unclipped rewards."""
    ends = np.flatnonzero(flags["over"])
    lives = np.flatnonzero(flags["lost"] > 0)
    if "returns" not in arrays or len(ends) == 0:
        return
    returns = arrays["returns"]
    whole = sums_between(steps["sum"], ends)
    if close(returns, whole):
        return
    if "atari.score_per_life" in verdict.mistakes or close(
        returns, sums_between(steps["sum"], lives)
    ):
        verdict.name("atari.score_per_life")
    elif close(returns, sums_between(steps["told"], ends)):
        verdict.name(CLIPPED)
    elif close(returns, sums_between(steps["told"], lives)):
        verdict.name(CLIPPED, "atari.score_per_life")
    elif "atari.life_resets_game" not in verdict.mistakes:
        verdict.unknown.append(difference("returns of whole games", returns, whole))


def sums_between(rewards: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Returns the sums of rewards up to and with each of `ends`, from the one before it on."""
    totals = np.cumsum(rewards)[ends]
    return np.asarray(np.diff(totals, prepend=0.0))


def _judge_limit(name: str, arrays: Arrays, verdict: Judgement) -> None:
    """A limit cuts an episode, or ends it where that was asked for; and the monitor hears of it."""
    terminated, truncated = arrays["flags"][-1]
    steps = len(arrays["flags"])
    # The press of FIRE in a game's reset may count as a step, or not.
    right = (LIMIT,) if name.startswith("vector") else (LIMIT - 1, LIMIT)
    if not (terminated or truncated) or steps == VECTOR_END:
        verdict.name("atari.limit_lost")
        return
    if steps not in right and "atari.frame_skip" not in verdict.mistakes:
        verdict.name("atari.limit_steps")
    if name.endswith("cut") and terminated:
        verdict.name("atari.cut_is_end")
    if name.endswith("ended") and not terminated:
        verdict.name("atari.limit_is_no_end")
    if len(arrays.get("returns", np.zeros(1))) != 1:
        verdict.name("atari.limit_above_monitor")
    seeds = arrays.get("seeds", np.empty(0))
    if len(set(seeds.tolist())) < len(seeds) and seeds.min() >= 0:
        verdict.name("atari.same_start")


def _judge_remembered(seen: Observation, verdict: Judgement) -> None:
    """Only the frame at which an episode was cut is kept, and it does not change later."""
    if "remember_cut" not in seen or "held" not in seen["remember_cut"].arrays:
        return
    cut, end = seen["remember_cut"].arrays, seen["remember_end"].arrays
    if not close(cut["held"], np.array([-1.0] * (LIMIT - 1) + [LIMIT])):
        verdict.name("atari.cut_frame")
    elif not close(end.get("held", np.empty(0)), np.full(VECTOR_END, -1.0)):
        verdict.name("atari.cut_frame")
    elif not close(cut["kept"], np.array([float(LIMIT)])):
        verdict.name("atari.cut_frame_changes")


def _judge_pixels(value: float, verdict: Judgement) -> None:
    """Pixels enter the network's layers as numbers of about 1, wherever they were scaled."""
    if abs(value) > LARGEST_INPUT:
        verdict.name("atari.not_scaled")
    elif 0 < abs(value) < SMALLEST_INPUT:
        verdict.name("atari.scaled_twice")
    elif not SMALLEST_INPUT < abs(value) <= LARGEST_INPUT:
        verdict.unknown.append(f"a frame of brightness {BRIGHTNESS} enters the network as {value}")
