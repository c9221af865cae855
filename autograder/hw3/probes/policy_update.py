"""Probe of the policy gradient step: how two calls of `update` move a table of logits or means."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.core import fingerprint
from autograder.hw3.policy_case import BATCH, STATES, PolicyCase, other_advantage, update_case
from autograder.hw3.policy_world import KINDS, build, first_whole, moving, stand_in
from autograder.hw3.value_world import hands_over_tensors
from autograder.probing import Student, guarded

PARTS = (("ob", "state"), ("ac",), ("adv",))  # how the names of `update`'s parameters begin
JOINED, APART, OWN = "joined", "apart", "own"  # whose `forward`, and of ours, which
STEP_SIZE = 0.1  # of the policy, whatever the loss: its scale then plays no part


class UnitSteps(torch.optim.SGD):
    """Takes steps of one length down the gradient, and notes what it is told and what it did."""

    def __init__(self, policy: Any) -> None:
        """Watches what a policy gradient moves; `knob` is what our entropies are made of."""
        super().__init__(moving(policy), lr=STEP_SIZE)
        self.watched, self.knob = moving(policy), torch.zeros(1, requires_grad=True)
        for parameter in self.watched:
            parameter.register_hook(self._arrive)  # type: ignore[no-untyped-call]
        self.begin()

    def begin(self) -> None:
        """Forgets what it noted."""
        self.steps, self.early, self.backwards, self.arrived = 0, False, 0, 0
        self.change = torch.zeros_like(flat(self.watched))
        self.knob.grad = None

    def _arrive(self, grad: torch.Tensor) -> None:
        self.arrived = max(self.arrived, 1 + int(grad.abs().sum() > 0))  # 1: of zeros alone

    def step(self, closure: Any = None) -> Any:
        """Takes a step."""
        with torch.enable_grad():
            loss = None if closure is None else closure()
        grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in self.watched]
        size = float(flat(grads).norm())
        self.early |= not self.backwards
        self.steps += size > 0
        with torch.no_grad():
            for parameter, grad in zip(self.watched, grads, strict=True):
                parameter.add_(grad, alpha=-STEP_SIZE / max(size, 1e-12))
        self.change -= flat(grads) / max(size, 1e-12)
        return loss

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        """Counts how often a gradient is asked for."""
        usual = torch.Tensor.backward

        def backward(*args: Any, **kwargs: Any) -> Any:
            self.backwards += 1
            return usual(*args, **kwargs)  # type: ignore[no-untyped-call]

        torch.Tensor.backward = backward  # type: ignore[method-assign]
        try:
            yield
        finally:
            torch.Tensor.backward = usual  # type: ignore[method-assign]


def flat(tensors: Any) -> torch.Tensor:
    """Returns the numbers of tensors one after the other, apart from any graph."""
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors])


def direction(change: torch.Tensor) -> torch.Tensor:
    """Returns a change of length one, or none."""
    return change / max(float(change.norm()), 1e-9)


def call_update(policy: Any, *parts: Any) -> None:
    """Calls `update` with observations, actions and advantages, whatever their names and order."""
    names = list(inspect.signature(policy.update).parameters)
    given = {}
    for starts, part in zip(PARTS, parts, strict=True):
        name = next((n for n in names if n.lower().startswith(starts) and n not in given), None)
        if name is None:
            policy.update(*parts)
            return
        given[name] = part
    policy.update(**given)


def arguments(case: PolicyCase, discrete: bool, tensors: int) -> list[Any]:
    """Returns observations, actions and advantages, of which the last `tensors` are tensors."""
    arrays = [case.observations(), case.action(discrete), case.advantage.copy()]
    given: list[Any] = list(arrays[: 3 - tensors])
    return given + [torch.tensor(a, dtype=torch.float32) for a in arrays[3 - tensors :]]


def probe(student: Student, seed: int) -> None:
    """Updates policies with our `forward`, in the shape of the student's own.

    Where that crashes: with the other shape, with the own `forward`, and with what the own agent
    hands over as tensors.
    """
    case = update_case(seed)
    for kind, discrete in KINDS.items():
        how = functools.partial(moving_inputs, student, case, discrete)
        student.try_moves(f"updates with {kind} actions", how)
    ours = [APART, JOINED] if comes_apart(student, case) else [JOINED]
    ways = [functools.partial(play, student, case, forward) for forward in (*ours, OWN)]

    def with_tensors() -> bool:
        tensors = 3 if hands_over_tensors(student, "actor") else int(has_tensors(student))
        return tensors > 0 and any(way(tensors) for way in ways)

    first_whole(student, *(functools.partial(way, 0) for way in ways), with_tensors)


def play(student: Student, case: PolicyCase, forward: str, tensors: int) -> bool:
    """Updates policies of each kind, and tells whether nothing crashed."""
    single = replace(case, mean=case.mean[:1], spread=case.spread[:1], move=case.move[:, :1])
    plays = {
        "discrete": (case, True),
        "continuous": (case, False),
        "one component": (single, False),
    }
    trials = [
        student.try_out(name, functools.partial(learn, student, *each, forward, tensors))
        for name, each in plays.items()
    ]
    return not any(trial.crash for trial in trials)


def learn(
    student: Student,
    case: PolicyCase,
    discrete: bool,
    forward: str,
    tensors: int,
    seen: dict[str, Any],
) -> None:
    """Updates a policy twice, with other advantages, and notes each step, however it ends."""
    policy = build(student, case, discrete)
    policy.optimizer = steps = UnitSteps(policy)
    if forward != OWN:
        policy.forward = stand_in(policy, case, forward == JOINED, steps.knob)
    for name, batch in (("", case), ("_again", other_advantage(case))):
        steps.begin()
        kept_weights = [parameter.detach().clone() for parameter in steps.watched]
        before = flat(kept_weights)
        given, kept = (arguments(batch, discrete, tensors) for _ in range(2))
        try:
            with steps.counting():
                call_update(policy, *given)
        finally:
            after = flat(steps.watched)
            seen[f"no_backward{name}"] = steps.backwards == 0
            seen[f"gradient_arrives{name}"] = steps.arrived
            seen[f"steps_before_backward{name}"] = steps.early and steps.backwards > 0
            seen[f"steps{name}"] = steps.steps
            seen[f"change{name}"] = direction(steps.change)
            pulls = [torch.zeros_like(p) if p.grad is None else -p.grad for p in steps.watched]
            seen[f"gradient_left{name}"] = steps.steps == 0 and direction(flat(pulls))
            moved = STEP_SIZE * steps.change
            seen[f"moves_otherwise{name}"] = not torch.allclose(after, before + moved, atol=1e-5)
            knob = steps.knob.grad
            seen[f"entropy{name}"] = 0.0 if knob is None else -float(knob.sign())
            same = [np.array_equal(plain(a), plain(b)) for a, b in zip(given, kept, strict=True)]
            seen[f"inputs_changed{name}"] = not all(same)
        with torch.no_grad():  # our `forward` is right at these numbers alone
            for parameter, weight in zip(steps.watched, kept_weights, strict=True):
                parameter.copy_(weight)


def plain(value: Any) -> np.ndarray:
    """Returns an array."""
    return np.asarray(value)


def comes_apart(student: Student, case: PolicyCase) -> bool:
    """Tells whether the own `forward` gives each component of an action a log-probability."""

    def ask(seen: dict[str, Any]) -> None:
        answer = build(student, case, False).forward(torch.tensor(case.observations()))
        seen["apart"] = answer.log_prob(torch.tensor(case.move)).ndim > 1

    return bool(asked_aside(student, ask).get("apart", False))


def has_tensors(student: Student) -> bool:
    """Tells whether the student's own agent hands advantages over as a tensor."""

    def ask(seen: dict[str, Any]) -> None:
        agent_class = student.module("agents.ac_agent").ACAgent
        agent = agent_class.__new__(agent_class)
        agent.__dict__.update(critic=ZeroCritic(), gamma=0.9, standardize_advantages=False)
        obs, ones = update_case(0).observations(), np.ones(BATCH, np.float32)
        advantage = agent.estimate_advantage(
            ob_no=obs, next_ob_no=obs, re_n=ones, terminal_n=0 * ones
        )
        seen["tensor"] = isinstance(advantage, torch.Tensor)

    return bool(asked_aside(student, ask).get("tensor", False))


def asked_aside(student: Student, ask: Any) -> dict[str, Any]:
    """Returns what a neighbour's code shows, whatever is wrong with it; no trial of this blank."""
    seen: dict[str, Any] = {}
    with contextlib.suppress(BaseException), guarded(1.0):
        ask(seen)
    return seen


class ZeroCritic:
    """Values every state at nothing, as a tensor or as an array, whichever it is asked for."""

    def forward(self, obs: Any) -> torch.Tensor:
        """Returns zeros. Shape (n,)."""
        return torch.zeros(len(obs))

    __call__ = forward

    def forward_np(self, obs: Any) -> np.ndarray:
        """Returns zeros. Shape (n,), float32."""
        return np.zeros(len(obs), np.float32)


def moving_inputs(student: Student, case: PolicyCase, discrete: bool, seen: dict[str, Any]) -> None:
    """What one update depends on: how far each row's logit, or mean, is pulled to its action."""

    def pulls(case: PolicyCase) -> np.ndarray:
        policy = build(student, case, discrete)
        policy.forward = stand_in(policy, case)
        (table, *_), before = moving(policy), case.table(discrete) / case.scale
        call_update(policy, *arguments(case, discrete, 0))
        change = ((table.detach().numpy() - before) * case.scale)[:, case.state].T
        if discrete:
            return np.asarray(change[np.arange(BATCH), case.choice])
        return np.asarray((change * np.sign(case.move - case.mean[:, case.state].T)).sum(1))

    state, advantage, choice = case.state.copy(), case.advantage.copy(), case.choice.copy()
    state[1] = int(np.setdiff1d(np.arange(STATES), state)[0])
    advantage[2] += 1.0
    choice[3] = (choice[3] + 1) % len(case.logits)
    farther = case.move + 0.05 * np.eye(BATCH, dtype=np.float32)[:, 3:4]
    moves = {
        "adv_n in one row": replace(case, advantage=advantage),
        "observations in one row": replace(case, state=state),
        "actions in one row": replace(case, choice=choice, move=farther),
    }
    fingerprint.note(seen, pulls, case, moves)
