"""Probes of whole agents: a student's agent, in tiny environments, for a few hundred steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from torch import nn

from autograder.homeworks.hw3.fakes import settings
from autograder.homeworks.hw3.fakes.tiny_envs import CONTINUOUS, PROBES, Probe
from autograder.running.draws import seed_generators
from autograder.running.probing import Student

GAMMA = 0.8
AGENTS = 2  # independent ones in each environment, of which one must learn
HIDDEN, CHOICES = 16, 2
FIRST_VALUE = 3.0

# DQN: first at random, then less and less, at last greedily.
DQN_STEPS, DQN_STARTS, DQN_GREEDY = 340, 32, 60
EPSILON = f"0:1,{DQN_STEPS / 2}:1,{DQN_STEPS - DQN_GREEDY}:0"
# Actor-critic.
ITERATIONS, ITERATIONS_CONTINUOUS, STEPS, SAMPLES = 40, 80, 32, 40


def small_network() -> nn.Module:
    """Returns the Q-network: one hidden layer, for observations of one number.

    Its first values are near `FIRST_VALUE`, where nothing right is: who keeps them is found out.
    """
    last = nn.Linear(HIDDEN, CHOICES)
    nn.init.constant_(last.bias, FIRST_VALUE)
    return nn.Sequential(nn.Linear(1, HIDDEN), nn.Tanh(), last)


def dqn_params(student: Student, double_q: bool, seed: int) -> Any:
    """Returns settings for a DQNAgent."""
    return settings.of_dqn(
        student,
        double_q=double_q,
        discount=GAMMA,
        grad_value_clipping=10.0,
        learning_rate="0.02",
        exploration=EPSILON,
        buffer_size=2 * DQN_STEPS,  # the frames of cut episodes are stored too
        learning_starts=DQN_STARTS,
        target_update_freq=10,
        batch_size=32,
        seed=seed,
    )


def ac_params(student: Student) -> Any:
    """Returns settings for an ACAgent."""
    updates = {"num_target_updates": 3, "num_grad_steps_per_target_update": 4}
    return settings.of_actor_critic(student, GAMMA, size=HIDDEN, learning_rate=0.03, **updates)


def learn_dqn(student: Student, env: Probe, double_q: bool, seed: int) -> dict[str, Any]:
    """Trains a DQNAgent.

    Returns:
        values: Q(s, a), shape (states, actions). actions: what was done in the last, greedy steps,
        a row (state, action) for each.
    """
    params, networks = dqn_params(student, double_q, seed), settings.q_networks(small_network)
    agent = student.module("agents.dqn_agent").DQNAgent(env, params, networks)
    played: list[tuple[float, int]] = []
    outcome = env.outcome

    def noted(state: float, action: Any) -> tuple[float, float, bool]:
        played.append((state, int(action)))
        return outcome(state, action)

    env.outcome = noted  # type: ignore[method-assign]
    for agent.t in range(DQN_STEPS):
        agent.step_env()
        for _ in range(agent.updates_due()):
            agent.train(*agent.sample(params.batch_size))
    return {
        "values": agent.critic.qa_values(_observations(env)),
        "actions": np.array(played[-DQN_GREEDY + 5 :], np.float64),
    }


def learn_actor_critic(student: Student, env: Probe, discrete: bool, seed: int) -> dict[str, Any]:
    """Trains an ACAgent.

    Returns:
        values: V(s), shape (states,). actions: drawn by the trained policy in each state, shape
        (states, SAMPLES), or (states, SAMPLES, 2) if continuous.
    """
    rollouts = student.module("infrastructure.rollouts")
    agent = student.module("agents.ac_agent").ACAgent(env, ac_params(student))
    for _ in range(ITERATIONS if discrete else ITERATIONS_CONTINUOUS):
        paths = rollouts.sample_trajectories(env, agent.actor, STEPS, 10)[0]
        agent.add_to_replay_buffer(paths)
        agent.train(*agent.sample(STEPS))
    actions = [[_act(agent.actor, ob) for _ in range(SAMPLES)] for ob in _observations(env)]
    return {
        "values": np.asarray(agent.critic.forward_np(_observations(env))).reshape(-1),
        "actions": np.array(actions, np.float64),
    }


def _act(policy: Any, ob: np.ndarray) -> np.ndarray:
    """Asks for one action, as a rollout does."""
    return np.asarray(policy.get_action(ob)).reshape(-1).squeeze()


def _observations(env: Probe) -> np.ndarray:
    """Returns the observation of each state. Shape (states, 1)."""
    return np.array(env.states, np.float32)[:, None]


Learn = Callable[[Student, Probe, bool, int], dict[str, Any]]


def try_agents(
    learn: Learn, kind: bool, envs: Sequence[type[Probe]], student: Student, seed: int
) -> None:
    """Lets `AGENTS` agents learn in each environment, each in one of its own."""

    def learned(number: int, make: type[Probe], record: dict[str, Any]) -> None:
        for agent in range(AGENTS):
            env, own_seed = make(), seed_all([285, 3, seed, number, agent])
            env.reset(seed=own_seed)
            for name, value in learn(student, env, kind, own_seed).items():
                record[f"{name}{agent}"] = value

    for number, make in enumerate(envs):
        student.try_out(make.__name__, partial(learned, number, make))


def seed_all(key: Sequence[int]) -> int:
    """Seeds whatever a student may draw from; returns a seed for the rest."""
    seed = int(np.random.SeedSequence(key).generate_state(1)[0])
    seed_generators(seed)
    return seed


probe_dqn = partial(try_agents, learn_dqn, False, PROBES)
probe_double_dqn = partial(try_agents, learn_dqn, True, PROBES)
probe_actor_critic = partial(try_agents, learn_actor_critic, True, PROBES)
probe_continuous = partial(try_agents, learn_actor_critic, False, CONTINUOUS)
