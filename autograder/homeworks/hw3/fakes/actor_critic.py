"""What the parts of actor-critic are built with: settings, a critic of a table, stand-ins."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from autograder.homeworks.hw3.fakes import transitions
from autograder.homeworks.hw3.fakes.transitions import (
    ACTIONS,
    BATCH,
    STATES,
    ValueCase,
    stand_in,
)
from autograder.running.probing import Student, plain_array

LEARNING_RATE = 0.3  # of optimizers that are replaced by watched ones
CRITIC_UPDATES, ACTOR_UPDATES, TRAIN_STEPS = 3, 2, 5
ONE_ROW = 1  # the turn, from 0, whose batch is that small
KINDS = {  # what `train` is to call: the method's name, and what it takes in which order
    "critic": ("update", transitions.UPDATE_ORDER),
    "advantage": ("estimate_advantage", transitions.ADVANTAGE_ORDER),
    "actor": ("update", transitions.ACTOR_ORDER),
}


def hparams(
    gamma: float, target_updates: int = 1, grad_steps: int = 1, **changes: Any
) -> dict[str, Any]:
    """Returns the settings that a critic and its agent read."""
    return {
        "ob_dim": STATES,
        "ac_dim": ACTIONS,
        "discrete": True,
        "n_layers": 1,
        "size": 3,
        "learning_rate": LEARNING_RATE,
        "gamma": gamma,
        "num_target_updates": target_updates,
        "num_grad_steps_per_target_update": grad_steps,
        "standardize_advantages": True,
        "num_critic_updates_per_agent_update": 1,
        "num_actor_updates_per_agent_update": 1,
        **changes,
    }


def table_network(case: ValueCase) -> nn.Linear:
    """Returns a network whose output is V(s)."""
    network = nn.Linear(STATES, 1, bias=False)
    with torch.no_grad():
        network.weight.copy_(torch.as_tensor(case.table / case.scale)[None])
    return network


def build_critic(student: Student, case: ValueCase) -> Any:
    """Builds the student's critic with the case's table for a network."""
    module = student.module("critics.bootstrapped_continuous_critic")
    settings = hparams(case.gamma, case.target_updates, case.grad_steps)
    critic = module.BootstrappedContinuousCritic(settings)
    network, children = table_network(case), getattr(critic, "_modules", {})
    networks = [name for name, child in children.items() if child and list(child.parameters())]
    for name in {"critic_network", *networks}:  # whatever a student calls it
        setattr(critic, name, network)
    return critic


def build_agent(student: Student, case: ValueCase) -> Any:
    """Builds the student's agent with its own actor and critic; every count is another number."""
    settings = hparams(
        case.gamma,
        target_updates=7,
        grad_steps=11,
        discrete=False,
        standardize_advantages=case.standardize,
        num_critic_updates_per_agent_update=CRITIC_UPDATES,
        num_actor_updates_per_agent_update=ACTOR_UPDATES,
        num_agent_train_steps_per_iter=TRAIN_STEPS,
    )
    return student.module("agents.ac_agent").ACAgent(object(), settings)


class Call(NamedTuple):
    """One call of a method that `train` is to call."""

    kind: str  # of `KINDS`
    given: Mapping[str, np.ndarray]  # by role
    wanted: Mapping[str, np.ndarray]
    gradients: bool  # whether any could be computed
    turn: int  # in which call of `train`
    before: int  # so many updates of the critic in that turn


class Tape:
    """The student's agent, in which those methods do nothing but note their calls."""

    def __init__(self, student: Student, case: ValueCase) -> None:
        """Trains on a case; then on one row of it; then on its rows begun elsewhere."""
        action = np.random.default_rng(case.action).normal(0, 9, (BATCH, ACTIONS))
        self.case = replace(case, action=action.astype(np.float32))  # several components
        self.calls: list[Call] = []
        self.turn = 0
        self.losses = {"critic": -1.0, "actor": 1.0}  # how large they are
        self.agent = build_agent(student, case)
        self.agent.critic = self.critic = build_critic(student, case)
        owners = {"critic": self.critic, "advantage": self.agent, "actor": self.agent.actor}
        for kind, (name, order) in KINDS.items():
            play = functools.partial(self.play, kind)
            setattr(owners[kind], name, stand_in(getattr(owners[kind], name), order, play))

    def arrays(self) -> dict[str, np.ndarray]:
        """Returns fresh arrays of this turn's batch."""
        rows = np.roll(np.arange(BATCH), self.turn)[: 1 if self.turn == ONE_ROW else BATCH]
        return transitions.chosen(self.case, rows).arrays()

    def count(self, kind: str, turn: int | None = None) -> int:
        """Returns how many calls of a kind there were, in one turn or in all."""
        return sum(call.kind == kind and turn in (call.turn, None) for call in self.calls)

    def advantages(self) -> np.ndarray:
        """Returns what is estimated after so many updates of the critic, for this turn's batch."""
        drawn = np.random.default_rng(self.case.state).normal(0, 9, len(self.arrays()["reward"]))
        return (drawn * (1 + self.count("critic"))).astype(np.float32)

    def play(self, kind: str, given: Mapping[str, Any]) -> Any:
        """Notes a call; each of the critic's updates makes its values a little larger."""
        arrays = {role: plain_array(value) for role, value in given.items()}
        wanted = self.arrays() | {"advantage": self.advantages()}
        gradients, before = torch.is_grad_enabled(), self.count("critic", self.turn)
        self.calls.append(Call(kind, arrays, wanted, gradients, self.turn, before))
        if kind == "advantage":
            return self.advantages()
        if kind == "critic":
            with torch.no_grad():
                self.critic.critic_network.weight.mul_(1.25)
        return self.losses[kind] * self.count(kind, self.turn)
