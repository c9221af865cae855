"""What the parts of homework 3's agents promise each other about forms: see `blame`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.running.blame import Contract
from autograder.running.probing import plain_array


def fitting(value: Any, shape: tuple[int, ...], kinds: str) -> np.ndarray:
    """Returns numbers in a shape, of a kind; zeros if they are too few or too many."""
    array = plain_array(value)
    if array.dtype.kind not in kinds:
        array = array.astype(np.int64 if "i" in kinds else np.float32)
    return array.reshape(shape) if array.size == np.prod(shape) else np.zeros(shape, array.dtype)


def greedy(action: Any, policy: Any, obs: np.ndarray) -> np.ndarray:
    """Keeps what a greedy policy's `get_action` promises."""
    return fitting(action, (1 if obs.ndim == len(policy.critic.ob_dim) else len(obs),), "iu")


def drawn(action: Any, policy: Any, obs: np.ndarray) -> np.ndarray:
    """Keeps what a stochastic policy's `get_action` promises."""
    rows = len(obs) if obs.ndim > 1 else 1
    if policy.discrete:
        return fitting(action, (rows,), "iu")
    return fitting(action, (rows, policy.ac_dim), "f")


def valued(values: Any, critic: Any, next_ob_no: torch.Tensor) -> torch.Tensor:
    """Keeps what `double_q_values` promises."""
    return torch.as_tensor(fitting(values, (len(next_ob_no),), "f"), dtype=torch.float32)


def log_of(log: Any, *_: Any) -> Any:
    """Keeps what an agent's `train` promises: numbers by name."""
    losses = log if isinstance(log, Mapping) else {}
    return {name: float(fitting(loss, (), "iuf")) for name, loss in losses.items()}


def collected(result: Any, *_: Any) -> Any:
    """Keeps what a trainer's `collect_training_trajectories` promises: two things."""
    return tuple(result[:2])


def enough(result: Any, trainer: Any, itr: Any, policy: Any, batch_size: int) -> Any:
    """Keeps what a trainer's `collect_training_trajectories` promises: as many steps as asked."""
    paths = list(result[0])
    while sum(len(path["reward"]) for path in paths) < batch_size:
        paths += paths[-1:]
    return paths, sum(len(path["reward"]) for path in paths)


def path_of(path: Any, env: Any, *_: Any, **__: Any) -> Any:
    """Keeps what a path promises about its shapes."""
    ob, ac = env.observation_space.shape, env.action_space.shape
    shapes = {"observation": ob, "next_observation": ob, "action": ac, "reward": (), "terminal": ()}
    rows = len(path["reward"])
    right = {name: fitting(path[name], (rows, *shape), "f") for name, shape in shapes.items()}
    return {**path, **right}


def shown(policy: Any, obs: Any) -> tuple[Any, np.ndarray]:
    """Keeps what is promised to a policy's `get_action`."""
    return policy, plain_array(obs)


def asked(policy: Any, observation: Any) -> tuple[Any, torch.Tensor]:
    """Keeps what is promised to a policy's `forward`."""
    tensor = torch.as_tensor(observation, dtype=torch.float32)
    return policy, tensor.reshape(-1, policy.ob_dim)


def taken(env: Any, action: Any) -> tuple[Any, Any]:
    """Keeps what is promised to an environment with discrete actions."""
    whole = isinstance(action, int | np.integer)
    return env, action if whole else int(fitting(action, (), "iu"))


POLICY, TRAINER = "cs285.policies.MLP_policy:MLPPolicyAC", "cs285.infrastructure.rl_trainer"
ARGMAX = "cs285.policies.argmax_policy:ArgMaxPolicy.get_action"
SHOWN = Contract("", ARGMAX, shown, of_arguments=True)
GREEDY = Contract("hw3.argmax.action", ARGMAX, greedy)
VALUED = Contract("hw3.dqn.double_q", "cs285.critics.dqn_critic:DQNCritic.double_q_values", valued)
DQN_LOG = Contract("hw3.dqn.update", "cs285.agents.dqn_agent:DQNAgent.train", log_of)
TAKEN = Contract(
    "hw3.dqn.act", "autograder.running.scripted:ScriptedEnv.step", taken, of_arguments=True
)
ASKED = Contract("", f"{POLICY}.forward", asked, of_arguments=True)
RECORDED = Contract("", f"{POLICY}.get_action", shown, of_arguments=True)
DRAWN = Contract("hw3.policy.get_action", f"{POLICY}.get_action", drawn)
PAIR = Contract(
    "hw3.trainer.collect", f"{TRAINER}:RL_Trainer.collect_training_trajectories", collected
)
ENOUGH = replace(PAIR, keep=enough, reason="collects fewer steps than batch_size")
PATH = Contract(
    "hw3.rollouts.sample_trajectory", "cs285.infrastructure.rollouts:sample_trajectory", path_of
)
AC_LOG = Contract("hw3.ac.train", "cs285.agents.ac_agent:ACAgent.train", log_of)
DQN_CONTRACTS = (SHOWN, GREEDY, VALUED, DQN_LOG, TAKEN)
ACTOR_CRITIC_CONTRACTS = (RECORDED, ASKED, DRAWN, PATH, PAIR, ENOUGH, AC_LOG)
