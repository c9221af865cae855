"""Asks TD3 for many noisy target actions: their bounds, and how they scatter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw4.fakes.td3 import ACTIONS, OBS, build
from autograder.running import draws
from autograder.running.probing import Student

TIMES = 4000  # draws for each state


@dataclass(frozen=True)
class Noise:
    """What both policies do in a few states, (states, actions), and the settings of the noise."""

    online: np.ndarray
    target: np.ndarray
    target_noise: float
    noise_clip: float


def cases(seed: int) -> Mapping[str, Noise]:
    """Returns what is tried: noise that is never clipped, mostly clipped, and none."""
    rng = np.random.default_rng([285, 80, seed])
    online, target = rng.uniform(-0.3, 0.3, (2, OBS, ACTIONS)).astype(np.float32)
    clip, edge = float(rng.uniform(0.2, 0.3)), np.where(target > 0, 0.95, -0.95)
    return {
        "noise within its bound": Noise(online, target, clip / 20, clip),
        "noise beyond its bound": Noise(online, target, 4 * clip, clip),
        "actions near their bound": Noise(online, edge.astype(np.float32), 4 * clip, clip),
        "no noise": Noise(online, target, 0.0, clip),
    }


def observe(student: Student, case: Noise) -> dict[str, Any]:
    """Returns bounds as numbers, and of what is random only what all right forms share."""
    agent = build(student, target_noise=case.target_noise, noise_clip=case.noise_clip)
    agent.actor = lambda obs: obs @ torch.as_tensor(case.online)
    agent.actor_target = lambda obs: obs @ torch.as_tensor(case.target)
    obs = torch.eye(OBS).repeat(TIMES, 1)
    again, action = (agent.smoothed_action(obs).detach().numpy() for _ in range(2))
    by_state = action.reshape(TIMES, OBS, -1)
    if not case.target_noise:
        return {"actions": by_state[0], "alone": agent.smoothed_action(torch.eye(OBS)[:1])}
    if case.target_noise > case.noise_clip:
        return {"smallest": by_state.min(0), "largest": by_state.max(0)}
    return {
        "mean is the target policy's": draws.mean_is(by_state, case.target, case.target_noise),
        "spread, in quarters of a power of 2": draws.spread_ratio(by_state, case.target_noise),
        "few values": len(np.unique(by_state[:, 0, 0])) < TIMES / 10,
        "asked again gives other noise": not np.array_equal(again, action),
        "components move together": draws.moves_together(by_state[:, 0]),
        "states move together": draws.moves_together(by_state[:, :, 0]),
    }
