"""Homework 3, part 1: DQN and double DQN on Atari games, other images, and vectors."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from cs285.experiments import own_networks, pace
from cs285.experiments.atari_flags import AtariFlags, chance_of_repeats
from cs285.experiments.launch import launch, set_up
from cs285.experiments.limits import check_memory, count_episodes, path_lengths
from cs285.experiments.own_networks import OwnNetworkFlags
from cs285.infrastructure.base.config import UserError, cli, config_from_dict, flag
from cs285.infrastructure.base.layers import LayerConfig, activation
from cs285.infrastructure.base.schedules import PiecewiseSchedule, learning_begins
from cs285.infrastructure.base.spelling import OneMinus

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import torch

    from cs285.agents.dqn_agent import DQNAgent, DQNSettings
    from cs285.infrastructure.rl_trainer import RL_Trainer

# Settings by kind of environment. Times are in environment steps of the agent; schedules are as
# `PiecewiseSchedule.parse` reads them; target_update_freq counts batches learned from.
PRESETS = json.loads(Path(__file__).with_name("dqn_presets.json").read_text(encoding="utf-8"))

SCRIPT = "run_hw3_dqn"


def preset(name: str, help: str) -> str:
    """Returns a setting's text of `--help`, with the defaults that the presets have for it."""
    atari, images, other = (PRESETS[kind][name] for kind in ("atari", "images", "other"))
    return (
        f"{help}; default: depends on the task: {atari} in Atari games, {images} for other "
        f"images, else {other}"
    )


@dataclasses.dataclass(frozen=True)
class DQNConfig(OwnNetworkFlags, AtariFlags, LayerConfig):
    """The flags of this script; None stands for what the preset holds, until `resolve`."""

    env_name: str = flag("MsPacman-v0", "id of a Gymnasium or Atari task, or module:id of your own")
    exp_name: str = flag("dqn", "name of the experiment, part of the run folder's name")
    num_timesteps: int = flag(
        None, preset("num_timesteps", "environment steps of the run"), positive=True
    )
    # Not `ep_len`, which in run folders of earlier versions is the length of a film.
    max_episode_steps: int | None = flag(
        None,
        "longest episode in training and evaluation, in steps of the agent; default: the task's "
        "own",
        "--ep_len",
        "--max_ep_len",
        positive=True,
    )
    eval_epsilon: float = flag(
        None,
        "chance of a random action in evaluations; default: 0.05 in Atari games, else 0",
        low=0.0,
        high=1.0,
    )
    batch_size: int = flag(32, "transitions per update", positive=True)
    num_agent_train_steps_per_iter: int = flag(
        1, "calls of train, each with its own batch, after each environment step", positive=True
    )
    num_critic_updates_per_agent_update: int = flag(
        1, "gradient steps on each batch", positive=True
    )
    double_q: bool = flag(False, "double DQN: the online network picks the next action")
    learning_rate: str = flag(
        None,
        preset("learning_rate", "Adam's step size: 1e-3, or time:value,..., in environment steps"),
        "-lr",
    )
    adam_eps: float = flag(None, preset("adam_eps", "Adam's epsilon"), positive=True)
    discount: float = flag(None, preset("discount", "gamma, per step"), low=0.0, high=1.0)
    exploration: str = flag(
        None,
        preset("exploration", "chance of a random action: 0.1, or time:value,..., as above"),
    )
    buffer_size: int = flag(
        None, preset("buffer_size", "transitions in the replay buffer"), positive=True
    )
    frame_history_len: int = flag(
        None,
        preset("frame_history_len", "newest frames, or vectors, in an observation"),
        low=1,
        high=256,
    )
    learning_starts: int = flag(
        None,
        preset(
            "learning_starts",
            "environment steps before the first update; memory must fill a batch as well",
        ),
        low=0,
    )
    learning_freq: int = flag(
        None,
        preset("learning_freq", "environment steps from one time to learn to the next"),
        "--horizon_len",
        positive=True,
    )
    repeat_times: float = flag(
        None,
        "updates at a time: transitions in memory, times this, over those of a batch; default: "
        "--num_agent_train_steps_per_iter",
        positive=True,
    )
    target_update_freq: int = flag(
        None,
        preset(
            "target_update_freq",
            "batches learned from, from one change of the target network to the next; with "
            "--tau, 1",
        ),
        positive=True,
    )
    tau: float = flag(
        None,
        "how far the target network moves then; default: 1, it becomes a copy",
        OneMinus("--polyak"),
        low=0.0,
        high=1.0,
    )
    activation: str = activation("relu", "after each hidden layer of a perceptron")
    grad_value_clipping: float = flag(
        10.0,
        "largest magnitude of one component of a gradient, beyond which it is clipped",
        "--grad_norm_clipping",  # the course's name, though no norm is clipped
        positive=True,
    )
    precision: str = flag("fp32", "arithmetic of the convolutions", choices=("fp32", "bf16"))
    scalar_log_freq: int = flag(10_000, "steps from one row of the log to the next")
    eval_freq: int = flag(-1, "steps from one evaluation to the next; -1: never")
    video_log_freq: int = flag(-1, "steps from one video to the next; -1: never")


def resolve(config: DQNConfig) -> DQNConfig:
    """Fills in the preset's value wherever no flag was given, and checks what flags alone can't."""
    from cs285.infrastructure.environments import envs

    pace.check_repeats(config)
    if config.tau is not None and config.target_update_freq is None:
        config = dataclasses.replace(config, target_update_freq=1)
    images = "images" if envs.shows_images(config.env_name, config.env_kwargs) else "other"
    values = PRESETS["atari" if envs.is_atari(config.env_name) else images]
    values = values | {"tau": 1.0, "threads": 1, "sticky_actions": chance_of_repeats(config)}
    sizes = config.hidden_sizes()
    if config.hidden is None:
        values |= {"n_layers": len(sizes), "size": sizes[0]}
    missing = {name: v for name, v in values.items() if getattr(config, name) is None}
    config = dataclasses.replace(config, **missing)
    for name in ("learning_rate", "exploration"):
        text = getattr(config, name)
        try:
            points = PiecewiseSchedule.parse(text).values
        except ValueError:
            points = []
        if not points or max(points) > 1 or (name == "learning_rate" and min(points) == 0):
            raise UserError(
                f"--{name} takes a number from 0 to 1, or time:value,... with rising times, "
                f"not {text!r}"
            )
    if config.buffer_size < config.batch_size + config.frame_history_len:
        raise UserError(
            f"--buffer_size {config.buffer_size} never holds a batch of --batch_size "
            f"{config.batch_size}: give a larger buffer or a smaller batch"
        )
    return count_episodes(config, config.max_episode_steps)


def optimizer_spec(config: DQNConfig) -> Any:
    """Returns Adam with the learning rate's schedule, told in updates instead of steps.

    An update is a gradient step here, of which several may follow one environment step.
    """
    from cs285.critics.dqn_critic import OptimizerSpec
    from cs285.infrastructure.fast import FusedAdam

    schedule = PiecewiseSchedule.parse(config.learning_rate)
    first = schedule.value(0)
    warm_up = learning_begins(dataclasses.asdict(config))
    updates_per_step = (
        config.num_agent_train_steps_per_iter * config.num_critic_updates_per_agent_update
    )

    def factor(update: int) -> float:
        step = warm_up + update // updates_per_step * config.learning_freq
        return schedule.value(step) / first

    return OptimizerSpec(FusedAdam, {"lr": first, "eps": config.adam_eps}, factor)


def q_network(ob_dim: tuple[int, ...], ac_dim: int, config: DQNConfig) -> Any:
    """Builds the network of Mnih et al. for images, a perceptron for vectors in a row.

    `ob_dim` is the shape of a frame; in front of it that of the stack, where there is one.
    """
    from torch import nn

    from cs285.infrastructure import pytorch_util as ptu

    if len(ob_dim) - (config.frame_history_len > 1) > 1:  # axes of a frame
        return ptu.NatureCNN(config.frame_history_len, ac_dim, config.precision == "bf16")
    sizes = config.hidden_sizes()
    shape = (math.prod(ob_dim), ac_dim, len(sizes), sizes)
    perceptron = ptu.build_mlp(*shape, activation=config.activation)
    return perceptron if len(ob_dim) == 1 else nn.Sequential(nn.Flatten(), perceptron)


def stacked_space(env: Any, history: int) -> Any:
    """Returns the space of `history` observations of an environment in a row; 1: of its own."""
    from gymnasium.spaces import Box

    one = env.observation_space
    if history == 1:
        return one
    low, high = ([bound] * history for bound in (one.low, one.high))
    return Box(np.stack(low), np.stack(high), dtype=one.dtype)


def agent_settings(env: Any, config: DQNConfig, stacked: bool = False) -> DQNSettings:
    """Returns what `DQNAgent` reads; `stacked` says whether `env` stacks its frames already."""
    from cs285.agents.dqn_agent import DQNSettings

    space = env.observation_space if stacked else stacked_space(env, config.frame_history_len)
    spaces = SimpleNamespace(observation_space=space, action_space=env.action_space)
    own = own_networks.asked_for(config, spaces, "q")

    def q_func(ob_dim: tuple[int, ...], ac_dim: int) -> Any:
        return own.part("q") if own else q_network(ob_dim, ac_dim, config)

    return DQNSettings.of(
        config,
        ob_dim=space.shape,
        ac_dim=int(env.action_space.n),
        gamma=config.discount,
        grad_norm_clipping=config.grad_value_clipping,
        q_func=q_func,
        optimizer_spec=optimizer_spec(config),
        exploration=PiecewiseSchedule.parse(config.exploration),
        replay_buffer_size=config.buffer_size,
        eval_epsilon=config.eval_epsilon or 0.0,  # older runs have none
    )


def make_env(config: DQNConfig, training: bool, render: str | None = None) -> Any:
    """Makes the environment to learn in, or one whose episodes are whole and scores unclipped.

    The latter stacks frames: a policy has no memory. In learning, the replay buffer does that.

    Raises:
        UserError: If there is no such environment, or DQN cannot act in it.
    """
    from cs285.infrastructure.environments import atari, envs, spaces

    frames = 1 if training else config.frame_history_len
    rule: Any = {"discount": config.discount, "time_limit": config.time_limit, "render": render}
    rule |= {"ep_len": config.max_episode_steps, "kwargs": config.env_kwargs}
    if envs.is_atari(config.env_name):
        rule |= {"training": training, **config.of_game()}
        env = atari.make_env(config.env_name, frames=frames, **rule)
    else:
        env = envs.make_env(config.env_name, images=frames, frames=frames, **rule)
    spaces.require_discrete(env, config.env_name)
    return env


def bytes_of_memory(env: Any, config: DQNConfig) -> float:
    """Returns the bytes that the replay buffer takes, of images at least."""
    from cs285.infrastructure.replay.replay_buffer import bytes_needed

    space = env.observation_space
    return bytes_needed(config.buffer_size, space.shape, space.dtype)


def new_agent(env: Any, config: DQNConfig) -> DQNAgent:
    """Builds the agent."""
    from cs285.agents.dqn_agent import DQNAgent

    settings = agent_settings(env, config)
    agent = DQNAgent(env, settings, config.num_agent_train_steps_per_iter)
    pace.soften_target(agent.critic, config.tau)
    if config.repeat_times is not None:  # then updates tell no time
        schedule = PiecewiseSchedule.parse(config.learning_rate)
        first = schedule.value(0)
        lambdas = agent.critic.learning_rate_scheduler.lr_lambdas
        lambdas[:] = [lambda update: schedule.value(agent.t) / first]
    return agent


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the policy of a run's evaluations, from its config.json."""
    from cs285.critics.dqn_critic import DQNCritic
    from cs285.infrastructure.training.agent import EpsilonGreedyPolicy
    from cs285.policies.argmax_policy import ArgMaxPolicy

    config = config_from_dict(DQNConfig, settings, fill_in=True)
    env = make_env(config, training=False, render=render)
    read = agent_settings(env, config, stacked=True)
    critic = DQNCritic(read, read.optimizer_spec)
    critic.q_net.load_state_dict(weights)
    return env, EpsilonGreedyPolicy(ArgMaxPolicy(critic), read.eval_epsilon, read.ac_dim)


def build(config: DQNConfig, run_dir: Path) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`."""
    task = make_env(config, training=True)  # what is wrong is told before torch is imported
    eval_env = make_env(config, False, "rgb_array" if config.video_log_freq > 0 else None)
    check_memory(bytes_of_memory(task, config), f"--buffer_size {config.buffer_size}")
    from cs285.infrastructure.environments.scaled_rewards import scaled
    from cs285.infrastructure.rl_trainer import RL_Trainer

    env = scaled(task, config.reward_scale)
    set_up(config, env, eval_env)
    params = dataclasses.asdict(config) | {
        **path_lengths(config, config.max_episode_steps),
        "n_iter": config.num_timesteps,
        "train_batch_size": config.batch_size,
    }
    agent = pace.by_horizon(new_agent(env, config), 1, config.repeat_times)
    return RL_Trainer(params, agent, env, eval_env, run_dir)


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says; returns the exit status."""
    return launch(SCRIPT, DQNConfig, argv, __doc__, resolve, build)
