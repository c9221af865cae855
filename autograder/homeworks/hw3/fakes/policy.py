"""The small world in which policies are probed: networks that are tables, and known batches.

A state is a vector with one entry, of any size and either sign, and the network is linear without
bias, so the logits or the mean in a state are one column of a table. Discrete and continuous
policies share states and advantages. The student's policy stands over such a table, with an
optimizer and neighbours that tell what happens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import distributions, nn

from autograder.homeworks.hw3.fakes.table_network import TableNetwork
from autograder.running.probing import Student

# Different primes: no two sizes can be taken for each other.
STATES, ACTIONS, COMPONENTS, BATCH, POINTS = 17, 5, 3, 7, 11
DRAWS = 400  # actions that are drawn in each of two states


@dataclass(frozen=True)
class PolicyCase:
    """Tables, and a batch of what was done in them and how well it went."""

    logits: np.ndarray  # (ACTIONS, STATES)
    mean: np.ndarray  # (COMPONENTS, STATES)
    spread: np.ndarray  # (COMPONENTS,) standard deviations
    state: np.ndarray  # (BATCH,) numbers of states, no two the same
    choice: np.ndarray  # (BATCH,) discrete actions
    move: np.ndarray  # (BATCH, COMPONENTS) continuous actions
    advantage: np.ndarray  # (BATCH,)
    scale: np.ndarray  # (STATES,) each state's number where one-hot vectors have 1
    discrete: bool = True  # which kind of actions the policy has
    earlier: PolicyCase | None = None  # what the same policy has learned from before
    policy: str = "policies.MLP_policy:MLPPolicyAC"  # its module and class

    @property
    def table(self) -> np.ndarray:
        """The network's table."""
        return self.logits if self.discrete else self.mean

    @property
    def action(self) -> np.ndarray:
        """The batch's actions."""
        return self.choice if self.discrete else self.move

    @property
    def size(self) -> int:
        """How many numbers an action has."""
        return 1 if self.discrete else len(self.spread)

    @property
    def nowhere(self) -> int:
        """A state that no row is in."""
        return int(np.setdiff1d(np.arange(STATES), self.state)[0])

    def observations(self) -> np.ndarray:
        """Returns what is observed. Shape (BATCH, STATES), float32."""
        rows = np.eye(STATES, dtype=np.float32) * self.scale
        return np.asarray(rows[self.state], np.float32)

    def arrays(self) -> dict[str, np.ndarray]:
        """Returns fresh arrays by role, float32, as rollouts store them."""
        arrays = {"obs": self.observations(), "action": self.action, "advantage": self.advantage}
        return {role: array.astype(np.float32) for role, array in arrays.items()}


def kinds(case: PolicyCase) -> dict[str, PolicyCase]:
    """Returns a case with both kinds of actions."""
    return {"discrete": case, "continuous": replace(case, discrete=False)}


def one_component(case: PolicyCase) -> PolicyCase:
    """Returns a case whose actions have one component."""
    mean, spread, move = case.mean[:1], case.spread[:1], case.move[:, :1]
    return replace(case, mean=mean, spread=spread, move=move)


def update_case(seed: int) -> PolicyCase:
    """Draws a batch for `update`.

    What is observed has any size and either sign. Advantages have a mean well above 0, and some
    lie beyond 1. The Gaussian is so narrow, and the
    actions are so near its middle, that every log-density is positive.
    """
    rng = np.random.default_rng([285, 31, seed])
    spread = np.exp(rng.permutation([-1.5, -1.75, -2.0]) + rng.uniform(-0.1, 0.1, COMPONENTS))
    mean = rng.uniform(-0.6, 0.6, (COMPONENTS, STATES))
    state = rng.permutation(STATES)[:BATCH]
    offset = rng.uniform(0.25, 0.9, (BATCH, COMPONENTS)) * rng.choice([-1, 1], (BATCH, COMPONENTS))
    advantage = rng.permutation([0.4, -0.6, -0.8, -1.3, 1.7, 2.1, 2.5])
    signs = rng.permuted(np.resize([1, -1], STATES))
    return PolicyCase(
        logits=rng.uniform(-1.2, 1.2, (ACTIONS, STATES)).astype(np.float32),
        mean=mean.astype(np.float32),
        spread=spread,
        state=state,
        choice=rng.permutation([0, 1, 2, 3, 4, 1, 3]),
        move=(mean[:, state].T + offset * spread).astype(np.float32),
        advantage=(advantage + rng.uniform(-0.08, 0.08, BATCH)).astype(np.float32),
        scale=(signs * rng.uniform(0.4, 2.6, STATES)).astype(np.float32),
    )


def other_advantage(case: PolicyCase) -> PolicyCase:
    """Returns the same batch with every advantage turned round: their mean is well below 0."""
    good = case.advantage > 0
    size = np.where(good, np.linspace(1.0, 1.5, BATCH), np.linspace(0.5, 0.8, BATCH))
    return replace(case, advantage=(-case.advantage * size).astype(np.float32))


def forward_case(seed: int, wide: bool) -> PolicyCase:
    """Draws tables for `forward`.

    `wide`: all logits, and all log standard deviations, are positive, so that even a mistaken
    formula gives a distribution. Otherwise all means are. What is not positive has both signs.
    """
    rng = np.random.default_rng([285, 32, seed, wide])
    positive, both = (0.25, 1.6), (-1.3, 1.3)
    logstd = rng.permutation([0.3, 0.55, 0.8] if wide else [-0.7, -0.35, 0.4])
    logits = rng.uniform(*(positive if wide else both), (ACTIONS, STATES))
    mean = rng.uniform(*(both if wide else positive), (COMPONENTS, STATES))
    return replace(
        update_case(seed),
        logits=logits.astype(np.float32),
        mean=mean.astype(np.float32),
        spread=np.exp(logstd + rng.uniform(-0.04, 0.04, COMPONENTS)),
    )


def draw_case(seed: int) -> PolicyCase:
    """Draws tables for `get_action`, which is asked often in the batch's first two states.

    There one action is much likelier than the others, another one in the second state. In the
    other states all are nearly as likely, and each time another one is best: what is always the
    best there was chosen so. Means lie beyond 1 with both signs, and spreads differ.
    """
    rng = np.random.default_rng([285, 35, seed])
    case = update_case(seed)
    logits = rng.uniform(-1.0, 1.0, (ACTIONS, STATES))
    mean = rng.uniform(-2.0, 2.0, (COMPONENTS, STATES))
    scale = case.scale.copy()
    scale[case.state[:2]] = rng.permutation([1.7, -1.6])  # neither clipped nor cut at 0
    sign = rng.choice([-1.0, 1.0], COMPONENTS)
    logits[:, case.state[2:]] = rng.uniform(0.0, 0.05, (ACTIONS, BATCH - 2))
    logits[rng.permutation(ACTIONS), case.state[2:]] += 0.1
    # The likeliest actions are two apart: a shifted action is no action of the other state.
    for which, state in enumerate(case.state[:2]):
        chances = np.roll([0.76, 0.03, 0.10, 0.07, 0.04], 2 * which + seed)
        logits[:, state] = np.log(chances) + rng.uniform(-0.05, 0.05, ACTIONS)
        mean[:, state] = sign * rng.uniform(1.3, 2.0, COMPONENTS) * (1 if which == 0 else -1)
    return replace(
        case,
        logits=logits.astype(np.float32),
        mean=mean.astype(np.float32),
        spread=rng.permutation([0.5, 1.1, 1.8]) + rng.uniform(-0.05, 0.05, COMPONENTS),
        scale=scale,
    )


def build(student: Student, case: PolicyCase) -> Any:
    """Builds the student's policy over a case's table, and an optimizer that takes it as it is."""
    module, _, name = case.policy.partition(":")
    sizes = {"ac_dim": len(case.table), "ob_dim": STATES, "n_layers": 2, "size": 13}
    made = getattr(student.module(module), name)
    policy = made(**sizes, discrete=case.discrete, learning_rate=0.01)
    network = TableNetwork(case.table / np.float32(case.scale))
    if case.discrete:
        policy.logits_na = network
    else:
        policy.mean_net = network
        policy.logstd = nn.Parameter(torch.tensor(np.log(case.spread).astype(np.float32)))
    policy.optimizer = torch.optim.SGD(policy.parameters(), lr=1.0)
    return policy


def build_watched(student: Student, case: PolicyCase, own: bool = False) -> Any:
    """Builds a policy that keeps what its network is shown.

    Its `forward` is ours, or the student's own.
    """
    policy = build(student, case)
    policy.shown = []
    network = policy.logits_na if case.discrete else policy.mean_net
    network.register_forward_pre_hook(lambda _, given: policy.shown.append(given[0].detach()))
    if not own:
        policy.forward = stand_in(policy, case)
    return policy


def other_state(policy: Any, rows: np.ndarray) -> bool:
    """Returns whether a policy's network was shown other states than those asked about."""
    if not policy.shown:
        return False
    states = np.concatenate([tensor.numpy().reshape(-1, STATES) for tensor in policy.shown])
    same = (states[:, None] == np.unique(rows, axis=0)).all(-1)
    return not (same.any(0).all() and same.any(1).all())


def lend(student: Student, case: PolicyCase, tensors: int) -> dict[str, Any]:
    """Returns what `update` is given, by role, of which the last `tensors` are tensors."""
    given: dict[str, Any] = dict(student.lend(case.arrays()))
    for role in list(given)[len(given) - tensors :]:
        given[role] = torch.from_numpy(given[role])
    return given


def moving(policy: Any) -> list[nn.Parameter]:
    """Returns what a policy gradient moves: the table and, if continuous, logstd."""
    if policy.discrete:
        return [policy.logits_na.table]
    return [policy.mean_net.table, policy.logstd]


def stand_in(
    policy: Any, case: PolicyCase, joined: bool = True, knob: torch.Tensor | None = None
) -> Callable[[Any], Any]:
    """Returns a `forward` of ours over the policy's table.

    Args:
        policy: The student's.
        case: Its numbers.
        joined: Whether the components of a continuous action have one log-probability together.
        knob: If given, chance plays no part: samples are neither the best actions nor those of
            the batch, and entropies are this number, so who wants more of them pulls at it.
    """

    def forward(observation: Any) -> Any:
        columns = (policy.logits_na if policy.discrete else policy.mean_net)(observation)
        if policy.discrete:
            chosen = distributions.Categorical(columns.softmax(-1))
            return settled(chosen, (columns.argmax(-1) + 1) % columns.shape[-1], knob)
        # At the present numbers this has the value and the slope of the spread.
        slope = 1 + policy.logstd - policy.logstd.detach()
        scale = torch.tensor(case.spread, dtype=torch.float32) * slope
        normal = distributions.Normal(columns, scale)
        answer = distributions.Independent(normal, 1) if joined else normal
        signs = 1 - 2 * (torch.arange(columns.shape[-1]) % 2)
        return settled(answer, (columns + 0.4 * scale * signs).detach(), knob)

    return forward


def settled(answer: Any, sample: torch.Tensor, knob: torch.Tensor | None) -> Any:
    """Returns a distribution in which chance plays no part, if there is a knob."""
    if knob is not None:
        answer.sample = lambda *_: sample
        answer.entropy = lambda: knob.expand(len(sample))
    return answer
