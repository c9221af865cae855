"""Updates DQN's critic: how the step down the gradient moves a table tells the targets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.hw3.critic_case import (
    WORTH,
    CriticCase,
    critic_case,
    large_case,
    second_case,
)
from autograder.hw3.probe_dqn_critic import batch, build, set_tables, table_of
from autograder.hw3.value_case import UPDATE_ORDER, call
from autograder.probing import Student, kept_graphs

CLIP_AT = 0.01


def probe(student: Student, seed: int) -> None:
    """Updates a critic: once, twice, with large rewards, gradients to clip, and double Q."""
    case, large = critic_case(seed), large_case(seed)

    def twice(seen: dict[str, Any]) -> None:
        critic = build(student, case)
        learn(critic, case, seen)
        set_tables(critic, second_case(seed))
        learn(critic, second_case(seed), seen, "again_")

    def clipped(seen: dict[str, Any]) -> None:
        critic = build(student, large, clip=CLIP_AT)
        before = table_of(critic.q_net)
        call(critic.update, UPDATE_ORDER, batch(large))
        moved = np.abs(table_of(critic.q_net) - before).max()
        seen["within_the_clip"] = moved <= 1.01 * CLIP_AT

    def with_double_q(seen: dict[str, Any]) -> None:
        critic = build(student, case, double_q=True)
        if hasattr(critic, "double_q_values"):
            critic.double_q_values = lambda next_ob_no: (
                torch.as_tensor(next_ob_no) @ torch.tensor(WORTH)
            )
        learn(critic, case, seen)

    def far(seen: dict[str, Any]) -> None:
        critic = build(student, large)
        critic.loss = nn.MSELoss()  # Huber's loss has one slope for all that is far
        learn(critic, large, seen)

    def ends(seen: dict[str, Any]) -> None:
        for name, flag in (("none_", 0.0), ("all_", 1.0)):
            flags = np.full_like(case.terminal, flag)
            learn(build(student, case), replace(case, terminal=flags), seen, name)

    student.try_out("once", lambda seen: learn(build(student, case), case, seen))
    student.try_out("twice", twice)
    student.try_out("large", lambda seen: learn(build(student, large), large, seen))
    student.try_out("far", far)
    student.try_out("ends", ends)
    student.try_out("clipped", clipped)
    student.try_out("double", with_double_q)


def learn(critic: Any, case: CriticCase, seen: dict[str, Any], prefix: str = "") -> None:
    """Calls `update` and notes what moved, and where to; no scale of the loss plays a part."""
    before, target_before = table_of(critic.q_net), table_of(critic.q_net_target)
    for parameter in critic.q_net_target.parameters():
        parameter.grad = None
    given = batch(case)
    kept = {role: array.copy() for role, array in given.items()}
    call(critic.update, UPDATE_ORDER, given)
    change = table_of(critic.q_net) - before
    size = float(np.linalg.norm(change))
    change = change / size if size > 0 else change
    at = (case.action, case.state)
    seen[f"{prefix}step"] = change[at].copy()
    change[at] = 0.0
    seen[f"{prefix}step_elsewhere"] = np.append(
        change[:, case.next_state].sum(0), abs(change).sum()
    )
    seen["target_moves"] = bool((table_of(critic.q_net_target) != target_before).any())
    grads = [p.grad for p in critic.q_net_target.parameters() if p.grad is not None]
    seen["gradient_of_target"] = any(bool(g.abs().sum() > 0) for g in grads)
    seen["keeps_graphs"] = kept_graphs(critic) > 0
    seen["changed_batch"] = any(not np.array_equal(kept[role], given[role]) for role in given)
