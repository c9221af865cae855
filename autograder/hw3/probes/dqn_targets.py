"""Updates DQN's critic: how the step down the gradient moves a table tells the targets."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.hw3 import critic_case as cases
from autograder.hw3.critic_case import WORTH, CriticCase
from autograder.hw3.probe_dqn_critic import batch, build, note_moves, pulls, set_tables, table_of
from autograder.hw3.value_case import UPDATE_ORDER, call, one_row
from autograder.probing import Student, kept_graphs

CLIP_AT = 0.01
Updates = Sequence[tuple[str, CriticCase, bool]]
"""What is noted of them begins so; the case; and whether double Q-learning is on."""


def probe(student: Student, seed: int) -> None:
    """Updates critics in many ways.

    Rewards lie beyond whatever is clipped to, and errors where Huber's loss is straight; or in a
    loss whose slope tells how far every target is; there are batches in which no episode ends, or
    every one, and batches of one row, where an axis too many or too few would show.
    """
    usual, scaled = cases.critic_case(seed), cases.scaled_case(seed)
    one, ends = one_row(usual), np.ones_like(usual.terminal)
    none, every = replace(usual, terminal=0 * ends), replace(usual, terminal=ends)
    trials: dict[str, Updates] = {
        "once": [("", usual, False)],
        "large": [("", cases.large_case(seed), False)],
        "ends": [("none_", none, False), ("all_", every, False)],
        "single": [("plain_", one, False), ("double_", one, True)],
        "scaled": [("plain_", scaled, False), ("double_", scaled, True)],
    }
    squared: dict[str, Updates] = {
        "far": [("", cases.low_case(seed), False)],
        "double": [("", usual, True)],
    }
    for name, updates in (trials | squared).items():
        loss = nn.MSELoss() if name in squared else None
        student.try_out(name, functools.partial(learn_all, student, updates, loss))
    student.try_out("twice", functools.partial(twice, student, seed))
    student.try_out("clipped", functools.partial(clipped, student, seed))
    for what, double_q in (("updates", False), ("updates with double_q", True)):
        note_moves(student, what, functools.partial(pulled, student, double_q), seed)


def learn_all(student: Student, updates: Updates, loss: Any, seen: dict[str, Any]) -> None:
    """Lets a fresh critic learn from each case."""
    for prefix, case, double_q in updates:
        critic = prepared(student, case, double_q)
        critic.loss = loss or critic.loss
        learn(critic, case, seen, prefix)


def twice(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """A second update, of other tables on another batch: what is left of the first would show."""
    critic = prepared(student, cases.critic_case(seed), False)
    learn(critic, cases.critic_case(seed), seen)
    set_tables(critic, cases.second_case(seed))
    learn(critic, cases.second_case(seed), seen, "again_")


def clipped(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """Gradients that are to be clipped."""
    case = cases.large_case(seed)
    critic = build(student, case, clip=CLIP_AT)
    before = table_of(critic.q_net)
    call(critic.update, UPDATE_ORDER, batch(case))
    seen["within_the_clip"] = np.abs(table_of(critic.q_net) - before).max() <= 1.01 * CLIP_AT


def pulled(student: Student, double_q: bool, case: CriticCase) -> np.ndarray:
    """Returns how far each prediction is pulled towards its target."""
    return pulls(prepared(student, case, double_q), case)


def prepared(student: Student, case: CriticCase, double_q: bool) -> Any:
    """Returns a critic that values next states by a number for each, where it has the method.

    The method of double Q-learning belongs to another blank.
    """
    critic = build(student, case, double_q)
    if hasattr(critic, "double_q_values"):
        critic.double_q_values = lambda next_ob_no: (
            torch.as_tensor(next_ob_no) @ torch.tensor(WORTH)
        )
    return critic


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
    seen["others_moved"] = bool(change.any())
    seen["target_moves"] = bool((table_of(critic.q_net_target) != target_before).any())
    grads = [p.grad for p in critic.q_net_target.parameters() if p.grad is not None]
    seen["gradient_of_target"] = any(bool(g.abs().sum() > 0) for g in grads)
    seen["keeps_graphs"] = kept_graphs(critic) > 0
    seen["inputs_changed"] = any(not np.array_equal(kept[role], given[role]) for role in given)
