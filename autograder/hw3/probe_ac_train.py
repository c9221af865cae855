"""Probe of `ACAgent.train`: what it asks of critic and actor, with which arrays, in which order."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
import torch

from autograder.hw3.probe_step_env import Fake
from autograder.hw3.value_case import (
    ACTIONS,
    ACTOR_ORDER,
    ADVANTAGE_ORDER,
    BATCH,
    STATES,
    TRAIN_ORDER,
    UPDATE_ORDER,
    ValueCase,
    call,
    changed,
    roles_of,
    scaled,
    value_case,
)
from autograder.hw3.value_world import build_critic, hparams
from autograder.probing import MOST_SECONDS, Student, guarded, plain_array

CRITIC_UPDATES, ACTOR_UPDATES = 3, 2
KINDS = {"critic": UPDATE_ORDER, "advantage": ADVANTAGE_ORDER, "actor": ACTOR_ORDER}
# What an argument was: nothing, something else, nothing since the student's own method takes no
# such thing; from 0 on, an array of `TRAIN_ORDER`; and from `ADVANTAGE` on, what the first,
# second, ... call of estimate_advantage returned.
MISSING, UNKNOWN, ABSENT, ADVANTAGE = -1, -2, -3, 10


class Loss(float):
    """A loss, as a number or as a tensor of one: whatever the student's own methods return."""

    def item(self) -> float:
        """Returns the number."""
        return float(self)

    def detach(self) -> Loss:
        """Returns the same."""
        return self


class Log(Loss):
    """A loss that can be looked up as well, as what the student's own method returns can be."""

    own: Any = None
    """What that is; None if it returned nothing: then anything can be looked up."""

    def __getitem__(self, name: Any) -> Loss:
        """Returns the loss for a name that the student's own log has."""
        if self.own is not None:
            self.own[name]
        return Loss(self)


class Tape:
    """Notes the calls of three methods, and plays their part."""

    def __init__(self, case: ValueCase, logs: Mapping[str, Any]) -> None:
        """Knows the arrays of `case` by their values; by kind, what the student's own return."""
        self.case = case
        self.logs = logs
        self.arrays = case.arrays()
        self.tensors: set[str] = set()  # kinds of calls that tensors were handed over to
        self.kinds: list[int] = []
        self.gradients: list[bool] = []  # whether any could be computed at that call
        self.roles: list[list[int]] = []
        self.given: list[np.ndarray] = []  # to the actor for an advantage
        self.advantages: list[np.ndarray] = []

    def count(self, kind: str) -> int:
        """Returns how many calls of a kind there were."""
        return self.kinds.count(list(KINDS).index(kind))

    def role(self, value: Any) -> int:
        """Tells what an argument is, by its shape and values."""
        if value is None:
            return MISSING
        array = plain_array(value).astype(np.float64)
        for number, name in enumerate(TRAIN_ORDER):
            if np.array_equal(array, self.arrays[name].astype(np.float64)):
                return number
        for number, adv_n in enumerate(self.advantages):
            if array.shape == adv_n.shape and np.allclose(array, adv_n):
                return ADVANTAGE + number
        return UNKNOWN

    def note(self, kind: str, arguments: dict[str, Any], taken: Collection[str]) -> None:
        """Writes a call on the tape: its arguments by role, of those that the method takes."""
        roles = [
            self.role(arguments.get(name)) if name in taken else ABSENT for name in KINDS[kind]
        ]
        if isinstance(arguments.get("obs"), torch.Tensor):
            self.tensors.add(kind)
        self.kinds.append(list(KINDS).index(kind))
        self.gradients.append(torch.is_grad_enabled())
        self.roles.append(roles + [MISSING] * (len(UPDATE_ORDER) - len(roles)))
        if kind == "actor":
            given = plain_array(arguments.get("advantage")).astype(np.float64).reshape(-1)
            self.given.append(given if given.shape == (BATCH,) else np.full(BATCH, np.nan))

    def answer(self, kind: str) -> Any:
        """Returns what a call of a kind returns: losses below 0 are the critic's."""
        if kind != "advantage":
            loss = (Log if self.logs else Loss)(self.count(kind) * (-1 if kind == "critic" else 1))
            if isinstance(loss, Log):
                loss.own = self.logs[kind]
            return loss
        adv_n = np.linspace(-0.7, 0.9, BATCH) * (1 + len(self.advantages))
        self.advantages.append(adv_n)
        return adv_n.astype(np.float32)

    def spy(self, kind: str, original: Any) -> Callable[..., Any]:
        """Returns a stand-in for a method, which takes the parameters of the student's own."""
        roles = roles_of(original, KINDS[kind])
        # What is missing is noted, not refused: the judge then knows what it was.
        parameters = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in roles
        ]
        signature = inspect.Signature(parameters)

        def called(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind_partial(*args, **kwargs)
            arguments = {roles[name]: value for name, value in bound.arguments.items()}
            self.note(kind, arguments, roles.values())
            return self.answer(kind)

        return called


class StandInActor(Fake):
    """An actor that has what `MLPPolicy` has."""

    ac_dim, ob_dim, n_layers, size, discrete, learning_rate = ACTIONS, STATES, 1, 3, False, 0.1

    def __init__(self) -> None:
        """Draws its parameters."""
        self.mean_net, self.logits_na = torch.nn.Linear(STATES, ACTIONS), None
        self.logstd = torch.nn.Parameter(torch.zeros(ACTIONS))
        self.optimizer = torch.optim.Adam([self.logstd, *self.mean_net.parameters()], 0.1)


class StandInCritic(Fake):
    """A critic whose values tell how often it was updated before."""

    def __init__(self, tape: Tape) -> None:
        """Writes on `tape`."""
        self.tape = tape
        self.critic_network = torch.nn.Linear(STATES, 1)
        self.optimizer = torch.optim.Adam(self.critic_network.parameters(), 0.1)

    def forward_np(self, obs: Any) -> np.ndarray:
        """Returns values. Shape (n,)."""
        values: np.ndarray = np.asarray(obs) @ (self.tape.case.table / self.tape.case.scale)
        return values * (1 + self.tape.count("critic"))

    def __call__(self, obs: Any) -> torch.Tensor:
        """Returns values. Shape (n,)."""
        return torch.as_tensor(self.forward_np(obs))

    forward = __call__


def agent_params(case: ValueCase, standardize: bool = False) -> dict[str, Any]:
    """Returns settings for an ACAgent: every count is another number."""
    return {
        **hparams(case.gamma, 7, 11),
        "standardize_advantages": standardize,
        "num_critic_updates_per_agent_update": CRITIC_UPDATES,
        "num_actor_updates_per_agent_update": ACTOR_UPDATES,
        "num_agent_train_steps_per_iter": 5,
    }


def build(student: Student, case: ValueCase, standardize: bool = False) -> Any:
    """Builds the student's agent among fakes."""
    module = student.module("agents.ac_agent")
    names = ("MLPPolicyAC", "BootstrappedContinuousCritic")
    found = {name: getattr(module, name) for name in names if hasattr(module, name)}
    for name in found:
        setattr(module, name, Fake)
    try:
        return module.ACAgent(Fake(), agent_params(case, standardize))
    finally:
        for name, original in found.items():
            setattr(module, name, original)


def method_of(student: Student, module: str, owner: str, name: str) -> Any:
    """Returns a method of a student's class for its parameters; None if it cannot be had."""
    try:
        return getattr(getattr(student.module(module), owner), name)
    except Exception:  # noqa: BLE001  (another part of the homework: not judged here)
        return None


def own_log(student: Student, case: ValueCase, kind: str) -> Any:
    """Returns what `update` of the student's own critic or actor returns; None if it cannot."""
    arrays = case.arrays() | {"advantage": case.reward.copy()}
    try:
        if kind == "critic":
            return call(build_critic(student, case).update, UPDATE_ORDER, arrays)
        actor = student.module("policies.MLP_policy").MLPPolicyAC(ACTIONS, STATES, 1, 3, True, 0.1)
        return call(actor.update, ACTOR_ORDER, arrays)
    except Exception:  # noqa: BLE001  (another part of the homework: not judged here)
        return None


def spied_agent(student: Student, tape: Tape) -> Any:
    """Builds the student's agent, whose `train` finds spies for all that it is to call."""
    agent = build(student, tape.case)
    critic = "critics.bootstrapped_continuous_critic", "BootstrappedContinuousCritic", "update"
    agent.critic, agent.actor = StandInCritic(tape), StandInActor()
    agent.critic.update = tape.spy("critic", method_of(student, *critic))
    actor_update = method_of(student, "policies.MLP_policy", "MLPPolicyAC", "update")
    agent.actor.update = tape.spy("actor", actor_update)
    agent.estimate_advantage = tape.spy("advantage", agent.estimate_advantage)
    return agent


def train(student: Student, seed: int, seen: dict[str, Any], looked_up: bool = False) -> None:
    """Calls `train` once and keeps the tape, however it ends.

    `looked_up`: whether losses are logs, if the student's own are.
    """
    case = scaled(value_case(seed), seed)
    kinds = ("critic", "actor") if looked_up else ()
    tape, arrays = Tape(case, {kind: own_log(student, case, kind) for kind in kinds}), case.arrays()
    agent = spied_agent(student, tape)
    try:
        losses = call(agent.train, TRAIN_ORDER, arrays)
        for name in ("Critic_Loss", "Actor_Loss"):
            seen[name] = number_of(losses, name)
    finally:
        seen["kinds"] = tape.kinds
        seen["gradients"] = tape.gradients
        seen["roles"] = np.reshape(tape.roles, (-1, len(UPDATE_ORDER)))
        seen["given"] = np.reshape(tape.given, (-1, BATCH))
        seen["changed"] = changed(case.arrays(), arrays)


def hands_over_tensors(student: Student, kind: str) -> bool:
    """Tells whether the student's own `train` makes tensors of its arrays for a method it calls.

    Whoever converts a batch once, in `train`, need not do it again in each method.
    """
    case = value_case(0)
    tape = Tape(case, {})
    # Whatever else is wrong with it is another's; and nobody waits for its end.
    with contextlib.suppress(BaseException), guarded(MOST_SECONDS):
        call(spied_agent(student, tape).train, TRAIN_ORDER, case.arrays())
    return kind in tape.tensors


def as_tensors(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Returns the arrays of a batch as the tensors that students make of them."""
    return {role: torch.tensor(array, dtype=torch.float32) for role, array in arrays.items()}


def number_of(losses: Any, name: str) -> float:
    """Returns a loss, or the mean of several, in any form; nan if there is none."""
    try:
        return float(np.mean(np.asarray(losses[name], np.float64)))
    except Exception:  # noqa: BLE001  (a student may return anything, and it is for logs alone)
        return float("nan")


def probe_train(student: Student, seed: int) -> None:
    """Calls `train` once; where it looks a loss up as in a log, once more with logs."""
    trial = student.try_out("train", lambda seen: train(student, seed, seen))
    if trial.crash and "'Loss' object is not subscriptable" in trial.crash.text:
        student.try_out("train", lambda seen: train(student, seed, seen, looked_up=True))
