"""What the parts of actor-critic are built with: settings, a critic of a table, stand-ins."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from autograder.homeworks.hw3.fakes import settings, transitions
from autograder.homeworks.hw3.fakes.transitions import (
    ACTIONS,
    BATCH,
    STATES,
    ValueCase,
    call,
    stand_in,
)
from autograder.running.guard import aside
from autograder.running.probing import Student, plain_array
from autograder.running.scripted import Unplayed

LEARNING_RATE = 0.3  # of optimizers that are replaced by watched ones
CRITIC_UPDATES, ACTOR_UPDATES, TRAIN_STEPS = 3, 2, 5
ONE_ROW = 1  # the turn, from 0, whose batch is that small
KINDS = {  # what `train` is to call: the method's name, and what it takes in which order
    "critic": ("update", transitions.UPDATE_ORDER),
    "advantage": ("estimate_advantage", transitions.ADVANTAGE_ORDER),
    "actor": ("update", transitions.ACTOR_ORDER),
}


def table_network(case: ValueCase) -> nn.Linear:
    """Returns a network whose output is V(s)."""
    network = nn.Linear(STATES, 1, bias=False)
    with torch.no_grad():
        network.weight.copy_(torch.as_tensor(case.table / case.scale)[None])
    return network


class TableCritic(nn.Module):
    """V(s) as a table, for arrays and for tensors: a critic of ours."""

    def __init__(self, case: ValueCase) -> None:
        """Copies the case's table."""
        super().__init__()
        self.critic_network = table_network(case)

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Returns values. Shape (n,)."""
        values: torch.Tensor = self.critic_network(obs).squeeze(1)
        return values

    @torch.no_grad()
    def forward_np(self, obs: Any) -> np.ndarray:
        """Returns values for an array. Shape (n,)."""
        values: np.ndarray = self(torch.as_tensor(obs, dtype=torch.float32)).numpy()
        return values


def build_critic(student: Student, case: ValueCase) -> Any:
    """Builds the student's critic with the case's table for a network."""
    module = student.module("critics.bootstrapped_continuous_critic")
    schedule = {
        "num_target_updates": case.target_updates,
        "num_grad_steps_per_target_update": case.grad_steps,
    }
    own = settings.of_actor_critic(student, case.gamma, learning_rate=LEARNING_RATE, **schedule)
    critic = module.BootstrappedContinuousCritic(STATES, own)
    network = table_network(case)
    children = getattr(critic, "_modules", {})
    networks = [name for name, child in children.items() if child and list(child.parameters())]
    for name in {"critic_network", *networks}:  # whatever a student calls it
        setattr(critic, name, network)
    return critic


def build_agent(student: Student, case: ValueCase) -> Any:
    """Builds the student's agent with its own actor and critic; every count is another number."""
    own = settings.of_actor_critic(
        student,
        case.gamma,
        learning_rate=LEARNING_RATE,
        num_target_updates=7,
        num_grad_steps_per_target_update=11,
        dont_standardize_advantages=not case.standardize,
        num_critic_updates_per_agent_update=CRITIC_UPDATES,
        num_actor_updates_per_agent_update=ACTOR_UPDATES,
        num_agent_train_steps_per_iter=TRAIN_STEPS,
    )
    env = Unplayed(STATES, ACTIONS, discrete=False)
    return student.module("agents.ac_agent").ACAgent(env, own)


class Call(NamedTuple):
    """One call of a method that `train` is to call."""

    kind: str  # of `KINDS`
    given: Mapping[str, np.ndarray]  # by role
    wanted: Mapping[str, np.ndarray]
    tensors: bool  # whether observations came as a tensor
    gradients: bool  # whether any could be computed
    turn: int  # in which call of `train`
    before: int  # so many updates of the critic in that turn


class Tape:
    """The student's agent, in which those methods do nothing but note their calls."""

    def __init__(self, student: Student, case: ValueCase, own_forms: bool = False) -> None:
        """Trains on a case; then on one row of it; then on its rows begun elsewhere.

        `own_forms`: losses come in the form of the student's own updates.
        """
        action = np.random.default_rng(case.action).normal(0, 9, (BATCH, ACTIONS))
        self.case = replace(case, action=action.astype(np.float32))  # several components
        self.calls: list[Call] = []
        self.turn = 0
        self.losses = {"critic": -1.0, "actor": 1.0}  # how large they are
        self.own_forms = own_forms
        self.agent = build_agent(student, case)
        self.agent.critic = self.critic = build_critic(student, case)
        owners = {"critic": self.critic, "advantage": self.agent, "actor": self.agent.actor}
        for kind, (name, order) in KINDS.items():
            own = getattr(owners[kind], name)
            play = functools.partial(self.play, kind, own)
            setattr(owners[kind], name, stand_in(own, order, play))

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

    def play(self, kind: str, own: Any, given: Mapping[str, Any]) -> Any:
        """Notes a call; each of the critic's updates makes its values a little larger."""
        arrays = {role: plain_array(value) for role, value in given.items()}
        wanted = self.arrays() | {"advantage": self.advantages()}
        tensors = isinstance(given.get("obs"), torch.Tensor)
        gradients, before = torch.is_grad_enabled(), self.count("critic", self.turn)
        self.calls.append(Call(kind, arrays, wanted, tensors, gradients, self.turn, before))
        if kind == "advantage":
            return self.advantages()
        if kind == "critic":
            with torch.no_grad():
                self.critic.critic_network.weight.mul_(1.25)
        loss = self.losses[kind] * self.count(kind, self.turn)
        form = call(own, KINDS[kind][1], wanted) if self.own_forms else loss
        if isinstance(form, Mapping):
            return dict.fromkeys(form, loss)
        return torch.tensor(loss) if isinstance(form, torch.Tensor) else loss


def hands_over_tensors(student: Student, kind: str) -> bool:
    """Returns whether the student's own `train` makes tensors of its arrays for a method it calls.

    Whoever converts a batch once, in `train`, need not do it again in each method.
    """
    calls: list[Call] = []
    with aside():
        tape = Tape(student, transitions.value_case(0))
        calls = tape.calls
        call(tape.agent.train, transitions.TRAIN_ORDER, tape.arrays())
    return any(call.tensors for call in calls if call.kind == kind)


def arrays_or_tensors(student: Student, kind: str) -> Iterator[bool]:
    """Yields whether a method is given tensors, which only goes where the own `train` does so."""
    yield False
    if hands_over_tensors(student, kind):
        yield True


def lend(student: Student, case: ValueCase, tensors: bool) -> dict[str, Any]:
    """Returns a batch by role: arrays, or the tensors that students make of them."""
    arrays = case.arrays()
    if not tensors:
        return student.lend(arrays)
    lent = student.lend({role: array.astype(np.float32) for role, array in arrays.items()})
    return {role: torch.from_numpy(array) for role, array in lent.items()}
