"""Asks TD3 for targets: two critics that disagree, ends of episodes, and large values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw4.fakes.td3 import ACTIONS, OBS, build
from autograder.running.probing import Student, plain_array

RESULTS, ROWS, ENDS = "targets", 11, (2, 5, 6, 9)


@dataclass(frozen=True)
class Batch:
    """What the targets are made of; `next_q_kn` is what the target critics say of a'."""

    re_n: np.ndarray
    terminal_n: np.ndarray
    next_q_kn: np.ndarray
    discount: float


def cases(seed: int) -> Mapping[str, Batch]:
    """Returns what is tried: values of both signs; each critic's is the smaller one somewhere."""
    rng = np.random.default_rng([285, 81, seed])
    numbers = rng.uniform(0.3, 1.7, (3, ROWS)) * rng.choice([-1, 1], (3, ROWS))
    numbers[1:, :4] = [[1.9, -0.4, 1.1, -1.3], [-0.5, 1.8, -0.7, -0.2]]
    ends = np.isin(np.arange(ROWS), ENDS).astype(np.float32)
    usual = Batch(numbers[0], ends, numbers[1:], float(rng.uniform(0.6, 0.85)))
    return {
        "usual": usual,
        "large": replace(usual, re_n=30 * usual.re_n, next_q_kn=30 * usual.next_q_kn),
        "all ended": replace(usual, terminal_n=0 * ends + 1),
        "none ended": replace(usual, terminal_n=0 * ends),
        "one row": Batch(usual.re_n[:1], ends[:1], usual.next_q_kn[:, :1], usual.discount),
    }


def observe(student: Student, case: Batch) -> dict[str, Any]:
    """Returns the targets. The online critics say more, and so do all of another action."""
    agent, rows = build(student, discount=case.discount), len(case.re_n)
    next_ob_no, next_ac_na = torch.rand(rows, OBS), torch.rand(rows, ACTIONS)
    values = torch.as_tensor(case.next_q_kn)

    def critics(ob_no: Any, ac_na: Any, only_first: bool = False) -> Any:
        reported = values + 5 * (ob_no - next_ob_no).sum(1) + 7 * (ac_na - next_ac_na).sum(1)
        return reported[:1] if only_first else reported

    asked = iter([next_ac_na])  # a second action would have other noise
    agent.smoothed_action = lambda ob_no: next(asked, next_ac_na + 0.2)
    agent.critic.q_net_target, agent.critic.q_net = critics, lambda *given: 3 + critics(*given)
    given = torch.as_tensor(case.re_n), next_ob_no, torch.as_tensor(case.terminal_n)
    return {"target_n": plain_array(agent.targets(*given))}
