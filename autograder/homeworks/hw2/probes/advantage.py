"""Estimates advantages: without a baseline, with one, and by GAE, of a batch as large as real ones.

A batch is a few paths, thousands of times: so it makes no difference whether a deviation is that of
a population or of a sample, and both are right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.homeworks.hw2.fakes import pg
from autograder.homeworks.hw3.probes.advantage import reaches_critic
from autograder.running.probing import Student, plain_array

RESULTS, LENGTHS, COPIES = "advantages", (5, 3, 7, 2), 6000
ROWS = sum(LENGTHS)
WEIGHTS = np.array([0.8, -0.5, 0.7], np.float32)  # of the critic: an observation's value
OLD_MEAN, OLD_DEVIATION = 3.0, 0.4  # of the q-values before


@dataclass(frozen=True)
class Batch:
    """Some paths, what the critic's answers are, and the settings."""

    ob_no: np.ndarray
    reward_n: np.ndarray
    q_n: np.ndarray
    discount: float
    settings: Mapping[str, Any] = field(default_factory=dict)


def batch(seed: int, discount: float) -> Batch:
    """Draws a batch. No answer of the critic is near what a q-value is above the mean."""
    rng = np.random.default_rng([285, 54, seed])
    reward_n = rng.uniform(0.3, 1.7, ROWS) * rng.permutation(np.resize([1, 1, 1, -1], ROWS))
    paths = np.split(reward_n, np.cumsum(LENGTHS)[:-1])
    q_n = np.concatenate([pg.following(rewards, discount) for rewards in paths])
    ob_no = rng.uniform(-1, 1, (ROWS, pg.OBSERVED)).astype(np.float32)
    value_n = rng.uniform(0.3, 1.2, ROWS) * np.where(q_n > q_n.mean(), -1, 1)
    ob_no[:, 0] += (value_n - ob_no @ WEIGHTS) / WEIGHTS[0]
    return Batch(ob_no, reward_n, q_n, discount)


def cases(seed: int) -> Mapping[str, Batch]:
    """Returns what is tried."""
    usual, base = batch(seed, 0.8), {"nn_baseline": True}
    to_go = {**base, "reward_to_go": True}
    scaled = {"reward_n": 300 * usual.reward_n, "q_n": 300 * usual.q_n}
    return {
        "baseline": replace(usual, settings=to_go),
        "baseline, whole returns": replace(usual, settings=base),
        "baseline, large rewards": replace(usual, settings=to_go, **scaled),
        "no baseline": replace(usual, settings={"reward_to_go": True}),
        "lambda": replace(usual, settings={**to_go, "gae_lambda": 0.6}),
        "lambda of 0": replace(usual, settings={**to_go, "gae_lambda": 0.0}),
        "lambda of 1, undiscounted": replace(batch(seed, 1.0), settings={**to_go, "gae_lambda": 1.0}),
    }


def observe(student: Student, case: Batch) -> dict[str, Any]:
    """Returns the advantages of each path once; and again, after the critic has learned."""
    agent = pg.build(student, discount=case.discount, **case.settings)
    agent.q_mean, agent.q_std = OLD_MEAN, OLD_DEVIATION
    last = np.isin(np.arange(1, ROWS + 1), np.cumsum(LENGTHS))
    end_n = np.tile(last, COPIES)
    agent.replay_buffer.path_ends_n = end_n
    if agent.critic is not None:
        agent.critic.critic_network = network = nn.Linear(pg.OBSERVED, 1, bias=False)
    found, carries = [], False
    for sign in (1, -1):
        if agent.critic is not None:
            network.weight.data = torch.as_tensor(sign * WEIGHTS[None])
        given = student.lend({"q_n": sign * np.tile(case.q_n, COPIES)})
        reward_n = student.lend({"reward_n": sign * case.reward_n})["reward_n"]
        paths = np.split(reward_n, np.cumsum(LENGTHS)[:-1]) * COPIES
        ob_no, over_n = np.tile(case.ob_no, (COPIES, 1)), end_n.astype(np.float32)
        with pg.right_sums(student):
            adv_n = agent.estimate_advantage(ob_no, paths, given["q_n"], over_n)
        found.append(plain_array(adv_n)[:ROWS])
        carries |= agent.critic is not None and reaches_critic(adv_n, agent.critic)
    return {"adv_n": found[0], "advantages of another batch": found[1], "reaches_critic": carries}
