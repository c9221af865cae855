"""Estimates advantages: without a baseline, with one, and by GAE, of a batch as large as real ones.

A batch is a few paths, thousands of times: so it makes no difference whether a deviation is that of
a population or of a sample, and both are right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.homeworks.hw2.fakes import pg
from autograder.homeworks.hw2.fakes.pg import Steps
from autograder.homeworks.hw3.probes.advantage import reaches_critic
from autograder.running.probing import Student, plain_array

RESULTS, COPIES = "advantages", 6000
OLD_MEAN, OLD_DEVIATION = 3.0, 0.4  # of the q-values before


def cases(seed: int) -> Mapping[str, Steps]:
    """Returns what is tried."""
    usual, base = pg.steps(seed, 0.8), {"nn_baseline": True, "reward_to_go": True}
    large = replace(usual, reward_n=300 * usual.reward_n, q_n=300 * usual.q_n)
    return {
        "baseline": replace(usual, settings=base),
        "baseline, large rewards": replace(large, settings=base),
        "baseline, whole returns": replace(usual, settings={"nn_baseline": True}),
        "no baseline": replace(usual, settings={"reward_to_go": True}),
        "lambda": replace(usual, settings={**base, "gae_lambda": 0.6}),
        "lambda of 0": replace(usual, settings={**base, "gae_lambda": 0.0}),
        "lambda of 1": replace(pg.steps(seed, 1.0), settings={**base, "gae_lambda": 1.0}),
    }


def observe(student: Student, case: Steps) -> dict[str, Any]:
    """Returns the advantages of each path once; and again, after the baseline has learned."""
    agent, found, carries = pg.build(student, discount=case.discount, **case.settings), [], False
    agent.q_mean, agent.q_std = OLD_MEAN, OLD_DEVIATION
    end_n = np.tile(np.isin(np.arange(1, pg.ROWS + 1), pg.ENDS), COPIES)
    network = nn.Linear(pg.OB_DIM, 1, bias=False)
    agent.replay_buffer.batch = SimpleNamespace(path_ends_n=end_n)
    if agent.critic is not None:
        agent.critic.critic_network = network
    ob_no, over_n = np.tile(case.ob_no, (COPIES, 1)), end_n.astype(np.float32)
    for sign in (1, -1):
        network.weight.data = torch.as_tensor(sign * pg.WEIGHTS[None])
        given = student.lend({"q": sign * np.tile(case.q_n, COPIES), "r": sign * case.reward_n})
        with pg.right_sums(student):
            paths = pg.by_path(given["r"]) * COPIES
            adv_n = agent.estimate_advantage(ob_no, paths, given["q"], over_n)
        found.append(plain_array(adv_n)[: pg.ROWS])
        carries |= agent.critic is not None and reaches_critic(adv_n, agent.critic)
    return {"adv_n": found[0], "advantages of another batch": found[1], "reaches_critic": carries}
