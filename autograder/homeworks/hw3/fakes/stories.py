"""What homework 3's stories build and look at: small networks, and a policy that is certain."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.running.probing import plain_array
from autograder.running.story_numbers import described
from autograder.running.story_parts import quietly

LARGEST, GAP = 60.0, 21.0  # logits of a policy that leaves nothing to chance: 1 - 1e-9 is its best
COLUMNS = ("observation", "reward", "next_observation", "terminal")
RNG = np.random.default_rng(23)
TIMES = 5  # that each choice is asked for: who explores now and then is found out
SHOWN = RNG.normal(0, 2.0, (60, 4)).astype(np.float32)
CHOICES, COMPONENTS = RNG.integers(0, 3, 100), RNG.normal(0, 1, (100, 2)).astype(np.float32)


def networks(ptu: Any, frames: bool) -> Any:
    """Returns what makes DQN's networks, with small layers: large ones take most of the time."""

    def network(_: str) -> nn.Module:
        if not frames:
            made: nn.Module = ptu.build_mlp(4, 3, 2, 32, activation="relu")
            return made
        made = ptu.NatureCNN(4, 3)
        convolution = nn.Conv2d(4, 8, kernel_size=12, stride=12)
        dense = nn.Linear(8 * 7 * 7, 32), nn.ReLU(), nn.Linear(32, 3)
        made.layers = nn.Sequential(convolution, nn.ReLU(), nn.Flatten(), *dense)
        return made

    return SimpleNamespace(part=network)


def densities(distribution: Any) -> Any:
    """Returns the log-probabilities of a few actions, the same in every row."""
    discrete = distribution.event_shape == torch.Size([])
    rows = distribution.batch_shape[0]
    actions = torch.as_tensor((CHOICES if discrete else COMPONENTS)[:3]).unsqueeze(1)
    return distribution.log_prob(actions.expand(3, rows, *actions.shape[2:]))


def width(distribution: Any) -> Any:
    """Returns the probabilities of a distribution, or the spread of each component."""
    discrete = distribution.event_shape == torch.Size([])
    return distribution.probs if discrete else distribution.stddev


def columns(path: Any) -> np.ndarray:
    """Returns what a script decides of a path, a row for each step."""
    rows = len(path["reward"])
    return np.concatenate([np.reshape(path[name], (rows, -1)) for name in COLUMNS], axis=1)


def sizes(collected: Any) -> list[int]:
    """Returns how many paths were collected, and the steps that they are said to have."""
    paths, steps = collected
    return [len(paths), int(steps)]


@torch.no_grad()
def make_certain(actor: Any) -> np.ndarray:
    """Makes a policy certain, in the same network; returns for which of `SHOWN` it is.

    No logit gets beyond what `exp` takes, for whoever computes probabilities by themselves.
    """
    if not actor.discrete:
        actor.logstd.fill_(-30.0)
        return np.ones(len(SHOWN), bool)
    shown = torch.as_tensor(SHOWN)
    factor = LARGEST / actor.logits_na(shown).abs().max()
    for weight in list(actor.logits_na.parameters())[-2:]:
        weight.mul_(factor)
    best = actor.logits_na(shown).topk(2).values
    return np.asarray((best[:, 0] - best[:, 1] > GAP).numpy())


def play_certainly(actor: Any, note: Callable[..., None]) -> None:
    """Makes the policy certain, and notes what it chooses then."""
    certain = make_certain(actor)
    shown = SHOWN[certain]
    with quietly(), torch.no_grad():
        spread = plain_array(width(actor(torch.as_tensor(shown))))
        note("certain distribution", described(spread))
    for ob in np.tile(shown, (TIMES, 1)):
        note("certain actions", np.ravel(plain_array(actor.get_action(ob.copy()))))
    note("certain actions in a batch", described(plain_array(actor.get_action(shown.copy()))))
