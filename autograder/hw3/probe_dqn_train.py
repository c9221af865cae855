"""Probe of `DQNAgent.train`: when the critic is called, with what, and when the target follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.hw3 import train_world as world
from autograder.hw3.probe_step_env import Exploration, Fake, construct
from autograder.hw3.step_world import StepWorld
from autograder.probing import StandIn, Student, Trial

OWNERS = ("agents/dqn_agent.py",)
UPDATE, SYNC = "hw3.dqn.update", "hw3.dqn.sync"


def build(student: Student) -> tuple[Any, world.NotedCritic]:
    """Builds the student's agent among fakes."""
    module = student.module("agents.dqn_agent")
    for name in ("DQNCritic", "ArgMaxPolicy", "MemoryOptimizedReplayBuffer"):
        if hasattr(module, name):
            setattr(module, name, Fake)
    schedule = Exploration(StepWorld(), 0.0)
    agent = construct(
        module.DQNAgent,
        StepWorld(),
        exploration_schedule=schedule,
        learning_starts=world.STARTS,
        learning_freq=world.LEARNING_FREQ,
        target_update_freq=world.TARGET_FREQ,
        batch_size=world.BATCH,
    )
    critic = world.NotedCritic(world.batch(), order_of_own_critic(student))
    agent.critic = agent.replay_buffer = critic
    agent.actor = Fake()
    agent.actor.critic = critic
    agent.exploration = schedule
    return agent, critic


def order_of_own_critic(student: Student) -> tuple[int, ...]:
    """Returns the order of the arguments that the student's own critic takes, if it has one."""
    try:
        return world.order_of(student.module("critics.dqn_critic").DQNCritic.update)
    except Exception:  # noqa: BLE001  (whatever is wrong with that file is another's)
        return world.CANONICAL


def play(student: Student, seen: dict[str, Any]) -> None:
    """Calls `train` step after step, and notes what each call did."""
    agent, critic = build(student)
    agent.t = agent.num_param_updates = 0
    rows: list[list[float]] = []
    try:
        for t in range(world.CALLS):
            updates = len(critic.updates) + critic.stood_in
            critic.q_net.fill(t + 1.0)
            try:
                agent.train(*world.batch())
            finally:
                online, target = critic.q_net, critic.q_net_target
                versions = [*world.version(online), *world.version(target)]
                happened = [t, agent.t, len(critic.updates) + critic.stood_in - updates]
                rows.append([*happened, *versions, world.share_memory(online, target)])
            agent.t = t + 1  # whatever the student's clock does, ours goes on
    finally:
        seen["calls"] = np.array(rows, np.float64).reshape(-1, 8)
        seen["roles"] = np.array(critic.updates).reshape(-1, 5)
        seen["own_state"] = critic.tape.count("own state")
        seen["looked"] = critic.tape.count("looked")
        seen["called"] = critic.tape.count("called")
        seen["stood_in"] = critic.stood_in
        seen["counter"] = agent.num_param_updates


def owner_of(trial: Trial) -> str:
    """Tells which of the two blanks an exception belongs to: the critic is called in the first."""
    calls = trial.arrays.get("calls")
    called = calls is not None and len(calls) > 0 and calls[-1][2] > 0
    # The stand-in counts as a call, though it may stand for a line above the call alone.
    calling = trial.crash is not None and "critic.update(" in trial.crash.source
    return SYNC if called and not calling else UPDATE


def learn(local: Mapping[str, Any]) -> Any:
    """Stands in for the call to the critic."""
    local["self"].critic.stood_in += 1
    return {}


def probe_train(student: Student, seed: int) -> None:
    """Plays for each of the two blanks, past the other one where that is in the way."""

    def experiment(seen: dict[str, Any]) -> None:
        play(student, seen)

    student.try_alone("update", experiment, UPDATE, {SYNC: StandIn(lambda local: None)}, owner_of)
    student.try_alone("sync", experiment, SYNC, {UPDATE: StandIn(learn, ("log",))}, owner_of)
