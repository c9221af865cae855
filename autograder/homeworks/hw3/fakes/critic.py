"""The world in which DQN's critic is probed: Q-networks that are tables, and a few transitions.

States are one-hot vectors and the network is linear without bias, so Q(s, a) is one entry of a
table. After a step of plain gradient descent, the change of each entry tells what the student's
target for that transition was, whatever the code looks like.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from unittest import mock

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from autograder.homeworks.hw3.fakes import settings, transitions
from autograder.homeworks.hw3.fakes.table_network import TableNetwork
from autograder.homeworks.hw3.fakes.transitions import UPDATE_ORDER, call
from autograder.running.probing import Student

STATES, ACTIONS, BATCH = 23, 5, 11  # different primes: no two sizes can be taken for each other
ENDS = 4  # transitions that ended an episode: fewer leave too little to tell masks apart by
LOW = 12.0  # below whatever values are clipped to
LARGE = 100.0  # times the usual rewards: far beyond where Huber's loss is a parabola
NO_CLIPPING = 1e9


@dataclass(frozen=True, kw_only=True)
class CriticCase(transitions.Transitions):
    """Two tables, a batch, and how a critic is to learn from it.

    In every row five actions play five parts: the one that was taken, and the best one for the
    online and for the target table, in the next and in the present state.
    """

    states: ClassVar[int] = STATES  # none stands in two places
    online: np.ndarray  # (ACTIONS, STATES)
    target: np.ndarray
    double_q: bool = False
    asked: int = BATCH  # of how many rows double Q-learning is asked alone
    clip: float = NO_CLIPPING
    squared: bool = False  # whether the loss is the squared error instead of Huber's
    earlier: CriticCase | None = None  # what the same critic has learned from before


@functools.cache
def critic_case(seed: int, reward_scale: float = 1.0) -> CriticCase:
    """Draws a case. All values stay well inside (-1, 1), where Huber's loss is a parabola."""
    rng = np.random.default_rng([285, 3, seed])
    online, target = rng.uniform(-0.15, 0.15, (2, ACTIONS, STATES)).astype(np.float32)
    states = rng.permutation(STATES)
    state, next_state = states[:BATCH], states[BATCH : 2 * BATCH]
    ends = rng.permutation(np.arange(1, BATCH - 1))[:ENDS]
    parts = np.array([rng.permutation(ACTIONS) for _ in range(BATCH)])
    while _hides_indices(parts, ends):
        parts[ends] = [rng.permutation(ACTIONS) for _ in ends]
    online[parts[:, 1], next_state] += 0.35
    target[parts[:, 2], next_state] += 0.35
    online[parts[:, 3], state] += 0.35
    target[parts[:, 4], state] += 0.35
    for table in (online, target):
        _spare_the_taken(table, next_state, parts[:, 0], parts[:, 3])
        _spare_the_taken(table, state, parts[:, 0], parts[:, 1])
    terminal = np.zeros(BATCH, np.float32)
    terminal[ends] = 1.0
    size = rng.uniform(0.1, 0.3, BATCH) * reward_scale
    reward = (size * rng.permuted(np.resize([1, -1], BATCH))).astype(np.float32)
    return CriticCase(
        online=online,
        target=target,
        state=state,
        next_state=next_state,
        action=parts[:, 0].astype(np.int64),
        reward=reward,
        terminal=terminal,
        gamma=float(rng.uniform(0.6, 0.85)),
    )


def _hides_indices(parts: np.ndarray, ends: np.ndarray) -> bool:
    """Returns whether indices of best actions are 0 where that is as good as no value."""
    below = 1 + np.setdiff1d(np.arange(BATCH - 1), ends)  # whose row above has a future
    return bool((parts[ends, 1:3] == 0).any() or (parts[below, 3:] == 0).all(0).any())


def _spare_the_taken(
    table: np.ndarray, states: np.ndarray, taken: np.ndarray, spare: np.ndarray
) -> None:
    """Where the action taken is the worst of its row, exchanges its value with another's."""
    worst = table[:, states].argmin(0) == taken
    at, other, where = taken[worst], spare[worst], states[worst]
    table[at, where], table[other, where] = table[other, where], table[at, where]


def low(case: CriticCase) -> CriticCase:
    """Returns a case in which all that follows is worth far less than 0."""
    return replace(case, target=case.target - LOW)


def moves(case: CriticCase) -> dict[str, CriticCase]:
    """Returns the case with one input moved, by its name; among them the two networks."""
    found = transitions.moves(case)
    there = int(case.next_state[np.flatnonzero(case.terminal == 0)[0]])
    target, online = case.target.copy(), case.online.copy()
    target[:, there] += 1.0
    online[(int(online[:, there].argmax()) + 1) % ACTIONS, there] += 1.0
    both = case.target[:, there], case.online[:, there]
    (spare,) = np.setdiff1d(np.arange(ACTIONS), [int(v.argmax()) for v in both])[:1]
    other = case.target.copy()
    other[spare, there] += (both[0].max() - both[0][spare]) / 2
    found["q_net_target"] = replace(case, target=target)
    found["q_net_target of another action than the best"] = replace(case, target=other)
    found["q_net"] = replace(case, online=online)
    found["gamma"] = found.pop("gamma")  # reported last
    return found


def no_values() -> TableNetwork:
    """Returns a Q-network whose values are 0."""
    return TableNetwork(np.zeros((ACTIONS, STATES), np.float32))


def construct(
    student: Student,
    ob_dim: int = STATES,
    network: Callable[[], nn.Module] = no_values,
    **own: Any,
) -> Any:
    """Constructs the student's critic, with plain gradient descent for the weights it trains."""
    module, own_networks = student.module("critics.dqn_critic"), settings.q_networks(network)
    critic = module.DQNCritic((ob_dim,), ACTIONS, settings.of_dqn(student, **own), own_networks)
    groups = critic.optimizer.param_groups
    critic.optimizer = torch.optim.SGD(
        [{k: group[k] for k in ("params", "lr")} for group in groups]
    )
    return critic


def build(student: Student, case: CriticCase) -> Any:
    """Builds the student's critic with the case's tables and settings."""
    critic = construct(
        student, discount=case.gamma, double_q=case.double_q, grad_value_clipping=case.clip
    )
    critic.loss = nn.MSELoss() if case.squared else critic.loss
    return set_tables(critic, case)


def set_tables(critic: Any, case: CriticCase) -> Any:
    """Writes the case's tables into the critic's networks, and returns it."""
    with torch.no_grad():
        next(iter(critic.q_net.parameters())).copy_(torch.tensor(case.online / case.scale))
        next(iter(critic.q_net_target.parameters())).copy_(torch.tensor(case.target / case.scale))
    return critic


def table_of(network: nn.Module) -> np.ndarray:
    """Returns a copy of a network's table."""
    table: np.ndarray = next(iter(network.parameters())).detach().numpy().copy()
    return table


def learn(critic: Any, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """Lets a critic learn from a batch; returns how its table changed. Shape (ACTIONS, STATES)."""
    before = table_of(critic.q_net)
    with squared_errors() if isinstance(critic.loss, nn.MSELoss) else nullcontext():
        call(critic.update, UPDATE_ORDER, arrays)
    change: np.ndarray = table_of(critic.q_net) - before
    return change


@contextmanager
def squared_errors() -> Iterator[None]:
    """Makes Huber's loss the squared error, for an update that calls the function itself."""

    def loss(predicted: Any, target: Any, reduction: str = "mean", **_: Any) -> torch.Tensor:
        return functional.mse_loss(predicted, target, reduction=reduction)

    with (
        mock.patch.object(functional, "smooth_l1_loss", loss),
        mock.patch.object(functional, "huber_loss", loss),
    ):
        yield


def pulls(
    student: Student, case: CriticCase, built: Callable[[Student, CriticCase], Any] = build
) -> np.ndarray:
    """Returns how far one update moves each prediction towards its target, by squared errors."""
    critic = built(student, replace(case, squared=True))
    change: np.ndarray = learn(critic, case.arrays())[case.action, case.state]
    return change


def targets(
    student: Student, case: CriticCase, built: Callable[[Student, CriticCase], Any] = build
) -> np.ndarray:
    """Returns the targets of an update, which its step by the mean squared error tells.

    Shape (n,).
    """
    scale = np.broadcast_to(case.scale, STATES)[case.state]  # a weight times it is a value
    before = case.online[case.action, case.state]
    return np.asarray(before + pulls(student, case, built) / scale * len(scale) / 2)


def prepared(student: Student, case: CriticCase) -> Any:
    """Returns a critic whose double Q-learning, another blank's, is right.

    An update that has it within finds the right value of each next state, the same for all actions
    and both networks. What it raises by that, the other blank's check reports.
    """
    worth = case.target[case.online.argmax(0), np.arange(STATES)] / case.scale

    def valued(_: nn.Module, shown: tuple[torch.Tensor], values: torch.Tensor) -> torch.Tensor:
        rows = shown[0].float()
        is_next = rows[:, case.next_state].any(1)[:, None]
        return torch.where(is_next, (rows @ torch.tensor(worth))[:, None], values)

    def double_q_values(next_ob_no: Any) -> torch.Tensor:
        return torch.as_tensor(next_ob_no).float() @ torch.tensor(worth).float()

    critic, held = build(student, case), case.double_q and holds_double_q(student)
    if held:
        critic.double_q = held == "works"
        for network in (critic.q_net, critic.q_net_target):
            network.register_forward_hook(valued)
    elif hasattr(critic, "double_q_values"):
        critic.double_q_values = double_q_values
    return critic


def holds_double_q(student: Student) -> str:
    """Returns how an `update` that does double Q-learning itself fares: "works" or "raises".

    Older handouts have no method for it. Empty if ours is there, and is filled or called.
    """
    case = replace(critic_case(0), double_q=True)
    critic = build(student, case)
    missing = not hasattr(critic, "double_q_values")
    next_ob_no = torch.tensor(case.one_hot(case.next_state))
    own = missing or _tried(critic.double_q_values, next_ob_no)
    if not (missing or getattr(own, "blank", None) == "hw3.dqn.double_q"):
        return ""
    plain, double = (_tried(pulls, student, replace(case, double_q=on)) for on in (False, True))
    raised = [isinstance(one, BaseException) for one in (plain, double)]
    if raised == [False, True]:
        return "" if hasattr(double, "blank") else "raises"
    differ = not (any(raised) or np.array_equal(plain, double))
    return "works" if missing or differ else ""


def _tried(act: Callable[..., Any], *arguments: Any) -> Any:
    """Returns what something returns or raises."""
    try:
        return act(*arguments)
    except BaseException as error:  # noqa: BLE001
        return error
