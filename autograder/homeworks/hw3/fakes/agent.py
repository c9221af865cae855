"""What parts of `DQNAgent.train` are probed in: a critic that notes what reaches it, and a memory.

Before each call all weights of the online network are set to the number of the call and a fraction
that is drawn, so a look at the target network shows when it was copied, from what, and which way
round; and no record of one seed passes with another.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from autograder.homeworks.hw3.fakes import stepping_agent
from autograder.homeworks.hw3.fakes.stepping import SteppingFake
from autograder.homeworks.hw3.fakes.transitions import TRAIN_ORDER, UPDATE_ORDER, stand_in
from autograder.running.probing import Student, number_in, plain_array

UPDATE, SYNC = "hw3.dqn.update", "hw3.dqn.sync"
STARTS, LEARNING_FREQ, TARGET_FREQ = 4, 3, 6  # an env step's count fits no update's count
CALLS = STARTS + LEARNING_FREQ * (3 * TARGET_FREQ + 2)
FEATURES, NUM_ACTIONS = 3, 5
TARGET_AT_FIRST = -1.0
LOSS = "Training Loss"  # under which the log has it
OTHER = ""  # the role of what is none of the arrays


def batch(seed: int) -> dict[str, np.ndarray]:
    """Returns the arguments of `train`: other numbers backwards, rounded, clipped or unsigned."""
    rng = np.random.default_rng([285, 32, seed, 0])
    obs, next_obs = rng.normal(0, 9, (2, 7, FEATURES)).astype(np.float32)
    return {
        "obs": obs,
        "action": np.array([0, 4, 1, 3, 2, 2, 0]),
        "reward": rng.normal(0, 9, 7).astype(np.float32),
        "next_obs": next_obs,
        "terminal": np.array([0, 1, 0, 0, 1, 1, 0], np.float32),
    }


def weight(seed: int, call: int) -> float:
    """Returns what the weights of the online network are in a call: exact in 32 bits."""
    return call + 1.0 + float(np.random.default_rng([285, 37, seed]).integers(1, 1024)) / 1024


def versions(network: nn.Module) -> int:
    """Returns how often a network's weights were written, be it with what they were."""
    return sum(parameter._version for parameter in network.parameters())


def fill(network: nn.Module, value: float) -> nn.Module:
    """Sets every weight of a network; returns it."""
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.fill_(value)
    return network


class Critic:
    """DQN's critic with nothing but notes behind it."""

    def __init__(self, student: Student, arrays: Mapping[str, np.ndarray]) -> None:
        """Expects `arrays` under the names, and in the order, that the student's own critic has."""
        layers = [nn.Linear(FEATURES, 2), nn.Linear(2, NUM_ACTIONS)]
        self.q_net = fill(nn.Sequential(*layers), 0.0)
        self.q_net_target = fill(copy.deepcopy(self.q_net), TARGET_AT_FIRST)
        self.at_first = versions(self.q_net_target)
        # What a real one has besides: nobody who uses it gets another answer than in training.
        self.ob_dim, self.ac_dim, self.double_q = (FEATURES,), NUM_ACTIONS, False
        self.gamma, self.grad_norm_clipping, self.loss = 0.97, 10.0, nn.SmoothL1Loss()
        self.weights = list(self.q_net.parameters())
        self.optimizer = torch.optim.Adam(self.weights)
        self.learning_rate_scheduler = SimpleNamespace(step=lambda: None)  # some agents move it on
        self.settings = self.step_sizes = stepping_agent.Fake()
        self.arrays = arrays
        # Of each update which role each argument should have had, and which it had.
        self.updates: list[list[tuple[str, str]]] = []
        self.sums: list[float] = []  # of what it should have had: other ones for each seed
        self.looked = self.called = 0  # at the method that copies, and it
        self.without_gradients = False
        own: Any = student.module("critics.dqn_critic").DQNCritic
        self.update = stand_in(own.update, UPDATE_ORDER, self.note)

    def qa_values(self, obs: Any) -> np.ndarray:
        """Returns Q(s, a) for every action. Shape (n, ac_dim)."""
        with torch.no_grad():
            values: np.ndarray = self.q_net(torch.as_tensor(obs, dtype=torch.float32)).numpy()
        return values

    def set_step_size(self, t: int) -> None:
        """Has none: nothing is learned."""

    def note(self, given: Mapping[str, Any]) -> dict[str, float]:
        """Notes the roles of what an update is given."""
        self.sums = [float(self.arrays[wanted].sum()) for wanted in sorted(given)]
        self.updates.append([(wanted, self.role_of(value)) for wanted, value in given.items()])
        self.without_gradients |= not torch.is_grad_enabled()
        return {LOSS: 0.5}

    def role_of(self, value: Any) -> str:
        """Returns the role of an argument of `train`, if a value is one of those."""
        array = plain_array(value)
        return next((r for r, own in self.arrays.items() if np.array_equal(array, own)), OTHER)

    @property
    def update_target_network(self) -> Callable[[], None]:
        """Offers the copy, and notes whether somebody looked at it and whether they called it."""
        self.looked += 1

        def follow() -> None:
            self.called += 1
            self.q_net_target.load_state_dict(self.q_net.state_dict())

        return follow


class Call(NamedTuple):
    """What the agent did in one of the calls in which it learns."""

    updates: int  # of the critic
    counted: int  # by so many the agent's count of updates has grown
    online: float  # all weights before it
    moved: bool  # whether they are others after it
    target: tuple[float, float]  # the smallest and the largest weight after it
    alias: bool  # whether both networks have weights in one place: then both move as one
    log_lost: bool  # whether what is returned lacks the loss that the critic named, or its number


def range_of(network: Any) -> tuple[float, float]:
    """Returns the smallest and the largest weight of a network."""
    weights = torch.cat([p.detach().reshape(-1) for p in network.parameters()])
    return float(weights.min()), float(weights.max())


def build(student: Student, critic: Critic) -> Any:
    """Builds the student's agent among fakes; the buffer has other transitions than `train`'s."""
    fake, settings = SteppingFake(), {"learning_starts": STARTS, "learning_freq": LEARNING_FREQ}
    agent = stepping_agent.build(student, fake, 0.0, target_update_freq=TARGET_FREQ, **settings)
    agent.critic = agent.actor.critic = critic
    fake.buffer.num_in_buffer, agent.num_param_updates = fake.buffer.size, 0
    return agent


def learn(student: Student, seed: int, blank: str) -> tuple[Critic, list[Call]]:
    """Asks for one part of `train` whenever the agent learns, step after step until a crash.

    Args:
        student: The student.
        seed: Of the batch.
        blank: `UPDATE` or `SYNC`.

    Returns:
        The critic, and what happened in each call.
    """
    critic, calls = Critic(student, batch(seed)), list[Call]()
    agent = build(student, critic)
    for t in range(CALLS):
        agent.t = t  # whatever the student does to the clock, the trainer sets it
        if student.crashed is not None or not agent.updates_due():
            continue
        before, count, log = len(critic.updates), agent.num_param_updates, None
        fill(critic.q_net, online := weight(seed, t))
        with student.up_to_a_crash():
            if blank == UPDATE:
                log = agent.update_critic(*(batch(seed)[role] for role in TRAIN_ORDER))
            else:
                agent.sync_target()
        counted, new = agent.num_param_updates - count, len(critic.updates) - before
        nets = critic.q_net, critic.q_net_target
        after, target = map(range_of, nets)
        own, others = ({p.data_ptr() for p in network.parameters()} for network in nets)
        loss = log.get(LOSS) if isinstance(log, Mapping) else None
        alias, lost = not own.isdisjoint(others), new > 0 and np.isnan(number_in(loss))
        moved = after != (online, online)
        calls.append(Call(new, counted, online, moved, target, alias, bool(lost)))
        agent.num_param_updates += 1
    return critic, calls
