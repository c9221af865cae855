"""Updates DQN's critic: how the step down the gradient moves a table tells the targets."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.core import fingerprint
from autograder.hw3.critic_case import (
    WORTH,
    CriticCase,
    critic_case,
    large_case,
    low_case,
    moves,
    scaled_case,
    second_case,
)
from autograder.hw3.probe_dqn_critic import batch, build, pulls, set_tables, table_of
from autograder.hw3.value_case import BELOW, UPDATE_ORDER, call, one_row, only_next
from autograder.probing import Student, kept_graphs

CLIP_AT = 0.01


def probe(student: Student, seed: int) -> None:
    """Updates a critic in each of the ways of `TRIALS`."""
    for name, trial in TRIALS.items():
        student.try_out(name, functools.partial(trial, student, seed))
    for what, double_q in (("updates", False), ("updates with double_q", True)):
        student.try_moves(what, functools.partial(moving, student, seed, double_q))


def once(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """One update."""
    learn(build(student, critic_case(seed)), critic_case(seed), seen)


def twice(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """A second one, of other tables on another batch: what is left of the first would show."""
    critic = build(student, critic_case(seed))
    learn(critic, critic_case(seed), seen)
    set_tables(critic, second_case(seed))
    learn(critic, second_case(seed), seen, "again_")


def large(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """Rewards beyond whatever is clipped to, and errors where Huber's loss is straight."""
    learn(build(student, large_case(seed)), large_case(seed), seen)


def far(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """The same rewards with a loss whose slope tells how far every target is."""
    critic = build(student, low_case(seed))
    critic.loss = nn.MSELoss()
    learn(critic, low_case(seed), seen)


def clipped(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """Gradients that are to be clipped."""
    case = large_case(seed)
    critic = build(student, case, clip=CLIP_AT)
    before = table_of(critic.q_net)
    call(critic.update, UPDATE_ORDER, batch(case))
    moved = np.abs(table_of(critic.q_net) - before).max()
    seen["within_the_clip"] = moved <= 1.01 * CLIP_AT


def ends(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """Batches in which no episode ends, or every one."""
    case = critic_case(seed)
    for name, flag in (("none_", 0.0), ("all_", 1.0)):
        flags = np.full_like(case.terminal, flag)
        learn(build(student, case), replace(case, terminal=flags), seen, name)


def double(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """Double Q-learning, whose method is a stand-in: it belongs to another blank."""
    case = critic_case(seed)
    critic = with_stand_in(build(student, case, double_q=True))
    critic.loss = nn.MSELoss()
    learn(critic, case, seen)


def moving(student: Student, seed: int, double_q: bool, seen: dict[str, Any]) -> None:
    """What the updates depend on: how far each prediction is pulled towards its target."""

    def updates(case: CriticCase) -> np.ndarray:
        critic = with_stand_in(build(student, case, double_q=double_q))
        return pulls(critic, case, batch(case))

    fingerprint.note(seen, updates, critic_case(seed), moves(critic_case(seed)))
    low = replace(critic_case(seed), target=low_case(seed).target)
    fingerprint.note(seen, updates, low, only_next(moves(low)), BELOW)


def single(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """Batches of one row, where an axis too many or too few would show."""
    case = critic_case(seed)
    one = one_row(case)
    for name, double_q in (("plain_", False), ("double_", True)):
        learn(with_stand_in(build(student, case, double_q=double_q)), one, seen, name)


def scaled(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """Observations of any size and either sign."""
    case = scaled_case(seed)
    for name, double_q in (("plain_", False), ("double_", True)):
        learn(with_stand_in(build(student, case, double_q=double_q)), case, seen, name)


def with_stand_in(critic: Any) -> Any:
    """Returns the critic; it values next states by a number for each, where it has the method."""
    if hasattr(critic, "double_q_values"):
        critic.double_q_values = lambda next_ob_no: (
            torch.as_tensor(next_ob_no) @ torch.tensor(WORTH)
        )
    return critic


TRIALS = {
    trial.__name__: trial
    for trial in (once, twice, large, far, clipped, ends, double, single, scaled)
}


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
