"""Asks for distributions over known tables: what they say of known actions, and who learns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw3.fakes import policy as fake
from autograder.homeworks.hw3.fakes.policy import PolicyCase, build, forward_case, moving
from autograder.homeworks.hw3.fakes.policy_neighbours import sums_itself
from autograder.running.experiments import Moves, shifted
from autograder.running.probing import Student, plain_array
from autograder.running.unit_steps import direction

FAR = 200.0  # beyond what float32 can raise e to, as late in training
REFUSALS = "satisfy the constraint|within the support|positive-definite|std >= 0"


def cases(seed: int) -> Mapping[str, PolicyCase]:
    """Returns what is tried; "single": one row, and one component of an action."""
    wide, found = forward_case(seed, wide=True), dict[str, PolicyCase]()
    single = replace(fake.one_component(wide), state=wide.state[:1])
    tried = {"wide": wide, "narrow": forward_case(seed, wide=False), "single": single}
    for name, either in tried.items():
        found |= {f"{kind}, {name}": case for kind, case in fake.kinds(either).items()}
    far = np.where(np.arange(fake.STATES) % 2, FAR, -FAR).astype(np.float32)
    narrow = found["discrete, narrow"]
    return {**found, "discrete, far from 0": replace(narrow, logits=narrow.logits + far)}


def forms(student: Student) -> Iterator[bool]:
    """Yields whether `forward` is given arrays: some refuse tensors."""
    yield from (False, True)


def moves(seed: int) -> Iterator[Moves]:
    """Moves an observation, and each of what a distribution is made of."""
    for kind, case in fake.kinds(forward_case(seed, wide=False)).items():
        table, network = ("logits", "logits_na") if case.discrete else ("mean", "mean_net")
        moved = {
            "observation in one row": shifted(case, "state", 1, case.nowhere),
            f"self.{network} in one state": shifted(case, table, (0, case.state[2])),
        }
        for number, spread in enumerate(() if case.discrete else case.spread):
            moved[f"self.logstd[{number}]"] = shifted(case, "spread", number, 1.5 * spread)
        yield Moves(f"log-probabilities of {kind} actions", case, moved, log_probs)


def log_probs(student: Student, case: PolicyCase) -> np.ndarray:
    """Returns the log-probability of one action in each state."""
    answer = build(student, case).forward(torch.tensor(case.observations()))
    rows = plain_array(answer.log_prob(torch.tensor(case.action)))
    total: np.ndarray = rows.reshape(fake.BATCH, -1).sum(1)
    return total


def observe(student: Student, case: PolicyCase, as_array: bool = False) -> dict[str, Any]:
    """Returns what a distribution over a known table says of known actions.

    Whether parameters that no distribution has are refused, or lead to no number, is one.
    """
    policy = build(student, case)
    obs: Any = student.lend({"obs": case.observations()})["obs"]
    try:
        answer = policy.forward(obs if as_array else torch.from_numpy(obs))
        record = looked_at(student, policy, answer, case)
    except (ValueError, RuntimeError) as error:
        if not re.search(REFUSALS, str(error)):
            raise
        return {"is_a_distribution": False}
    if not np.isfinite(plain_array(record.get("log_prob", 0.0))).all():
        return {"is_a_distribution": False}
    return record


def looked_at(student: Student, policy: Any, answer: Any, case: PolicyCase) -> dict[str, Any]:
    """Returns what an answer says of known actions, and which way its gradients point."""
    record: dict[str, Any] = {
        "is_a_distribution": True,
        "nothing_returned": answer is None,
        "no_distribution": answer is not None and not hasattr(answer, "log_prob"),
    }
    if not hasattr(answer, "log_prob"):
        return record
    batch, event = (getattr(answer, f"{part}_shape", None) for part in ("batch", "event"))
    shape = answer.sample().shape if batch is None or event is None else batch + event
    record["shape_of_a_sample"], asked = np.array(shape, np.int64), points(case)
    if shape != asked.shape[1:]:
        return record
    log_prob = torch.stack([torch.as_tensor(answer.log_prob(row)) for row in asked])
    record["components_apart"] = log_prob.ndim > 2 and not sums_itself(student)
    record["log_prob"] = log_prob = log_prob.flatten(2).sum(2) if log_prob.ndim > 2 else log_prob
    for name, parameter in zip(("network", "logstd"), moving(policy), strict=False):
        record[f"gradient_of_{name}"] = gradient(log_prob, parameter)
    return record


def points(case: PolicyCase) -> torch.Tensor:
    """Returns actions whose log-probabilities tell a distribution.

    Shape (ACTIONS, n), each action in every state; or (POINTS, n, components).
    """
    if case.discrete:
        return torch.arange(fake.ACTIONS)[:, None].repeat(1, len(case.state))
    size = (fake.POINTS, len(case.state), len(case.mean))
    drawn = np.random.default_rng(33).uniform(-2.0, 3.0, size)
    return torch.tensor(drawn, dtype=torch.float32)


def gradient(log_prob: torch.Tensor, parameter: torch.Tensor) -> torch.Tensor:
    """Returns the direction in which a weighted sum grows; zeros where no gradient arrives."""
    weights, found = np.random.default_rng(34).uniform(-1.0, 1.0, log_prob.shape), None
    if log_prob.requires_grad:
        total = (torch.tensor(weights) * log_prob).sum()
        (found,) = torch.autograd.grad(total, parameter, retain_graph=True, allow_unused=True)
    return direction(torch.zeros(parameter.shape) if found is None else found)
