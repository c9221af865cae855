"""Updates DQN's critic: how the step down the gradient moves a table tells the targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from autograder.homeworks.hw3.fakes import critic as fake
from autograder.homeworks.hw3.fakes import next_values
from autograder.homeworks.hw3.fakes.critic import CriticCase, prepared, pulls, table_of, targets
from autograder.homeworks.hw3.fakes.transitions import chosen, moved_inputs, scaled
from autograder.running.experiments import Moves
from autograder.running.made_of import Parts
from autograder.running.probing import Student, kept_graphs

CLIP_AT, FEW = 0.01, 4.0


def cases(seed: int) -> Mapping[str, CriticCase]:
    """Returns many ways to update a critic.

    Rewards lie beyond any clipping, where Huber's loss is straight or a slope tells how far targets
    are; batches have no ends, ends alone, or one row, where an axis too many or too few would show.
    """
    usual, large = fake.critic_case(seed), fake.critic_case(seed, reward_scale=fake.LARGE)
    second = replace(fake.critic_case(seed + 1), gamma=usual.gamma)
    one, other, ends = chosen(usual, slice(1)), scaled(usual, seed), np.ones_like(usual.terminal)
    return {
        "once": usual,
        "no_end": replace(usual, terminal=0 * ends),
        "all_end": replace(usual, terminal=ends),
        "single": one,
        "scaled": other,
        "scaled, double": replace(other, double_q=True),
        "far": replace(fake.low(large), squared=True),
        "twice": replace(second, earlier=usual),
        "clipped": replace(large, clip=CLIP_AT),
    }


def moves(seed: int) -> Iterator[Moves]:
    """Moves each input of an update, with double Q-learning and without."""
    usual, rows = fake.critic_case(seed), partial(pulls, built=prepared)
    for results, double_q in (("updates", False), ("updates with double_q", True)):
        case = replace(usual, double_q=double_q)
        yield from moved_inputs(results, case, fake.low(case), fake.moves, rows)


def parts(seed: int) -> Iterator[Parts]:
    """Yields what targets may be made of, with double Q-learning and without."""
    rows = partial(targets, built=prepared)
    for results, double_q in (("targets", False), ("targets with double_q", True)):
        yield Parts(results, next_values.cases(seed, double_q), rows, next_values.pieces)


def observe(student: Student, case: CriticCase) -> dict[str, Any]:
    """Returns what moved, and where to; no scale of the loss plays a part."""
    critic = prepared(student, case.earlier or case)
    if case.earlier:
        fake.learn(critic, case.earlier.arrays())
        fake.set_tables(critic, case)
    target_before = table_of(critic.q_net_target)
    critic.q_net_target.zero_grad()
    change = fake.learn(critic, student.lend(case.arrays()))
    if case.clip == CLIP_AT:
        return {"step_beyond_the_clip": beyond(np.abs(change).max() / CLIP_AT)}
    size, at = float(np.linalg.norm(change)), (case.action, case.state)
    change = change / size if size > 0 else change
    step = change[at].copy()
    change[at] = 0.0
    grads = [p.grad for p in critic.q_net_target.parameters() if p.grad is not None]
    return {
        "step": step,
        "others_moved": np.nan_to_num(change).any(),  # what is no number is no move
        "target_moves": (table_of(critic.q_net_target) != target_before).any(),
        "gradient_of_target": any(bool(g.abs().sum() > 0) for g in grads),
        "keeps_graphs": kept_graphs(critic) > 0,
    }


def beyond(times: float) -> int:
    """Returns how far a step goes beyond the clip: 0 not at all, 1 a few times as far, 2 farther.

    Without any clipping it would go nine times as far.
    """
    return int(not times <= 1.01) + int(not times <= FEW)
