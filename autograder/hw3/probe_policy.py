"""Probes of stochastic policies: the distribution they compute, and the actions they draw."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import distributions, nn
from torch.nn import functional

from autograder.hw3.policy_case import (
    ACTIONS,
    COMPONENTS,
    DRAWS,
    STATES,
    PolicyCase,
    draw_case,
    forward_case,
    point_weights,
    points,
    update_case,
)
from autograder.probing import Student

KINDS = {"discrete": True, "continuous": False}
NOTHING, WHAT_IS_ASKED, TENSOR, SOMETHING_ELSE = range(4)  # what a method returned
ZEROED, BACKWARD, STEP, EMPTY_STEP = range(4)  # what an optimizer is told


class TableNetwork(nn.Module):
    """A network that is a table, for one-hot observations."""

    def __init__(self, table: np.ndarray) -> None:
        """Keeps the table, shape (outputs, STATES)."""
        super().__init__()
        self.table = nn.Parameter(torch.tensor(table))

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Returns the columns of observations. Shape (n, outputs)."""
        if isinstance(obs, torch.Tensor):  # what is no tensor is refused as any layer does
            obs = obs.to(self.table.dtype)
        return functional.linear(obs, self.table)


class WatchedSGD(torch.optim.SGD):
    """Plain gradient descent that writes down what it is told."""

    def __init__(self, parameters: Any) -> None:
        """Descends with step size 1."""
        super().__init__(parameters, lr=1.0)
        self.tape: list[int] = []

    def zero_grad(self, *args: Any, **kwargs: Any) -> None:
        """Forgets all gradients."""
        self.tape.append(ZEROED)
        super().zero_grad(*args, **kwargs)

    def step(self, *args: Any, **kwargs: Any) -> Any:
        """Takes one step."""
        grads = [p.grad for group in self.param_groups for p in group["params"]]
        full = any(g is not None and bool(g.abs().sum() != 0) for g in grads)
        self.tape.append(STEP if full else EMPTY_STEP)
        return super().step(*args, **kwargs)


def build(student: Student, case: PolicyCase, discrete: bool) -> Any:
    """Builds the student's policy over a case's table, with plain gradient descent."""
    module = student.module("policies.MLP_policy")
    ptu = student.module("infrastructure.pytorch_util")
    if getattr(ptu, "device", None) is None and hasattr(ptu, "init_gpu"):
        ptu.init_gpu(use_gpu=False)
    names = ("MLPPolicyAC", "MLPPolicyPG", "MLPPolicy")
    make = next((getattr(module, n) for n in names if hasattr(module, n)), None)
    if make is None:
        raise AttributeError(f"policies/MLP_policy.py has no class {names[0]}")
    size = ACTIONS if discrete else COMPONENTS
    policy = make(
        ac_dim=size, ob_dim=STATES, n_layers=2, size=13, discrete=discrete, learning_rate=0.01
    )
    network = TableNetwork(case.table(discrete))
    if discrete:
        policy.logits_na = network
    else:
        policy.mean_net = network
        policy.logstd = nn.Parameter(torch.tensor(case.logstd))
    policy.optimizer = WatchedSGD(policy.parameters())
    return policy


def moving(policy: Any) -> list[nn.Parameter]:
    """Returns what a policy gradient moves: the table and, if continuous, logstd."""
    if policy.discrete:
        return [policy.logits_na.table]
    return [policy.mean_net.table, policy.logstd]


def stand_in(policy: Any, case: PolicyCase, joined: bool = True) -> Callable[[Any], Any]:
    """Returns a `forward` of ours over the policy's table.

    Args:
        policy: The student's.
        case: Its numbers.
        joined: Whether the components of a continuous action have one log-probability together.
    """

    def forward(observation: Any) -> Any:
        columns = (policy.logits_na if policy.discrete else policy.mean_net)(observation)
        if policy.discrete:
            return distributions.Categorical(columns.softmax(-1))
        # At the present numbers this has the value and the slope of the spread.
        slope = 1 + policy.logstd - policy.logstd.detach()
        scale = torch.tensor(case.spread, dtype=torch.float32) * slope
        normal = distributions.Normal(columns, scale)
        return distributions.Independent(normal, 1) if joined else normal

    return forward


def watch_forward(policy: Any, seen: dict[str, Any], forward: Callable[[Any], Any]) -> None:
    """Lets `forward` be the policy's, and keeps what it and its `log_prob` are asked last."""

    def watched(*args: Any, **kwargs: Any) -> Any:
        seen["observation"] = next(iter([*args, *kwargs.values()]), None)
        answer = forward(*args, **kwargs)
        log_prob = getattr(answer, "log_prob", None)
        if log_prob is None or isinstance(answer, torch.Tensor):
            return answer

        def asked(value: Any) -> Any:
            seen["asked"] = value.detach().clone() if hasattr(value, "detach") else value
            return log_prob(value)

        answer.log_prob = asked
        return answer

    policy.forward = watched


def look_at(answer: Any, seed: int, discrete: bool, seen: dict[str, Any]) -> torch.Tensor | None:
    """Notes what a distribution says; returns its log-probabilities of `points`, if it has any."""
    is_tensor = isinstance(answer, torch.Tensor)
    asked = hasattr(answer, "log_prob")
    code = TENSOR if is_tensor else WHAT_IS_ASKED if asked else SOMETHING_ELSE
    seen["returned"] = NOTHING if answer is None else code
    if seen["returned"] != WHAT_IS_ASKED:
        return None
    for name in ("batch_shape", "event_shape"):
        if hasattr(answer, name):
            seen[name] = np.array(getattr(answer, name), np.int64)
    rows = [answer.log_prob(torch.tensor(row)) for row in points(seed, discrete)]
    log_prob = torch.stack([torch.as_tensor(row) for row in rows])
    seen["log_prob"] = log_prob
    return log_prob


def flow_back(
    policy: Any, log_prob: torch.Tensor, weights: np.ndarray, seen: dict[str, Any]
) -> None:
    """Notes the gradient of a weighted sum of log-probabilities; zeros where none arrives."""
    shaped = torch.tensor(weights).reshape(weights.shape + (1,) * (log_prob.ndim - 2))
    (shaped * log_prob).sum().backward()
    for name, parameter in zip(("table_grad", "logstd_grad"), moving(policy), strict=False):
        grad = parameter.grad
        seen[name] = torch.zeros_like(parameter) if grad is None else grad


def probe_forward(student: Student, seed: int) -> None:
    """Asks for distributions over known tables, and what they think of known actions."""
    from autograder.hw3.probe_policy_update import learn

    def ask(seen: dict[str, Any], discrete: bool, wide: bool, as_array: bool = False) -> None:
        case = forward_case(seed, wide)
        policy = build(student, case, discrete)
        obs = case.one_hot() if as_array else torch.tensor(case.one_hot())
        log_prob = look_at(policy.forward(obs), seed, discrete, seen)
        weights = point_weights(seed, discrete)
        if log_prob is not None and log_prob.shape[:2] == weights.shape:
            flow_back(policy, log_prob, weights, seen)

    def update_of_components(seen: dict[str, Any]) -> None:
        case = update_case(seed)
        policy = build(student, case, discrete=False)
        watch_forward(policy, seen, stand_in(policy, case, joined=False))
        learn(policy, case, seen, "a")

    for kind, discrete in KINDS.items():
        for name, wide in (("wide", True), ("narrow", False)):
            trial = f"{kind}_{name}"
            # Experiments run at once, so loop variables are what they should be.
            if student.try_out(trial, lambda seen: ask(seen, discrete, wide)).crash:  # noqa: B023
                again = f"{trial}_array"
                student.try_out(again, lambda seen: ask(seen, discrete, wide, True))  # noqa: B023
    student.try_out("update_of_components", update_of_components)


def flat_action(action: Any, seen: dict[str, Any]) -> np.ndarray:
    """Returns the numbers of an action, and notes what kind of thing it came as."""
    is_tensor = isinstance(action, torch.Tensor)
    plain = isinstance(action, np.ndarray | np.generic | int | float | list)
    code = TENSOR if is_tensor else WHAT_IS_ASKED if plain else SOMETHING_ELSE
    seen["returned"] = NOTHING if action is None else code
    if code == SOMETHING_ELSE:
        return np.empty(0)
    numbers = action.detach().cpu().numpy() if is_tensor else np.asarray(action)
    return np.asarray(numbers, np.float64).reshape(-1)


def draw(policy: Any, case: PolicyCase, seen: dict[str, Any]) -> None:
    """Asks for many actions in each of two states: `draws`, shape (2, DRAWS, size)."""
    draws, shown = [], []
    for obs in case.one_hot()[:2]:
        actions = [flat_action(policy.get_action(obs.copy()), seen) for _ in range(DRAWS)]
        draws.append(actions)
        if "observation" in seen:
            shown.append(seen["observation"].detach().numpy().copy())
    seen["draws"] = draws
    seen["shown"] = shown
    seen.pop("asked", None)


def probe_get_action(student: Student, seed: int) -> None:
    """Draws actions from our distributions and from the student's own; plays a step with them."""
    case = draw_case(seed)

    def start(discrete: bool) -> Any:
        for generator in (random.seed, np.random.seed, torch.manual_seed):
            generator(seed)
        return build(student, case, discrete)

    def from_ours(seen: dict[str, Any], discrete: bool) -> None:
        policy = start(discrete)
        watch_forward(policy, seen, stand_in(policy, case))
        draw(policy, case, seen)

    def from_own(seen: dict[str, Any], discrete: bool) -> None:
        draw(start(discrete), case, seen)

    def played(seen: dict[str, Any], discrete: bool) -> None:
        policy, env = start(discrete), OneStep(case.one_hot()[0], seen)
        rollouts = student.module("infrastructure.utils", "infrastructure.rollouts")
        rollouts.sample_trajectory(env, policy, 1)

    for kind, discrete in KINDS.items():
        first = student.try_out(f"{kind}_ours", lambda seen: from_ours(seen, discrete))  # noqa: B023
        student.try_out(f"{kind}_own", lambda seen: from_own(seen, discrete))  # noqa: B023
        if int(first.arrays.get("returned", np.array(WHAT_IS_ASKED))) == TENSOR:
            student.try_out(f"{kind}_played", lambda seen: played(seen, discrete))  # noqa: B023


class OneStep:
    """An environment whose episodes last one step; it notes what an action arrives as."""

    metadata: dict[str, Any] = {}

    def __init__(self, obs: np.ndarray, seen: dict[str, Any]) -> None:
        """Shows `obs` and notes in `seen`."""
        self.obs, self.seen = obs, seen
        self.action_space = self.observation_space = SimpleNamespace()

    def reset(self, **_: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode."""
        return self.obs, {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Ends it."""
        flat_action(action, self.seen)
        return self.obs, 0.0, True, False, {}
