"""What DDPG, TD3 and SAC share, none of it an equation: flags, environments, and steps."""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cs285.infrastructure.config import (
    LayerConfig,
    UserError,
    flag,
    open_run,
    parse_config,
)

if TYPE_CHECKING:  # scripts read flags before they import what takes seconds
    import gymnasium as gym

    from cs285.infrastructure.rl_trainer import OnPolicyAgent
    from cs285.infrastructure.rollouts import Policy
    from cs285.infrastructure.transition_buffer import Batch, TransitionBuffer

UNITS = 256  # of each hidden layer, by default
ConfigT = TypeVar("ConfigT", bound="OffPolicyConfig")


@dataclasses.dataclass(frozen=True)
class OffPolicyConfig(LayerConfig):
    """The flags that all three scripts have; the defaults are those of Stable-Baselines3."""

    env_name: str = flag("Pendulum-v1", "id of a Gymnasium environment")
    num_timesteps: int = flag(20_000, "environment steps of the run", positive=True)
    ep_len: int | None = flag(
        None, "longest episode; default: the environment's own", positive=True
    )
    batch_size: int = flag(256, "transitions per update", "-b", positive=True)
    eval_batch_size: int = flag(1, "environment steps per evaluation, at least", positive=True)
    eval_episodes: int = flag(10, "whole episodes per evaluation, at least", positive=True)
    num_agent_train_steps_per_iter: int = flag(1, "updates per step", positive=True)
    discount: float = flag(0.99, "gamma, per step", low=0.0, high=1.0)
    learning_rate: float = flag(1e-3, "Adam's step size, for all networks", "-lr", positive=True)
    tau: float = flag(0.005, "how far target networks move per update", low=0.0, high=1.0)
    buffer_size: int = flag(1_000_000, "transitions in the replay buffer", positive=True)
    random_steps: int = flag(100, "steps of uniformly random actions at first", low=0)
    learning_starts: int = flag(100, "steps before the first update", low=0)
    activation: str = flag("relu", "after each hidden layer", "--act", choices=("tanh", "relu"))
    scalar_log_freq: int = flag(1_000, "steps from one row of the log to the next")
    eval_freq: int = flag(5_000, "steps from one evaluation to the next; -1: never")
    video_log_freq: int = flag(-1, "steps from one video to the next; -1: never")


def resolve(config: ConfigT) -> ConfigT:
    """Checks what flags alone can't."""
    if config.buffer_size < config.batch_size:
        raise UserError(
            f"--buffer_size {config.buffer_size} never holds a batch of --batch_size "
            f"{config.batch_size}: give a larger buffer or a smaller batch"
        )
    sizes = config.hidden_sizes(UNITS)
    if config.hidden is not None:
        return config
    return dataclasses.replace(config, n_layers=len(sizes), size=sizes[0])


def make_env(
    config: OffPolicyConfig, render: str | None = None
) -> tuple[gym.Env[Any, Any], dict[str, Any]]:
    """Makes an environment whose actions are in (-1, 1).

    Returns:
        The environment, and what an agent's settings tell of it: ob_dim, ac_dim.

    Raises:
        UserError: If there is no such environment, or its actions are not continuous and bounded.
    """
    from gymnasium.spaces import Box, flatdim

    from cs285.infrastructure import envs

    rule: Any = {"discount": config.discount, "time_limit": config.time_limit}
    make = functools.partial(envs.make_env, config.env_name, ep_len=config.ep_len, **rule)
    env = make()
    actions = env.action_space
    if not isinstance(actions, Box):
        raise UserError(
            f"{config.env_name} has discrete actions, and these agents choose continuous ones: "
            "use scripts/run_hw3_dqn.py"
        )
    if len(actions.shape) != 1 or not (np.isfinite(actions.low) & np.isfinite(actions.high)).all():
        raise UserError(
            f"{config.env_name} has actions without bounds, and these agents' lie between two: "
            "use scripts/run_hw3_actor_critic.py"
        )
    env.close()
    dims = {"ob_dim": flatdim(env.observation_space), "ac_dim": flatdim(actions)}
    return make(rescale=True, render=render), dims


def launch(
    script: str,
    config_class: type[ConfigT],
    argv: Sequence[str],
    description: str | None,
    new_agent: Callable[[gym.Env[Any, Any], ConfigT, Mapping[str, Any]], OnPolicyAgent],
) -> int:
    """Trains, or goes on training, as a command line says; returns the exit status.

    Args:
        script: The script's name.
        config_class: Its flags.
        argv: The words after its name.
        description: The first lines of `--help`.
        new_agent: Builds the agent, from environment, flags, and what `make_env` tells besides.
    """
    given, explicit = parse_config(config_class, argv, description or "")
    with open_run(script, given, explicit, resolve) as (config, run_dir):
        env, dims = make_env(config)  # what is wrong with it is told before torch is imported
        eval_env, _ = make_env(config, "rgb_array" if config.video_log_freq > 0 else None)
        from cs285.infrastructure.rl_trainer import RL_Trainer, set_up, train

        set_up(config, env, eval_env)
        params = dataclasses.asdict(config) | {
            "ep_len": config.ep_len or sys.maxsize,  # evaluation plays whole episodes
            "video_len": config.ep_len or 1000,
            "log_untrained": True,
            "train_batch_size": config.batch_size,
        }
        agent = new_agent(env, config, dims)
        trainer = RL_Trainer(params, agent, env, eval_env, run_dir)
        return train(trainer, config.num_timesteps, resume=config.resume is not None)


class Stepper:
    """Steps an environment and stores what happens; knows when there is enough to learn from."""

    def __init__(
        self,
        env: gym.Env[Any, Any],
        actor: Policy,
        replay_buffer: TransitionBuffer,
        random_steps: int,
        learning_starts: int,
        seed: int,
    ) -> None:
        """Begins the first episode.

        Args:
            env: The environment, with actions in (-1, 1).
            actor: Plays.
            replay_buffer: Where transitions go.
            random_steps: How many of the first actions are uniformly random instead.
            learning_starts: Steps before the first batch.
            seed: For the random actions.
        """
        self.env, self.actor, self.replay_buffer = env, actor, replay_buffer
        self.random_steps, self.learning_starts = random_steps, learning_starts
        self.rng = np.random.default_rng([seed, 1])
        self.steps = 0
        self.last_obs, _ = env.reset()

    def step_env(self) -> None:
        """Takes one step and stores it; after an episode, begins the next one.

        Stored is `terminated`: a state at which a time limit cuts keeps its value. So its
        successor is stored too, the true one and not the first state of the next episode.
        """
        if self.steps < self.random_steps:
            shape = self.env.action_space.shape
            action = self.rng.uniform(-1.0, 1.0, shape).astype(np.float32)
        else:
            action = self.actor.get_action(self.last_obs)[0]
        next_obs, reward, terminated, truncated, _ = self.env.step(action)
        self.replay_buffer.add(self.last_obs, action, float(reward), next_obs, terminated)
        self.steps += 1
        self.last_obs = self.env.reset()[0] if terminated or truncated else next_obs

    def sample(self, batch_size: int) -> Batch:
        """Draws transitions for `train`, in its order; empty arrays while it is too early."""
        if self.steps <= self.learning_starts or not self.replay_buffer.can_sample(batch_size):
            nothing = np.empty(0)
            return nothing, nothing, nothing, nothing, nothing
        return self.replay_buffer.sample(batch_size)

    def state_dict(self) -> dict[str, Any]:
        """Returns a state tree of the memory and all that stepping needs; not of environment."""
        return {
            "replay_buffer": self.replay_buffer.state_dict(),
            "rng": self.rng.bit_generator.state,
            "steps": self.steps,
            "last_obs": self.last_obs,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        self.replay_buffer.load_state_dict(state["replay_buffer"])
        self.rng.bit_generator.state = state["rng"]
        self.steps = state["steps"]
        self.last_obs = state["last_obs"]
