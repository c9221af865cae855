"""In Python because it compares shares of random draws: TD3's target actions with their noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from autograder.running import draws
from autograder.running.probing import Student, plain_array

STATES, ACTIONS = 5, 3
TIMES = 4000  # draws for each state
BEYOND = 0.7424  # the chance that a normal number is above 1 / 6, or below -1 / 2


@dataclass(frozen=True)
class Noise:
    """What the target policy does in a few states, (states, actions), and the noise's settings."""

    mean_na: np.ndarray
    sigma: float
    clip: float


def cases(seed: int) -> Mapping[str, Noise]:
    """Returns what is tried: noise that is never clipped, mostly clipped, and none."""
    rng = np.random.default_rng([285, 80, seed])
    mean_na = rng.uniform(-0.3, 0.3, (STATES, ACTIONS)).astype(np.float32)
    clip, edge = float(rng.uniform(0.2, 0.3)), np.where(mean_na > 0, 0.95, -0.95)
    return {
        "noise within its bound": Noise(mean_na, clip / 20, clip),
        "noise beyond its bound": Noise(mean_na, 4 * clip, clip),
        "actions near their bound": Noise(edge.astype(np.float32), 4 * clip, clip),
        "no noise": Noise(mean_na, 0.0, clip),
        "noise beyond all actions": Noise(0 * mean_na + 0.5, 3.0, 100.0),
    }


def observe(student: Student, case: Noise) -> dict[str, Any]:
    """Returns bounds as numbers, and of what is random only what all right forms share."""
    smoothed_action = student.module("agents.td3_agent").smoothed_action
    mean_na = torch.as_tensor(case.mean_na).repeat(2, TIMES, 1)  # for two calls
    again, action = (plain_array(smoothed_action(m, case.sigma, case.clip)) for m in mean_na)
    by_state = action.reshape(TIMES, STATES, -1)
    if not case.sigma:
        alone = smoothed_action(mean_na[0, :1], case.sigma, case.clip)
        same = {"actions": by_state[0], "alone": plain_array(alone)}
        return {**same, "no_tensor": not torch.is_tensor(alone)}
    if case.clip > 1:
        at_bounds = int((np.abs(action) == 1).sum())
        return {"share at the bounds": draws.share_is(at_bounds, action.size, BEYOND)}
    if case.sigma > case.clip:
        return {"smallest": by_state.min(0), "largest": by_state.max(0)}
    far = np.abs(by_state - case.mean_na) > 2 * case.sigma
    return {
        "mean is the target policy's": draws.mean_is(by_state, case.mean_na, case.sigma),
        "the noise's deviation, in multiples of sigma": draws.spread_ratio(by_state, case.sigma),
        "beyond two sigma as often as normal noise": draws.share_is(far.sum(), far.size, 0.0455),
        "few values": len(np.unique(by_state[:, 0, 0])) < TIMES / 10,
        "asked again gives other noise": not np.array_equal(again, action),
        "components move together": draws.moves_together(by_state[:, 0]),
        "states move together": draws.moves_together(by_state[:, :, 0]),
    }
