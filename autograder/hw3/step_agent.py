"""A student's DQN agent among fakes, and how one of the two blanks of its `step_env` is asked."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.hw3 import step_world
from autograder.hw3.step_world import GREEDY, NO_ACTION, NUM_ACTIONS, Call, StepWorld
from autograder.probing import StandIn, Student, Trial

ACT, STEP = "hw3.dqn.act", "hw3.dqn.step"
STARTS, FREQUENCY, BATCH = 200, 2, 32  # learning_starts, learning_freq, batch_size
Notes = Callable[[Sequence[Call]], Mapping[str, Any]]
"""Says what is to be seen in the calls that came to their end."""


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

    world: StepWorld  # in whose calls it is noted
    epsilon: float

    def value(self, t: Any) -> float:
        """Returns epsilon."""
        agent = self.world.agent
        self.world.call.another_time |= agent is not None and bool(t != agent.t)
        return self.epsilon


class Settings(dict[str, Any]):
    """Settings of an agent; those that only its own handout knows are anything."""

    def __missing__(self, key: str) -> Fake:
        """Returns what accepts everything."""
        return Fake()


def construct(make: Callable[[Any, dict[str, Any]], Any], env: Any, **settings: Any) -> Any:
    """Constructs an agent."""
    params = {
        "batch_size": BATCH,
        "ac_dim": NUM_ACTIONS,
        "learning_starts": STARTS,
        "learning_freq": FREQUENCY,
        "target_update_freq": 3,
        "num_critic_updates_per_agent_update": 1,
        "seed": 1,
        **settings,
    }
    return make(env, Settings(params))


def build(student: Student, world: StepWorld, epsilon: float) -> Any:
    """Builds the student's agent among fakes."""
    module = student.module("agents.dqn_agent")
    for name in ("DQNCritic", "ArgMaxPolicy", "MemoryOptimizedReplayBuffer"):
        if hasattr(module, name):
            setattr(module, name, type(name, (Fake,), {}))  # an exception may quote its name
    agent = construct(module.DQNAgent, world)
    agent.env = agent.actor = world
    agent.last_obs = step_world.frame(world.frames)
    agent.replay_buffer, agent.critic = world.buffer, world.critic
    agent.exploration = Exploration(world, epsilon)
    return agent


def play(
    student: Student,
    seed: int,
    notes: Notes,
    times: Sequence[int],
    epsilon: float,
    seen: dict[str, Any],
) -> None:
    """Takes a step at each of some times, as an agent would that has played from the start."""
    agent = build(student, world := StepWorld(seed), epsilon)
    world.calls.clear()
    world.buffer.num_in_buffer = times[0]
    try:
        for t in times:
            world.begin(agent, t)
            agent.num_param_updates = max(0, t - STARTS) // FREQUENCY
            with contextlib.suppress(CallDone):
                agent.step_env()
            world.end()
    finally:
        seen["acted"] = world.call.chosen is not None
        seen.update(notes([call for call in world.calls if call.after is not None]))
    del seen["acted"]  # it tells of the call that crashed alone


def owner_of(trial: Trial) -> str:
    """Tells which blank of `step_env` an exception belongs to; the second has an action."""
    crash = trial.crash
    acted = bool(trial.arrays.get("acted", False))
    chosen = crash is not None and ("action" in crash.names or ".step(" in crash.source)
    return STEP if acted or chosen else ACT


def try_alone(
    student: Student, blank: str, name: str, experiment: Callable[[dict[str, Any]], None]
) -> None:
    """Runs an experiment for the sake of one blank, past the other one where that is in the way."""

    def act(local: Mapping[str, Any]) -> int:
        agent = local["self"]
        world: StepWorld = agent.env
        if not world.call.stored:  # unless that is done
            agent.replay_buffer_idx = world.buffer.store_frame(agent.last_obs)
        return GREEDY

    def step(local: Mapping[str, Any]) -> None:
        agent = local["self"]  # or for what is left of the blank where one of its lines crashed
        world: StepWorld = agent.env
        world.choose(local.get("action", NO_ACTION))
        agent.last_obs = world.next_frame()
        raise CallDone

    stand_ins = {ACT: StandIn(act, ("action",)), STEP: StandIn(step)}
    del stand_ins[blank]
    student.try_alone(name, experiment, blank, stand_ins, owner_of)
