"""Updates DQN's critic: how the step down the gradient moves a table tells the targets."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from torch import nn

from autograder.hw3 import critic_world as world
from autograder.hw3.critic_world import CriticCase, build, prepared, pulls, table_of
from autograder.hw3.value_case import UPDATE_ORDER, call, one_row
from autograder.probing import Student, kept_graphs

CLIP_AT, AGAIN = 0.01, "again_"
Updates = Sequence[tuple[str, CriticCase, bool]]  # how names begin, and whether double Q is on


def probe(student: Student, seed: int) -> None:
    """Updates critics in many ways.

    Rewards lie beyond any clipping, where Huber's loss is straight or a slope tells how far targets
    are; batches have no ends, ends alone, or one row, where an axis too many or too few would show.
    """
    usual, scaled = world.critic_case(seed), world.scaled_case(seed)
    one, ends = one_row(usual), np.ones_like(usual.terminal)
    none, every = replace(usual, terminal=0 * ends), replace(usual, terminal=ends)
    squared = nn.MSELoss()
    trials: dict[str, tuple[Any, Updates]] = {
        "once": (None, [("", usual, False)]),
        "large": (None, [("", world.large_case(seed), False)]),
        "ends": (None, [("none_", none, False), ("all_", every, False)]),
        "single": (None, [("plain_", one, False), ("double_", one, True)]),
        "scaled": (None, [("plain_", scaled, False), ("double_", scaled, True)]),
        "far": (squared, [("", world.low_case(seed), False)]),
        "double": (squared, [("", usual, True)]),
        "twice": (None, [("", usual, False), (AGAIN, world.second_case(seed), False)]),
    }
    for name, (loss, updates) in trials.items():
        student.try_out(name, functools.partial(learn_all, student, loss, updates))
    student.try_out("clipped", functools.partial(clipped, student, world.large_case(seed)))
    world.note_moves(
        student, "updates", lambda case: pulls(prepared(student, case, False), case), seed
    )
    what = "updates with double_q"
    world.note_moves(student, what, lambda case: pulls(prepared(student, case, True), case), seed)


def learn_all(student: Student, loss: Any, updates: Updates, seen: dict[str, Any]) -> None:
    """Lets a fresh critic learn from each case; `AGAIN`: the same as before."""
    critic: Any = None
    for prefix, case, double_q in updates:
        critic = (
            world.set_tables(critic, case) if prefix == AGAIN else prepared(student, case, double_q)
        )
        critic.loss = loss or critic.loss
        learn(critic, case, seen, prefix)


def clipped(student: Student, case: CriticCase, seen: dict[str, Any]) -> None:
    """Gradients that are to be clipped."""
    critic = build(student, case, clip=CLIP_AT)
    before = table_of(critic.q_net)
    call(critic.update, UPDATE_ORDER, case.arrays())
    seen["within_the_clip"] = np.abs(table_of(critic.q_net) - before).max() <= 1.01 * CLIP_AT


def learn(critic: Any, case: CriticCase, seen: dict[str, Any], prefix: str) -> None:
    """Calls `update` and notes what moved, and where to; no scale of the loss plays a part."""
    before, target_before = table_of(critic.q_net), table_of(critic.q_net_target)
    critic.q_net_target.zero_grad()
    given, kept = case.arrays(), case.arrays()
    call(critic.update, UPDATE_ORDER, given)
    change = table_of(critic.q_net) - before
    size = float(np.linalg.norm(change))
    change = change / size if size > 0 else change
    at = (case.action, case.state)
    seen[f"{prefix}step"] = change[at].copy()
    change[at] = 0.0
    elsewhere = change[:, case.next_state].sum(0)
    seen[f"{prefix}step_elsewhere"] = np.append(elsewhere, abs(change).sum())
    seen["others_moved"] = bool(change.any())
    seen["target_moves"] = bool((table_of(critic.q_net_target) != target_before).any())
    grads = [p.grad for p in critic.q_net_target.parameters() if p.grad is not None]
    seen["gradient_of_target"] = any(bool(g.abs().sum() > 0) for g in grads)
    seen["keeps_graphs"] = kept_graphs(critic) > 0
    seen["inputs_changed"] = any(not np.array_equal(kept[role], given[role]) for role in given)
