"""A student's DQN agent among fakes, and how one of the two blanks of its `step_env` is asked."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.base.record import Trial
from autograder.homeworks.hw3.fakes import stepping
from autograder.homeworks.hw3.fakes.stepping import GREEDY, Call, SteppingFake
from autograder.running.probing import StandIn, Student

ACT, STEP = "hw3.dqn.act", "hw3.dqn.step"
STARTS, FREQUENCY, BATCH = 200, 2, 32  # learning_starts, learning_freq, batch_size


@dataclass(frozen=True)
class Play:
    """When an agent steps, and how often at random."""

    seed: int
    times: range
    epsilon: float = 0.0

    @property
    def random(self) -> float:
        """The share of actions that is to be random."""
        return 1.0 if self.times[-1] < STARTS else self.epsilon


class Fake:
    """Accepts any construction; stands for the parts of an agent that a probe does not need."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Keeps nothing."""

    def __getattr__(self, name: str) -> Any:
        """Offers a method that does nothing under any public name."""
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: None


class CallDone(BaseException):
    """A stand-in has done the rest of the call."""


@dataclass
class Exploration:
    """A schedule that is constant, and notes whether it is asked about another time than now."""

    fake: SteppingFake  # in whose calls it is noted
    epsilon: float

    def value(self, t: Any) -> float:
        """Returns epsilon."""
        agent = self.fake.agent
        self.fake.call.another_time |= agent is not None and bool(t != agent.t)
        return self.epsilon


class Settings(dict[str, Any]):
    """Settings of an agent; those that only its own handout knows are anything."""

    def __missing__(self, key: str) -> Fake:
        """Returns what accepts everything."""
        return Fake()

    def __getattr__(self, name: str) -> Any:
        """Returns a setting: agents ask for an attribute, older ones for an entry."""
        return self[name]


def build(student: Student, fake: SteppingFake, epsilon: float, **settings: Any) -> Any:
    """Builds the student's agent among fakes."""
    module = student.module("agents.dqn_agent")
    for name in ("DQNCritic", "ArgMaxPolicy", "MemoryOptimizedReplayBuffer"):
        if hasattr(module, name):
            setattr(module, name, type(name, (Fake,), {}))  # an exception may quote its name
    usual = {
        "batch_size": BATCH,
        "buffer_size": 100,
        "frame_history_len": 1,
        "exploration": "0",
        "learning_starts": STARTS,
        "learning_freq": FREQUENCY,
        "target_update_freq": 3,
        "num_agent_train_steps_per_iter": 1,
        "repeat_times": None,
        "num_critic_updates_per_agent_update": 1,
        "seed": 1,
        "eval_epsilon": 0.0,
    }
    agent = module.DQNAgent(fake, Settings(usual | settings))
    agent.env = agent.actor = fake
    if hasattr(agent, "eval_policy"):  # which plays the actor, and may be asked for it
        agent.eval_policy.greedy = fake
    agent.last_obs = stepping.frame(fake.frames)
    agent.replay_buffer, agent.critic = fake.buffer, fake.critic
    agent.exploration = Exploration(fake, epsilon)
    return agent


def play(student: Student, case: Play) -> list[Call]:
    """Takes a step at each time, as an agent would that has played from the start.

    Returns:
        What the calls did that came to their end.
    """
    np.random.seed(case.seed)  # whichever generator a student draws from
    agent = build(student, fake := SteppingFake(case.seed), case.epsilon, seed=1 + case.seed)
    fake.calls.clear()
    fake.buffer.num_in_buffer = case.times[0]
    for t in case.times:
        fake.begin(agent, t)
        agent.num_param_updates = max(0, t - STARTS) // FREQUENCY
        with student.up_to_a_crash(), contextlib.suppress(CallDone):
            agent.step_env()
        if student.crashed is not None:
            student.notes["acted"] = fake.call.chosen is not None
            break
        fake.end()
    return [call for call in fake.calls if call.after is not None]


def owner_of(trial: Trial) -> str:
    """Returns to which blank of `step_env` an exception belongs; the second has an action."""
    crash = trial.crash
    acted = bool(trial.arrays.get("acted", False))
    chosen = crash is not None and ("action" in crash.names or ".step(" in crash.source)
    return STEP if acted or chosen else ACT


def act(local: Mapping[str, Any]) -> int:
    """Stands in for the first blank: stores the frame, unless that is done, and is greedy."""
    agent = local["self"]
    fake: SteppingFake = agent.env
    if not fake.call.stored:
        agent.replay_buffer_idx = fake.buffer.store_frame(agent.last_obs)
    return GREEDY


def step(local: Mapping[str, Any]) -> None:
    """Stands in for the second blank, or for what is left of it where one of its lines crashed."""
    agent = local["self"]
    fake: SteppingFake = agent.env
    fake.choose(local.get("action"))
    agent.last_obs = fake.next_frame()
    raise CallDone


STAND_INS = {ACT: StandIn(act, ("action",)), STEP: StandIn(step)}
