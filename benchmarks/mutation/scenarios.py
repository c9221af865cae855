"""The short trainings: a script, its flags, and a task that is made so that a change shows.

Numbers are of both signs and beyond every clip; episodes end and are cut; observations are vectors,
stacks of frames and one-hot; actions have one component or several; batches have many rows or one.
Where a blank depends on a flag, there is a training for each of its values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np

DQN, ACTOR_CRITIC = "run_hw3_dqn", "run_hw3_actor_critic"


class TinyTask(gym.Env[Any, Any]):
    """A task in which everything matters: the last observation, the action, and chance."""

    def __init__(
        self,
        kind: str = "vector",
        actions: int = 3,
        continuous: bool = False,
        bound: float = np.inf,
        easy: bool = False,
    ) -> None:
        """Makes one.

        Args:
            kind: What it shows: a "vector", the number of a "state", or "frames".
            actions: How many there are, or components of one.
            continuous: Whether an action is a vector.
            bound: How large its components may be.
            easy: Whether the first action is worth 1, the others cost 1, and no episode ends but by
                its limit: who plays well scores much more than who plays at random.
        """
        self.easy = easy
        self.kind, self.continuous = kind, continuous
        shapes: dict[str, gym.Space[Any]] = {
            "vector": gym.spaces.Box(-np.inf, np.inf, (4,), np.float32),
            "state": gym.spaces.Discrete(4),
            "frames": gym.spaces.Box(0, 255, (5, 4), np.uint8),
        }
        self.observation_space = shapes[kind]
        box = gym.spaces.Box(-bound, bound, (actions,), np.float32)
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
        ends = bool(self.np_random.random() < 0.12)
        if self.easy:
            reward, ends = (1.0 if action == 0 else -1.0), False
        return self._observation(), reward, ends, False, {}

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
        tiny_task: The task's settings.
        limit: Steps after which the task cuts an episode.
        frames: Frames in an observation, where they are stacked.
    """

    script: str
    flags: str
    tiny_task: Mapping[str, Any] = field(default_factory=dict)
    limit: int = 7
    frames: int = 1


def _actor_critic(flags: str, limit: int = 7, **tiny_task: Any) -> Scenario:
    rest = "-l 1 -s 5 --scalar_log_freq 1 --eval_episodes 1"
    return Scenario(ACTOR_CRITIC, f"{flags} {rest}", tiny_task, limit)


def _dqn(flags: str, frames: int = 1, limit: int = 7, **tiny_task: Any) -> Scenario:
    rest = "--learning_rate 0:1e-2,60:1e-3 -l 1 -s 6 --scalar_log_freq 20 --eval_freq 20"
    rest += " --eval_episodes 1"
    return Scenario(DQN, f"{flags} {rest}", tiny_task, limit, frames)


def _policy_gradient(flags: str, **tiny_task: Any) -> Scenario:
    return Scenario(
        "run_hw2", f"-n 4 -b 13 --eval_episodes 1 -l 1 -s 5 --discount 0.9 {flags}", tiny_task
    )


def _off_policy(algorithm: str, flags: str, actions: int = 2, limit: int = 7) -> Scenario:
    rest = "-l 1 -s 6 --num_timesteps 60 --start_steps 8 --learning_starts 10 --discount 0.9"
    rest += " --buffer_size 40 --learning_rate 3e-2 --scalar_log_freq 10 --eval_freq 30"
    rest += " --eval_episodes 1"
    tiny_task = {"continuous": True, "actions": actions, "bound": 2.0}
    return Scenario(f"run_hw4_{algorithm}", f"{rest} {flags}", tiny_task, limit)


def _segments(algorithm: str, flags: str, **tiny_task: Any) -> Scenario:
    rest = "-n 4 -l 1 -s 5 --discount 0.9 --gae_lambda 0.8 --eval_episodes 1"
    return Scenario(f"run_hw5_{algorithm}", f"{rest} {flags}", tiny_task)


def _portfolio(selector: str, *flags: str, **tiny_task: Any) -> Scenario:
    rest = "--num_timesteps 700 --learning_starts 9 --batch_size 4 --buffer_size 90"
    rest += " --members dqn:learning_rate=1e-2,dqn:discount=0.5,dqn --scalar_log_freq 100"
    rest += " --time_limit terminal"
    rest += f" --eval_freq 300 --eval_episodes 1 --selector {selector}"
    return Scenario("run_hw6", " ".join((rest, *flags)), tiny_task)


SCENARIOS = {
    "policy gradient": _policy_gradient(""),
    "reward-to-go": _policy_gradient("-rtg -dsa", continuous=True),
    "baseline": _policy_gradient("-rtg --nn_baseline -bgs 2"),
    "lambda": _policy_gradient("-rtg --nn_baseline --gae_lambda 0.8", continuous=True),
    "lambda of one": _policy_gradient("-rtg --nn_baseline --gae_lambda 1"),
    "lambda of zero": _policy_gradient("-rtg --nn_baseline --gae_lambda 0 -dsa"),
    "whole returns with a baseline": _policy_gradient(
        "--nn_baseline -bgs 3 -dsa", continuous=True, actions=3
    ),
    "one path, so equal advantages": _policy_gradient("-b 1"),
    "undiscounted": _policy_gradient("-rtg --nn_baseline --discount 1", continuous=True, actions=1),
    "ddpg": _off_policy("ddpg", "--tau 0.2 --exploration_noise 0.4 -b 6"),
    "ddpg, batch of one": _off_policy(
        "ddpg", "--tau 0.5 --exploration_noise 2 -b 1", actions=1, limit=3
    ),
    "td3": _off_policy(
        "td3", "--tau 0.2 --exploration_noise 0.4 -b 6 --target_noise 0.8 --noise_clip 0.5"
    ),
    "td3, noise beyond the bounds": _off_policy(
        "td3", "--tau 0.3 -b 5 --target_noise 1.5 --noise_clip 1.8 --policy_delay 3", actions=3
    ),
    "td3, batch of one": _off_policy(
        "td3", "--tau 0.3 -b 1 --target_noise 0.3 --policy_delay 1", actions=1, limit=3
    ),
    "sac": _off_policy("sac", "--tau 0.2 -b 6"),
    "sac, double": _off_policy("sac", "--tau 0.3 -b 5 --q_backup double --target_entropy 0.5"),
    "sac, single": _off_policy(
        "sac", "--tau 0.3 -b 4 --q_backup single --temperature 0.7", actions=3
    ),
    "sac, batch of one": _off_policy("sac", "--tau 0.4 -b 1", actions=1, limit=3),
    "ppo": _segments(
        "ppo", "-b 24 -mb 10 --num_epochs 4 -lr 0.05 --clip_ratio 0.1 --max_grad_norm 0.3"
    ),
    "ppo, continuous": _segments(
        "ppo", "-b 30 --num_envs 2 -mb 12 --num_epochs 3 -lr 0.05 --entropy_coef 0.05 --anneal "
        "--value_coef 0.2 --max_grad_norm 50 --normalize_observations", continuous=True,
    ),
    "ppo, left early": _segments(
        "ppo", "-b 24 -mb 8 --num_epochs 5 -lr 0.05 --target_kl 0.01 --entropy_coef 0.1"
    ),
    "ppo, minibatches of two": _segments(
        "ppo", "-b 6 -mb 2 --num_epochs 2 -lr 0.02", continuous=True, actions=1
    ),
    "trpo": _segments("trpo", "-b 24 -mb 10 --num_epochs 2 --max_kl 0.05 -blr 0.02"),
    "trpo, continuous": _segments(
        "trpo", "-b 30 --num_envs 2 -mb 12 --num_epochs 2 --max_kl 0.3 --cg_steps 3 --damping 0.3 "
        "-blr 0.02 --normalize_observations", continuous=True,
    ),
    "trpo, steps too long": _segments(
        "trpo", "-n 6 -b 20 -mb 20 --num_epochs 1 --max_kl 1 --damping 0 --line_search_steps 3 "
        "--line_search_shrink 0.5"
    ),
    "trpo, one component": _segments(
        "trpo", "-b 20 -mb 20 --num_epochs 1 --max_kl 1 --damping 0 --line_search_steps 3 "
        "--line_search_shrink 0.5", continuous=True, actions=1,
    ),
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
    "one member is best": _portfolio(
        "d3rb", "--members dqn:learning_rate=3e-2:exploration=0.02,dqn:exploration=1", easy=True
    ),
}  # fmt: skip


def scenarios(homework: str) -> list[str]:
    """Returns the names of those that train with a homework's scripts."""
    return [name for name, one in SCENARIOS.items() if one.script.startswith(f"run_{homework}")]
