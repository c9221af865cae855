"""Asks for the double-Q values of next states: of the method, or of an update that holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw3.fakes import critic as fake
from autograder.homeworks.hw3.fakes import next_values
from autograder.homeworks.hw3.fakes.critic import STATES, CriticCase, build, targets
from autograder.homeworks.hw3.fakes.transitions import moved_inputs, scaled
from autograder.running.experiments import Moves
from autograder.running.made_of import Parts
from autograder.running.probing import Student, plain_array


def cases(seed: int) -> Mapping[str, CriticCase]:
    """Returns batches: of another table, of other observations, and of one row."""
    usual = replace(fake.critic_case(seed), double_q=True)
    return {
        "usual": usual,
        "lifted": replace(usual, target=usual.target + 1.0),  # far larger; best ones as before
        "scaled": scaled(usual, seed),
        "negative": replace(usual, online=usual.online - 1.0),
        "one row": replace(usual, asked=1),
        "after both networks changed": replace(usual, earlier=opposite(usual)),
    }


def opposite(case: CriticCase) -> CriticCase:
    """Returns a case whose networks have other favourites in every state."""
    return replace(case, online=-case.online, target=-case.target)


def moves(seed: int) -> Iterator[Moves]:
    """Moves each input of the values."""
    usual = cases(seed)["usual"]
    yield from moved_inputs("double-Q values", usual, fake.low(usual), fake.moves)


def parts(seed: int) -> Iterator[Parts]:
    """Yields what the values may be made of."""

    def rows(student: Student, case: CriticCase) -> np.ndarray:
        return double_q_values(student, build(student, case), case)

    yield Parts("double-Q values", next_values.cases(seed, True), rows, next_values.pieces)


def observe(student: Student, case: CriticCase) -> dict[str, Any]:
    """Returns the values of a batch, and whether a network is asked about anything else."""
    critic = build(student, case.earlier or case)
    if case.earlier:  # what is kept of a call, comes back in the next one
        double_q_values(student, critic, case.earlier)
        fake.set_tables(critic, case)
    known = np.concatenate([case.one_hot(case.state), case.one_hot(case.next_state)])
    shown = [known[:1]]

    def note(_: Any, given: tuple[torch.Tensor]) -> None:
        shown.append(np.reshape(given[0].detach().numpy(), (-1, STATES)))

    for network in (critic.q_net, critic.q_net_target):
        network.register_forward_pre_hook(note)
    values = double_q_values(student, critic, case)
    is_known = (np.concatenate(shown)[:, None] == known).all(-1).any(-1)
    return {
        "values": values.ravel() if case.asked == 1 else values,  # as targets take both
        "other_state": not is_known.all(),
    }


def double_q_values(student: Student, critic: Any, case: CriticCase) -> np.ndarray:
    """Returns the double-Q values of a case's next states.

    An update that holds them is asked about all rows: whether it goes with few, another
    check sees.
    """
    if not hasattr(critic, "double_q_values") or fake.holds_double_q(student):
        return within_update(student, case)[: case.asked]
    lent = student.lend({"next_ob_no": case.one_hot(case.next_state[: case.asked])})
    return plain_array(critic.double_q_values(torch.from_numpy(lent["next_ob_no"])))


def within_update(student: Student, case: CriticCase) -> np.ndarray:
    """Returns the next values that an update uses, shape (n,).

    Without rewards, ends and discount they are its targets; and a step down the gradient of the
    mean squared error tells those.
    """
    zeros = np.zeros(len(case.state), np.float32)
    case = replace(case, reward=zeros, terminal=zeros, gamma=1.0)
    return targets(student, case)
