"""Probes that train a student's agents on the course's own tasks, for minutes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from autograder.hw3.critic_world import OptimizerSpec
from autograder.hw3.probe_learning import ac_params, dqn_params, seed_all
from autograder.probing import Student

# CartPole: iterations, environment steps of each, iterations from one evaluation to the next.
CARTPOLE = {"iterations": 40, "steps": 1000, "every": 5, "length": 200}
LANDER = {"steps": 200_000, "buffer": 50_000, "starts": 1000, "random": 50_000}


class TaskLimit(gym.wrappers.RecordEpisodeStatistics[Any, Any]):
    """Makes the time limit part of the task, as it is with a discount of 1, and keeps returns."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; `terminated` is true at the limit too."""
        obs, reward, terminated, truncated, info = super().step(action)
        return obs, reward, terminated or truncated, truncated, info


def make_task(name: str, seed: int, **settings: Any) -> TaskLimit:
    """Makes an environment of Gymnasium."""
    env = TaskLimit(gym.make(name, disable_env_checker=True, **settings), buffer_length=10**6)
    env.reset(seed=seed)
    return env


def probe_cartpole(student: Student, seed: int) -> None:
    """Trains actor-critic on CartPole; `returns` has the mean of each evaluation."""

    def experiment(seen: dict[str, Any]) -> None:
        rollouts = student.module("infrastructure.rollouts")
        own_seed, length = seed_all([285, 4, seed]), CARTPOLE["length"]
        env, judge = (
            make_task("CartPole-v1", own_seed + i, max_episode_steps=length) for i in (0, 1)
        )
        settings = {"ob_dim": 4, "n_layers": 2, "size": 64, "learning_rate": 5e-3, "gamma": 1.0}
        schedule = {"num_target_updates": 10, "num_grad_steps_per_target_update": 10}
        params = ac_params(True) | settings | schedule
        agent = student.module("agents.ac_agent").ACAgent(env, params)
        returns: list[float] = []
        for iteration in range(1, CARTPOLE["iterations"] + 1):
            paths = rollouts.sample_trajectories(env, agent.actor, CARTPOLE["steps"], length)[0]
            agent.add_to_replay_buffer(paths)
            agent.train(*agent.sample(CARTPOLE["steps"]))
            if iteration % CARTPOLE["every"] == 0:
                returns.append(evaluate(agent.actor, judge))
                seen["returns"] = returns

    student.try_out("CartPole", experiment)


def evaluate(policy: Any, env: TaskLimit, episodes: int = 10) -> float:
    """Returns the policy's mean return."""
    for _ in range(episodes):
        obs, done = env.reset()[0], False
        while not done:
            action = int(np.asarray(policy.get_action(obs)).reshape(-1)[0])
            obs, _, done, _, _ = env.step(action)
    return float(np.mean(list(env.return_queue)[-episodes:]))


def lander_network(ob_dim: Any, ac_dim: int) -> nn.Module:
    """Returns the course's Q-network for Lunar Lander."""
    return nn.Sequential(
        nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, ac_dim)
    )


def lander_params(seed: int) -> dict[str, Any]:
    """Returns the course's settings for Lunar Lander."""
    adam = {"lr": 1e-3, "fused": True}
    exploration = SimpleNamespace(value=lambda t: max(1 - 0.98 * float(t) / LANDER["random"], 0.02))
    return dqn_params(double_q=False, seed=seed) | {
        "ob_dim": (8,),
        "ac_dim": 4,
        "q_func": lander_network,
        "gamma": 1.0,
        "optimizer_spec": OptimizerSpec(torch.optim.Adam, adam, lambda update: 1.0),
        "exploration": exploration,
        "replay_buffer_size": LANDER["buffer"],
        "learning_starts": LANDER["starts"],
        "target_update_freq": 3000,
    }


def probe_lander(student: Student, seed: int) -> None:
    """Trains DQN on Lunar Lander; `returns` has the return of each training episode."""

    def experiment(seen: dict[str, Any]) -> None:
        own_seed = seed_all([285, 5, seed])
        env = make_task("LunarLander-v3", own_seed)
        seen["returns"] = env.return_queue
        agent = student.module("agents.dqn_agent").DQNAgent(env, lander_params(own_seed))
        for _ in range(LANDER["steps"]):
            agent.step_env()
            agent.train(*agent.sample(agent.batch_size))

    student.try_out("LunarLander", experiment)
