"""The contestant "bare": the least that a step of DQN needs, each part timed alone.

seconds per step = environment step + forward pass of one observation + update / learning_freq

There is no replay buffer, no log, no progress bar and no schedule, and the batches are made
beforehand. The update is written out here as plain PyTorch, on the same network and optimizer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from contest import CLOCK, Turns
from torch import nn

from cs285.agents.dqn_agent import DQNAgent
from cs285.experiments.dqn import EXPERIMENT
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.matrix_library import choose_library

NUM_BATCHES = 64


def run_bare(turns: Turns, argv: Sequence[str]) -> None:
    """Reports the parts of a step of `scripts/run_hw3_dqn.py argv`, block by block."""
    config = EXPERIMENT.resolve(parse_config(EXPERIMENT.config_class, argv, "")[0])
    ptu.set_up(config.seed, config.threads, config.no_gpu, config.which_gpu)
    agent = DQNAgent(EXPERIMENT.make_env(config, training=True), config)
    choose_library(agent.policy_state_dict().values(), config.batch_size)
    for agent.t in range(1000):
        agent.step_env()
    batches = [agent.replay_buffer.sample(config.batch_size) for _ in range(NUM_BATCHES)]
    critic = agent.critic
    act = environment_step(agent.env, agent.num_actions)
    look = forward(critic.q_net, torch.as_tensor(batches[0][0]))
    learn = update(
        critic.q_net, critic.q_net_target, critic.optimizer, config.discount, tensors(batches)
    )
    while True:
        turns.wait()
        seconds = {
            "environment step": time_alone(act, turns.block),
            "forward": time_alone(look, turns.block),
            "update": time_alone(learn, turns.block // config.learning_freq),
        }
        step = sum(seconds.values()) - seconds["update"] * (1 - 1 / config.learning_freq)
        turns.report({"step": step, **seconds})


def time_alone(function: Callable[[], None], times: int) -> float:
    """Returns the mean seconds of a call."""
    began = CLOCK()
    for _ in range(times):
        function()
    return (CLOCK() - began) / times


def environment_step(env: gym.Env[Any, Any], num_actions: int) -> Callable[[], None]:
    """Returns a function that takes a random step, and begins a new episode after the last."""
    rng = np.random.default_rng(0)

    def act() -> None:
        _, _, terminated, truncated, _ = env.step(int(rng.integers(num_actions)))
        if terminated or truncated:
            env.reset()

    return act


def forward(net: nn.Module, ob_no: torch.Tensor) -> Callable[[], None]:
    """Returns a function that finds the best action for one observation."""
    one = ob_no[:1]

    def look() -> None:
        with torch.no_grad():
            net(one).argmax().item()

    return look


def tensors(batches: Sequence[Sequence[np.ndarray]]) -> list[tuple[torch.Tensor, ...]]:
    """Returns batches of a replay buffer as tensors."""
    return [tuple(torch.as_tensor(part) for part in batch) for batch in batches]


def update(
    net: nn.Module,
    target_net: nn.Module,
    optimizer: torch.optim.Optimizer,
    discount: float,
    batches: Sequence[tuple[torch.Tensor, ...]],
) -> Callable[[], None]:
    """Returns a function that takes one gradient step of DQN, on one batch after another."""
    endless = itertools.cycle(batches)

    def learn() -> None:
        ob_no, ac_na, re_n, next_ob_no, terminal_n = next(endless)
        with torch.no_grad():
            q_tp1 = target_net(next_ob_no).max(dim=1).values
            target = re_n + discount * (1.0 - terminal_n) * q_tp1
        q_t = net(ob_no).gather(1, ac_na.unsqueeze(1)).squeeze(1)
        loss = nn.functional.smooth_l1_loss(q_t, target)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_value_(net.parameters(), 10.0)
        optimizer.step()

    return learn
