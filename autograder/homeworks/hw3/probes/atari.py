"""Plays given environments: a game whose script is known, and a vector task.

Each misconception shows by itself: each trial notes flags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from autograder.base.close import close
from autograder.homeworks.hw3.fakes import atari
from autograder.homeworks.hw3.fakes.atari import (
    ACT,
    GAME,
    VECTOR,
    VECTOR_END,
    Columns,
    ScriptedVector,
)
from autograder.homeworks.hw3.fakes.given_code import Found, Look, note, probe_of
from autograder.running.probing import Student

FRAME, SKIP = (84, 84), 4
LIMIT = 5  # steps of the agent
ONE_FRAME, CLIPPED = "reward_one_frame", "score_clipped"
LARGEST_INPUT, SMALLEST_INPUT = 1.5, 0.02
NO_FRAME = -1.0


def made(student: Student, name: str, **how: Any) -> Any:
    """Makes the student's environment."""
    atari.register()
    file = "envs" if name == VECTOR else "atari"
    return student.module(f"infrastructure.environments.{file}").make_env(name, **how)


def games(found: Found, student: Student, seed: int, training: bool) -> None:
    """Notes what is wrong with two whole games.

    In training a lost life ends the agent's episode, and never the game, and rewards are clipped;
    else scores are counted. A new game begins when the last one is over.
    """
    env = made(student, GAME, training=training, discount=0.9)
    steps, resets, shape = atari.play_games(env, seed)
    terminated, over, lost = steps["terminated"], steps["over"], steps["lost"] & ~steps["over"]
    life_ends, goes_on = np.any(lost & terminated), ~resets["over"]
    stuck = resets["over"] & (resets["resets"] == 0)
    note(
        found,
        frame_shape=shape != FRAME,
        end_lost=over & ~terminated,
        ends_early=terminated & ~over & ~lost,
        lives_ignored=training and not life_ends,
        score_per_life=not training and life_ends,
        life_resets_game=training and (any(steps["resets"]) or any(resets["resets"][goes_on])),
        no_new_game=stuck,
    )
    if "no_new_game" in found:
        return  # what a game does after its end tells nothing
    plain = ~steps["lost"] & ~steps["fired"]
    # In training, the reset after a lost life may press FIRE just as well as the step before.
    waits = not (resets["fired"] | goes_on).all() or not (training or steps["fired"][lost].all())
    note(found, no_fire=waits, frame_skip=steps["frames"][plain] != SKIP)
    returns = atari.returns_of(env)
    if explain_rewards(found, steps, plain, training) and returns is not None and any(over):
        explain_returns(found, returns, steps)


def readings(steps: Columns, training: bool) -> Iterator[tuple[np.ndarray, str]]:
    """Yields what steps may report as rewards, each with its misconception; right ones first."""
    summed = steps["sum"]
    singles = ("last", "first", "max")
    named = {name: steps[name] for name in ("sum", *singles)}
    clipped = {name: (np.clip(array, -1, 1), np.sign(array)) for name, array in named.items()}
    if training:
        yield from ((reading, "") for reading in clipped["sum"])
        yield from ((summed, "not_clipped"), (steps["clipped"], "clipped_per_frame"))
    else:
        yield summed, ""
        yield from ((reading, CLIPPED) for reading in (*clipped["sum"], steps["clipped"]))
    for name in singles:
        single = clipped[name] if training else (named[name],)
        yield from ((reading, ONE_FRAME) for reading in single)


def explain_rewards(found: Found, steps: Columns, plain: np.ndarray, training: bool) -> bool:
    """Names what explains the rewards that steps report; returns whether it is of whole steps."""
    message = steps["shown"]
    for reading, misconception in readings(steps, training):
        if close(message[plain], reading[plain]):
            whole = misconception != ONE_FRAME
            note(found, reward_at_lost_life=whole and not close(message, reading))
            found |= {misconception} - {""}
            return whole
    found.add("strange_rewards")
    return False


def explain_returns(found: Found, returns: np.ndarray, steps: Columns) -> None:
    """Names what explains the returns: each should be the sum of a game's unclipped rewards."""

    def are_sums(rewards: str, ends: str) -> bool:
        totals = np.cumsum(steps[rewards])[steps[ends]]
        return close(returns, np.diff(totals, prepend=0.0))

    if are_sums("sum", "over"):
        return
    if "score_per_life" in found or are_sums("sum", "lost"):
        found.add("score_per_life")
    elif are_sums("shown", "over"):
        found.add(CLIPPED)
    elif "life_resets_game" not in found:
        found.add("strange_returns")


def limit(found: Found, student: Student, seed: int, name: str, is_end: bool, **how: Any) -> None:
    """A limit cuts an episode, or ends it where that was asked for; and the monitor hears of it."""
    env, is_game = made(student, name, ep_len=LIMIT, **how), name == GAME
    env.reset(seed=seed)
    steps, terminated, truncated = 0, False, False
    while not (terminated or truncated or steps == VECTOR_END):
        _, _, terminated, truncated, _ = env.step(ACT if is_game else 0)
        steps += 1
    if steps == VECTOR_END:
        found.add("limit_lost")
        return
    right = (LIMIT - is_game, LIMIT)  # the press of FIRE in a game's reset may count as a step
    returns = atari.returns_of(env)
    note(
        found,
        limit_steps=steps not in right and "frame_skip" not in found,
        cut_is_end=terminated and not is_end,
        limit_is_no_end=is_end and not terminated,
        limit_above_monitor=returns is not None and len(returns) != 1,
    )
    if not is_game:
        env.reset()
        env.reset()
        seeds = ScriptedVector.newest.seeds
        note(found, same_start=None not in seeds and len(set(seeds)) < len(seeds))


def remembered(found: Found, student: Student, seed: int, steps: int) -> None:
    """Only the frame at which an episode was cut is kept, and it does not change later."""

    def number(frame: Any) -> float:
        return NO_FRAME if frame is None else float(frame[0])

    envs: Any = student.module("infrastructure.environments.envs")
    env = envs.RememberCut(gym.wrappers.TimeLimit(ScriptedVector(), steps))
    env.reset()
    held = []
    for _ in range(steps):
        env.step(0)
        held.append(number(env.cut_frame))
    last = env.cut_frame
    env.reset()
    cut = steps < VECTOR_END  # else it ended by itself
    right = held == [NO_FRAME] * (steps - cut) + [float(steps)] * cut
    note(found, cut_frame=not right, cut_frame_changes=right and number(last) != held[-1])


def pixels(found: Found, student: Student, seed: int) -> None:
    """Pixels enter the network's layers as numbers of about 1, wherever they were scaled."""
    if "frame_shape" in found:
        return  # it fits no network
    frame, _ = made(student, GAME, training=False).reset(seed=seed)
    ptu: Any = student.module("infrastructure.pytorch_util")
    network: nn.Module = ptu.NatureCNN(4, 3)
    stack = np.stack([np.asarray(frame)] * 4)[None]
    with torch.no_grad():
        for parameter in network.parameters():  # each unit becomes the mean of its inputs
            parameter.fill_(1 / parameter[0].numel() if parameter.ndim > 1 else 0.0)
        shown = getattr(ptu, "observations_from_numpy", torch.as_tensor)(stack)
        value = abs(float(network(shown)[0, 0]))
    note(
        found,
        not_scaled=value > LARGEST_INPUT,
        scaled_twice=0 < value < SMALLEST_INPUT,
        strange_pixels=not value > 0,
    )


LOOKS: Mapping[str, Look] = {
    "score": partial(games, training=False),
    "train": partial(games, training=True),
    "cut": partial(limit, name=GAME, is_end=False, training=False, time_limit="bootstrap"),
    "ended": partial(limit, name=GAME, is_end=True, training=False, time_limit="terminal"),
    "vector_cut": partial(limit, name=VECTOR, is_end=False, discount=0.9),
    "vector_ended": partial(limit, name=VECTOR, is_end=True, discount=1.0),
    "remember_cut": partial(remembered, steps=LIMIT),
    "remember_end": partial(remembered, steps=VECTOR_END),
    "pixels": pixels,
}
cases, observe = probe_of(LOOKS)
