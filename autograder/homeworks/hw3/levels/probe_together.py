"""Probes of the parts together: a student's own agents, in the real loop, for a few dozen steps.

What is judged is that they run at all. Each agent plays a tiny game: vectors and frames, one choice
and several components, episodes that end and that are cut, batches of one and of several.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import MagicMock

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from autograder.beside.scripted import require_action
from autograder.homeworks.hw3.fakes.trainer import build
from autograder.homeworks.hw3.levels.probe_learning import ac_params, dqn_params, seed_all
from autograder.running.blame import Contract, run_together
from autograder.running.probing import Student, plain_array

STEPS, STARTS, HISTORY = 26, 8, 4  # of DQN
ITERATIONS, BATCH, EP_LEN = 3, 7, 3  # of actor-critic
ENDS = ((3, True), (4, False), (1, True), (2, False))  # steps of episodes, and whether terminated
VECTORS = gym.spaces.Box(-1.0, 1.0, (3,), np.float32)
FRAMES = gym.spaces.Box(0, 255, (6, 5), np.uint8)
CHOICE, COMPONENTS = gym.spaces.Discrete(2), gym.spaces.Box(-1.0, 1.0, (2,), np.float32)


class Game(gym.Env[np.ndarray, Any]):
    """Shows and pays random numbers; as strict about actions as CartPole and MuJoCo's tasks are."""

    def __init__(self, observations: gym.Space[Any], actions: gym.Space[Any], seed: int) -> None:
        """Draws from a generator of its own."""
        self.observation_space, self.action_space = observations, actions
        self.rng = np.random.default_rng(seed)
        self.episode = self.steps = 0

    def reset(self, **_: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode."""
        self.episode, self.steps = self.episode + 1, 0
        return self._observation(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Takes a step.

        Raises:
            ValueError: If there is no such action.
        """
        require_action(self.action_space, action)
        self.steps += 1
        length, terminated = ENDS[self.episode % len(ENDS)]
        over, reward = self.steps >= length, float(self.rng.normal())
        return self._observation(), reward, over and terminated, over and not terminated, {}

    def render(self) -> None:
        """Shows nothing, as games that were made without a `render_mode`."""

    def _observation(self) -> np.ndarray:
        shape = self.observation_space.shape
        if self.observation_space.dtype == np.uint8:
            return self.rng.integers(0, 256, shape, np.uint8)
        return self.rng.uniform(-1.0, 1.0, shape).astype(np.float32)


class Network(nn.Linear):
    """A Q-network that scales bytes itself, as that for images does here."""

    def __init__(self, ob_dim: tuple[int, ...], ac_dim: int) -> None:
        super().__init__(int(np.prod(ob_dim)), ac_dim)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Returns Q(s, a) for every action. Shape (n, ac_dim)."""
        pixels = input.float().div(255.0) if input.dtype == torch.uint8 else input
        return super().forward(pixels.flatten(1))


def train(student: Student, agent: Any, env: Game, iterations: int, batch: int) -> None:
    """Lets the student's own trainer run its loop, but log, save and show nothing."""
    sizes = dict.fromkeys(("batch_size", "train_batch_size", "eval_batch_size"), batch)
    never = dict.fromkeys(("eval_freq", "scalar_log_freq", "video_log_freq"), -1)
    of_older_handouts = {
        "stepping": agent if hasattr(agent, "step_env") else None,
        "steps_per_itr": 1,
        "logger": MagicMock(),
        "first_itr": 0,
        "stop_requested": "",
        "_progress_bar": MagicMock(),
        "_save_if_due": lambda _: False,
        "_finish": MagicMock(),
    }
    trainer: Any = build(
        student.module("infrastructure.rl_trainer"),
        params={
            "seed": 1,
            "eval_episodes": 1,
            **sizes,
            **never,
            "num_agent_train_steps_per_iter": 1,
            "ep_len": EP_LEN,
        },
        agent=agent,
        step_env=getattr(agent, "step_env", None),
        env=env,
        eval_env=env,
        next_itr=0,
        unlogged=None,
        saved_env=MagicMock(),
        random=MagicMock(),
        last_losses={},
        run=MagicMock(save_if_due=lambda *_: False),
        perform_logging=lambda *_: [float(loss) for loss in trainer.last_losses.values()],
        **of_older_handouts,
    )
    trainer.run_training_loop(iterations, agent.actor, agent.actor)


def dqn(
    student: Student, seed: int, frames: bool, double_q: bool, batch: int, record: dict[str, Any]
) -> None:
    """Trains a DQNAgent."""
    env = Game(FRAMES if frames else VECTORS, CHOICE, seed_all([285, 13, seed]))
    shape = env.observation_space.shape or ()
    schedule = student.module("infrastructure.base.schedules").PiecewiseSchedule
    params = dqn_params(double_q, seed) | {
        "exploration": schedule(((0, 1.0), (STEPS // 2, 0.1))),
        "ob_dim": (HISTORY, *shape) if frames else shape,
        "q_func": Network,
        "replay_buffer_size": 4 * STEPS,
        "frame_history_len": HISTORY if frames else 1,
        "learning_starts": STARTS,
        "target_update_freq": 3,
        "num_critic_updates_per_agent_update": 2,
        "batch_size": batch,
    }
    agent = student.module("agents.dqn_agent").DQNAgent(env, params)
    train(student, agent, env, STEPS, batch)
    record["updates"] = agent.num_param_updates


def actor_critic(student: Student, seed: int, discrete: bool, record: dict[str, Any]) -> None:
    """Trains an ACAgent."""
    env = Game(VECTORS, CHOICE if discrete else COMPONENTS, seed_all([285, 14, seed]))
    params = ac_params(discrete) | {"ob_dim": 3, "num_critic_updates_per_agent_update": 2}
    agent = student.module("agents.ac_agent").ACAgent(env, params)
    train(student, agent, env, ITERATIONS, BATCH)
    record["steps"] = BATCH * ITERATIONS


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
TAKEN = Contract("hw3.dqn.act", f"{__name__}:Game.step", taken, of_arguments=True)
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
LEAVES_GRADIENTS = tuple(
    Contract(blank, f"cs285.{place}", None)
    for blank, place in {
        "hw3.argmax.action": "policies.argmax_policy:ArgMaxPolicy.get_action",
        "hw3.dqn.double_q": "critics.dqn_critic:DQNCritic.double_q_values",
        "hw3.dqn.targets": "critics.dqn_critic:DQNCritic.update",
        "hw3.dqn.act": "agents.dqn_agent:DQNAgent.step_env",
        "hw3.dqn.update": "agents.dqn_agent:DQNAgent.train",
        "hw3.ac.advantage": "agents.ac_agent:ACAgent.estimate_advantage",
        "hw3.policy.get_action": "policies.MLP_policy:MLPPolicyAC.get_action",
        "hw3.policy.forward": "policies.MLP_policy:MLPPolicyAC.forward",
        "hw3.policy.update": "policies.MLP_policy:MLPPolicyAC.update",
        "hw3.critic.update": (
            "critics.bootstrapped_continuous_critic:BootstrappedContinuousCritic.update"
        ),
        "hw3.rollouts.sample_trajectory": "infrastructure.rollouts:sample_trajectory",
        "hw3.trainer.collect": (
            "infrastructure.rl_trainer:RL_Trainer.collect_training_trajectories"
        ),
        "hw3.ac.train": "agents.ac_agent:ACAgent.train",
    }.items()
)
DQN_CONTRACTS = (SHOWN, GREEDY, VALUED, DQN_LOG, TAKEN, *LEAVES_GRADIENTS[:5])
ACTOR_CRITIC_CONTRACTS = (
    *(RECORDED, ASKED, DRAWN, PATH, PAIR, ENOUGH, AC_LOG),
    *LEAVES_GRADIENTS[5:],
)


def probe_dqn(student: Student, seed: int) -> None:
    """Trains DQN and double DQN on vectors and on frames."""
    trials = {
        f"{'double ' * double_q}DQN, {'frames' if frames else 'vectors'}, batches of {batch}":
        partial(dqn, student, seed, frames, double_q, batch)
        for frames, double_q, batch in (
            (False, False, 5), (False, True, 5), (True, True, 3), (True, False, 1),
        )
    }  # fmt: skip
    run_together(student, trials, DQN_CONTRACTS)


def probe_actor_critic(student: Student, seed: int) -> None:
    """Trains actor-critic on one choice, and on several components."""
    trials = {
        f"actor-critic, {kind}, batches of {BATCH}": partial(
            actor_critic, student, seed, kind == "discrete"
        )
        for kind in ("discrete", "continuous")
    }
    run_together(student, trials, ACTOR_CRITIC_CONTRACTS)
