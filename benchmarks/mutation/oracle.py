"""Short real trainings, whose weights and logs tell whether a change of the source is one at all.

Training is exact: with one thread and one seed, two runs of the same code end with the same bits.
The tasks are made so that a change shows. Numbers are of both signs and beyond every clip;
episodes end and are cut; observations are vectors, stacks of frames and one-hot; actions have one
component or several; batches have many rows or one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from autograder.submission import Tree, imported_from
from tests.running import load_script

DQN, ACTOR_CRITIC = "run_hw3_dqn", "run_hw3_actor_critic"


class World(gym.Env[Any, Any]):
    """A task in which everything matters: the last observation, the action, and chance."""

    def __init__(self, kind: str = "vector", actions: int = 3, continuous: bool = False) -> None:
        """Makes one that shows a "vector", the number of a "state", or "frames"."""
        self.kind, self.continuous = kind, continuous
        shapes: dict[str, gym.Space[Any]] = {
            "vector": gym.spaces.Box(-np.inf, np.inf, (4,), np.float32),
            "state": gym.spaces.Discrete(4),
            "frames": gym.spaces.Box(0, 255, (5, 4), np.uint8),
        }
        self.observation_space = shapes[kind]
        box = gym.spaces.Box(-np.inf, np.inf, (actions,), np.float32)
        self.action_space = box if continuous else gym.spaces.Discrete(actions)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begins anywhere."""
        super().reset(seed=seed)
        self.state = self.np_random.normal(size=4) * 3.0
        return self._observation(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Moves, and pays about as much as was asked for."""
        if not self.action_space.contains(action if not self.continuous else np.asarray(action)):
            raise ValueError(f"{action!r} is no action")  # as strict environments do
        push = float(np.tanh(np.asarray(action) * np.arange(1, 1 + np.size(action))).sum())
        self.state = 0.6 * np.roll(self.state, 1) + push + self.np_random.normal(size=4)
        reward = float(12.0 * np.sin(self.state.sum()) + push - 1.0)
        return self._observation(), reward, bool(self.np_random.random() < 0.12), False, {}

    def _observation(self) -> Any:
        if self.kind == "vector":
            return self.state.astype(np.float32)
        if self.kind == "state":
            return int(abs(self.state[0])) % 4
        return np.outer([1, 2, 3, 5, 8], np.abs(self.state) * 20).astype(np.int64).astype(np.uint8)


@dataclass(frozen=True)
class Scenario:
    """A script's training, in one of these tasks.

    Attributes:
        script: Without ".py".
        flags: Its own.
        world: The task's settings.
        limit: Steps after which the task cuts an episode.
        frames: Frames in an observation, where they are stacked.
    """

    script: str
    flags: str
    world: Mapping[str, Any] = field(default_factory=dict)
    limit: int = 7
    frames: int = 1


def _actor_critic(flags: str, limit: int = 7, **world: Any) -> Scenario:
    rest = "-l 1 -s 5 --scalar_log_freq 1 -eb 3"
    return Scenario(ACTOR_CRITIC, f"{flags} {rest}", world, limit)


def _dqn(flags: str, frames: int = 1, limit: int = 7, **world: Any) -> Scenario:
    rest = "--learning_rate 0:1e-2,60:1e-3 -l 1 -s 6 --scalar_log_freq 20 --eval_freq 20"
    rest += " --eval_batch_size 3 --eval_episodes 1"
    return Scenario(DQN, f"{flags} {rest}", world, limit, frames)


def _policy_gradient(flags: str, **world: Any) -> Scenario:
    return Scenario("run_hw2", f"-n 4 -b 13 -eb 3 -l 1 -s 5 --discount 0.9 {flags}", world)


def _portfolio(selector: str, *flags: str) -> Scenario:
    rest = "--num_timesteps 700 --learning_starts 9 --batch_size 4 --buffer_size 90"
    rest += " --members dqn:learning_rate=1e-2,dqn:discount=0.5,dqn --scalar_log_freq 100"
    rest += " --time_limit terminal"
    rest += f" --eval_freq 300 --eval_episodes 1 --selector {selector}"
    return Scenario("run_hw6", " ".join((rest, *flags)))


SCENARIOS = {
    "policy gradient": _policy_gradient(""),
    "reward-to-go": _policy_gradient("-rtg -dsa", continuous=True),
    "baseline": _policy_gradient("-rtg --nn_baseline -bgs 2 --action_noise_std 0.3"),
    "lambda": _policy_gradient("-rtg --nn_baseline --gae_lambda 0.8", continuous=True),
    "lambda, whole returns": _policy_gradient("--nn_baseline --gae_lambda 1"),
    "dqn": _dqn(
        "--num_timesteps 60 --learning_starts 9 --exploration 0:1,30:0.2 --batch_size 6 "
        "--buffer_size 30 --learning_freq 2 --target_update_freq 3 --discount 0.9 "
        "--num_critic_updates_per_agent_update 2 --num_agent_train_steps_per_iter 2"
    ),
    "double dqn": _dqn(
        "--num_timesteps 60 --learning_starts 9 --exploration 0.3 --batch_size 5 --buffer_size 200 "
        "--target_update_freq 4 --discount 1 --double_q --grad_norm_clipping 0.05"
    ),
    "dqn, batch of one": _dqn(
        "--num_timesteps 50 --learning_starts 5 --exploration 0.3 --batch_size 1 --buffer_size 20 "
        "--target_update_freq 2 --discount 0.8 --double_q",
        kind="state", actions=2,
    ),
    "dqn, frames": _dqn(
        "--num_timesteps 170 --learning_starts 120 --exploration 0.4 --batch_size 4 --seed 2 "
        "--buffer_size 100 --target_update_freq 5 --discount 0.9 --learning_freq 3",
        frames=3, kind="frames",
    ),
    "actor-critic": _actor_critic(
        "-n 5 -b 15 --discount 0.9 -ntu 3 -ngsptu 2 --num_critic_updates_per_agent_update 2 "
        "--num_actor_updates_per_agent_update 3 --ep_len 6"
    ),
    "actor-critic, one-hot": _actor_critic("-n 4 -b 12 -ntu 2 -ngsptu 1 -dsa", kind="state"),
    "continuous": _actor_critic(
        "-n 5 -b 14 --discount 0.9 -ntu 2 -ngsptu 3 --num_agent_train_steps_per_iter 2 "
        "--time_limit bootstrap", actions=3, continuous=True,
    ),
    "continuous, one component": _actor_critic(
        "-n 4 -b 9 --discount 0.5 -ntu 1 -ngsptu 2", actions=1, continuous=True
    ),
    "continuous, batch of one": _actor_critic(
        "-n 6 -b 1 --discount 0.9 -ntu 2 -ngsptu 2 --ep_len 1 -dsa", actions=2, continuous=True
    ),
    **{
        selector: _portfolio(selector)
        for selector in ("uniform", "ucb1", "ssbas", "esbas", "exp3", "d3rb", "d3rb(ucb1,exp3)")
    },
    "own experience": _portfolio("ssbas", "--own_experience"),
}  # fmt: skip


def scenarios(homework: str) -> list[str]:
    """Returns the names of those that train with a homework's scripts."""
    return [name for name, one in SCENARIOS.items() if one.script.startswith(f"run_{homework}")]


class FramesNetwork(torch.nn.Module):
    """A small Q-network for stacks of frames."""

    def __init__(self, inputs: int, actions: int) -> None:
        """Builds one layer."""
        super().__init__()
        self.layer = torch.nn.Linear(inputs, actions)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        """Returns the action values."""
        values: torch.Tensor = self.layer(frames.flatten(1).float() / 255.0)
        return values


def train(tree: Tree, name: str, folder: Path) -> tuple[str, list[str]]:
    """Runs a scenario with a package.

    Returns:
        A digest of its log and weights, and the files within cs285 that it depends on.

    Raises:
        RuntimeError: If the script ends with another status than 0; and whatever it raises.
    """
    scenario = SCENARIOS[name]
    gym.register(
        id="Mutant-v0",
        entry_point=lambda **settings: World(**settings),
        kwargs=dict(scenario.world),
        max_episode_steps=scenario.limit,
    )
    with imported_from(tree) as finder:
        script = load_script(scenario.script)
        quicken(script, scenario)
        words = [*scenario.flags.split(), "--env_name", "Mutant-v0", "--no_gpu"]
        status = script.main([*words, "--threads", "1", "--data_dir", str(folder)])
        if status:
            raise RuntimeError(f"the script ends with status {status}")
        return digest(next(folder.iterdir())), sorted(finder.touched)


def quicken(script: Any, scenario: Scenario) -> None:
    """Leaves out what takes long and does not learn; stacks frames where the scenario has them."""
    from cs285.infrastructure import config, envs, rl_trainer

    def nothing(*args: Any) -> None:
        return None

    vars(config)["write_config_json"] = vars(rl_trainer)["draw_learning_curve"] = nothing
    if scenario.frames == 1:
        return

    def make_env(config: Any, training: bool, render: str | None = None) -> Any:
        env = gym.wrappers.RecordEpisodeStatistics(gym.make("Mutant-v0", disable_env_checker=True))
        whole: Any = envs.SeededResets(env)
        return (
            whole
            if training
            else gym.wrappers.FrameStackObservation(whole, scenario.frames, padding_type="zero")
        )

    def agent_params(
        env: Any, config: Any, params: Callable[..., Any] = script.agent_params
    ) -> Any:
        shape = (scenario.frames, *env.observation_space.shape)
        own = {"ob_dim": shape, "frame_history_len": scenario.frames}
        network = lambda ob_dim, ac_dim: FramesNetwork(int(np.prod(ob_dim)), ac_dim)  # noqa: E731
        return params(env, config) | own | {"q_func": network}

    script.make_env, script.agent_params = make_env, agent_params


def digest(run_dir: Path) -> str:
    """Returns a hash of a finished run's log, the clock left out, and of all its weights."""
    from cs285.infrastructure.logger import WALL_CLOCK_COLUMNS, read_log

    found = hashlib.sha256()
    for column, values in read_log(run_dir).items():
        if column not in WALL_CLOCK_COLUMNS:
            found.update(column.encode() + values.tobytes())
    found.update((run_dir / "weights.safetensors").read_bytes())
    return found.hexdigest()
