"""Updates alone, plain and compiled in turns: processor time of each, and seconds to compile.

    python benchmarks/compiled_updates.py dqn ppo

The networks and batches are those of the handouts: DQN on LunarLander, the others on HalfCheetah.
Processor time is counted, so other work on the machine matters less; caches that others fill do.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from common import spread, table

from cs285.agents.ddpg_agent import DDPGAgent
from cs285.agents.ppo_agent import PPOAgent
from cs285.agents.sac_agent import SACAgent
from cs285.agents.td3_agent import TD3Agent
from cs285.configs.ddpg import DDPGConfig
from cs285.configs.dqn import DQNConfig
from cs285.configs.ppo import PPOConfig
from cs285.configs.sac import SACConfig
from cs285.configs.td3 import TD3Config
from cs285.critics.dqn_critic import DQNCritic
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.compiled.updates import PLAIN_CALLS, CompiledUpdates
from cs285.infrastructure.training.agent import Compilable

OB, AC = 17, 6  # of HalfCheetah
Learner = tuple[list[Compilable], Callable[..., Any], list[tuple[Any, ...]]]
BATCHES = 16


class Nowhere(gym.Env[np.ndarray, np.ndarray]):
    """Stands for HalfCheetah: nothing is played here."""

    num_envs = 1
    observation_space = gym.spaces.Box(-np.inf, np.inf, (OB,))
    action_space = gym.spaces.Box(-1.0, 1.0, (AC,))

    def reset(self, **_: Any) -> Any:
        """Returns zeros."""
        return np.zeros((1, OB), np.float32), {}


def arrays(*shapes: tuple[int, ...]) -> list[tuple[np.ndarray, ...]]:
    """Returns batches of columns of these shapes."""
    rng = np.random.default_rng(1)
    one = [tuple(rng.uniform(-1, 1, s).astype(np.float32) for s in shapes) for _ in range(BATCHES)]
    return one


def dqn() -> Learner:
    """DQN's update of arrays."""
    settings: dict[str, Any] = {"frame_history_len": 1, "double_q": True, "discount": 1.0}
    settings |= {"learning_rate": "1e-3", "adam_eps": 1e-8}
    critic = DQNCritic((8,), 4, DQNConfig(**settings))
    batches = [
        (ob, np.arange(32) % 4, next_ob, re, np.zeros(32, np.float32))
        for ob, next_ob, re in arrays((32, 8), (32, 8), (32,))
    ]
    return [Compilable(critic, "gradient_step", [critic.optimizer])], critic.update, batches


def ppo() -> Learner:
    """PPO's update of a minibatch."""
    env: Any = Nowhere()
    env.reset = lambda: np.zeros((1, OB), np.float32)
    env.spaces = env.observation_space, env.action_space
    agent = PPOAgent(env, PPOConfig())
    batches = [
        tuple(map(torch.from_numpy, columns))
        for columns in arrays((64, OB), (64, AC), (64,), (64,), (64,))
    ]
    return agent.compilable_updates(), agent.update, batches


def off_policy(kind: Any, settings: Any) -> Learner:
    """The update of an agent of homework 4."""
    agent = kind(Nowhere(), settings(buffer_size=1000))
    batches = arrays((256, OB), (256, AC), (256,), (256, OB), (256,))
    return agent.compilable_updates(), agent.train, batches


LEARNERS: dict[str, Callable[[], Learner]] = {
    "dqn": dqn,
    "ppo": ppo,
    "sac": lambda: off_policy(SACAgent, SACConfig),
    "td3": lambda: off_policy(TD3Agent, TD3Config),
    "ddpg": lambda: off_policy(DDPGAgent, DDPGConfig),
}


def milliseconds(update: Callable[..., Any], batches: list[tuple[Any, ...]], times: int) -> float:
    """Returns the processor's milliseconds for each of a number of updates."""
    began = time.process_time()
    for batch in itertools.islice(itertools.cycle(batches), times):
        update(*batch)
    return 1000 * (time.process_time() - began) / times


def measure(name: str, times: int, rounds: int) -> list[str]:
    """Returns a row of the table."""
    torch.manual_seed(0)
    _, plain, batches = LEARNERS[name]()
    updates, compiled, _ = LEARNERS[name]()
    notes: list[str] = []
    watched = CompiledUpdates(updates, lambda _: contextlib.nullcontext(), notes.append)
    for batch in batches[: 2 * PLAIN_CALLS + 3]:  # TD3's actor learns in every other update
        plain(*batch)
        compiled(*batch)
    assert not any(update.plain for update in watched.updates), notes
    pairs = [
        (milliseconds(plain, batches, times), milliseconds(compiled, batches, times))
        for _ in range(rounds)
    ]
    before, now = np.array(pairs).T
    seconds = sum(update.seconds for update in watched.updates)
    return [name, spread(before, 3), spread(now, 3), spread(before / now), f"{seconds:.0f}"]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"some of {', '.join(LEARNERS)}; default: all")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--times", type=int, default=200, help="updates a round")
    args = parser.parse_args()
    ptu.set_up(seed=1, threads=1, no_gpu=True, which_gpu=0)
    head = ["update", "plain, ms", "compiled, ms", "plain / compiled", "compiled in, s"]
    for name in args.names or LEARNERS:
        times = args.times if name in ("dqn", "ppo") else max(2, args.times // 20)
        print(table(head, [measure(name, times, args.rounds)]), flush=True)
    print(f"load: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
