"""In Python because it compares shares of random draws: noisy actions of DDPG's and TD3's policy.

How they scatter, and within what.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import torch

from autograder.running import draws
from autograder.running.probing import Student, plain_array

STATES, ACTIONS = 4, 3
TIMES, ONE_BY_ONE = 2000, 600  # draws for each state; and one at a time, which takes longer
BEYOND_TWO = 0.0455  # of a normal's draws, on both sides of two standard deviations


@dataclass(frozen=True)
class Noise:
    """What the policy does in a few states, (states, actions), and the noise's deviation."""

    mean_na: np.ndarray
    sigma: float
    one_by_one: bool = False


class Means(torch.nn.Module):
    """A network whose observations are the actions."""

    def forward(self, ob_no: torch.Tensor) -> torch.Tensor:
        """Returns what it is given, in memory of its own."""
        return ob_no.clone()


def cases(seed: int) -> Mapping[str, Noise]:
    """Returns what is tried: noise that no bound cuts, noise that a bound often cuts, and none."""
    rng = np.random.default_rng([285, 88, seed])
    mean_na = rng.uniform(-0.3, 0.3, (STATES, ACTIONS)).astype(np.float32)
    quarter = np.full((STATES, ACTIONS), 0.25, np.float32)
    return {
        "small noise": Noise(mean_na, 0.1),
        "one observation at a time": Noise(mean_na[:1], 0.1, one_by_one=True),
        "large noise": Noise(quarter, 0.6),
        "very large noise": Noise(-quarter, 2.0),
        "no noise": Noise(3 * mean_na, 0.0),
    }


def observe(student: Student, case: Noise) -> dict[str, Any]:
    """Returns bounds as numbers, and of what is random only what all right forms share."""
    module = student.module("policies.deterministic_policy")
    actor = module.DeterministicActor(ACTIONS, ACTIONS, (8,), case.sigma)
    actor.net = Means()
    obs, before = np.tile(case.mean_na, (TIMES, 1)), case.mean_na.copy()
    if case.one_by_one:
        found = [plain_array(actor.get_action(case.mean_na[0])) for _ in range(ONE_BY_ONE)]
        return {
            **one_by_one(np.reshape(found, (len(found), -1)), case),
            "width_changed": actor.exploration_noise != case.sigma,
            "inputs_changed": bool((case.mean_na != before).any()),
        }
    again, action = (plain_array(actor.get_action(obs)) for _ in range(2))
    by_state, noise = action.reshape(TIMES, STATES, -1), action - obs
    if not case.sigma:
        return {"actions": by_state[0], "alone": plain_array(actor.get_action(case.mean_na[0]))}
    if case.sigma > 0.5:
        at_bound = np.abs(by_state[..., 0].ravel() - np.sign(case.mean_na[0, 0])) < 1e-3
        chance = NormalDist().cdf(-0.75 / case.sigma)
        share = draws.share_near(int(at_bound.sum()), at_bound.size, chance)
        return {
            "smallest": by_state.min(0),
            "largest": by_state.max(0),
            "the bounds are reached": bool(by_state.max() > 1 - 1e-4 and by_state.min() < 1e-4 - 1),
            "share at a bound": share,
        }
    differ = bool((by_state.std(0) > 1e-6).all())
    return {
        **scattered(by_state, case),
        "the deviation of the noise, in multiples of the setting": spread(by_state, case),
        "always_the_same": differ and np.array_equal(again, action),
        "one_for_all_rows": abs(noise).max() > 1e-6 > np.ptp(noise, axis=0).max(),
        "states move together": draws.moves_together(by_state[:, :, 0]),
    }


def scattered(action: np.ndarray, case: Noise) -> dict[str, Any]:
    """Returns how actions in the same states scatter. Shape (draws, states, actions)."""
    far = np.abs(action - case.mean_na) > 2 * case.sigma
    return {
        "mean is the policy's": draws.mean_is(action, case.mean_na, case.sigma),
        "share beyond two deviations": draws.share_near(int(far.sum()), far.size, BEYOND_TWO),
        "few values": len(np.unique(action[:, 0, 0])) < len(action) / 10,
        "components move together": draws.moves_together(action[:, 0]),
    }


def one_by_one(action: np.ndarray, case: Noise) -> dict[str, Any]:
    """Returns how actions in one state scatter that were asked for one after the other."""
    noise = action - case.mean_na
    pairs = np.stack([action[:-1, 0], action[1:, 0]], axis=1)
    return {
        **scattered(action[:, None], case),
        "the deviation of all noise, in multiples of the setting": spread(noise.ravel(), case),
        "the deviation of late noise, in multiples of the setting": spread(
            noise[len(noise) // 2 :].ravel(), case
        ),
        "noise moves with the noise before": draws.moves_together(pairs),
    }


def spread(noisy: np.ndarray, case: Noise) -> np.ndarray:
    """Returns how wide draws are; below a sixteenth of what they should be they count as equal."""
    return np.asarray(np.maximum(draws.spread_ratio(noisy, case.sigma), 1 / 16))
