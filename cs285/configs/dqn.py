"""The settings of DQN and double DQN."""

from __future__ import annotations

import dataclasses
from typing import Any

from cs285.infrastructure.base.settings import (
    AtariFlags,
    LayerConfig,
    OwnNetworkFlags,
    activation,
    flag,
)

# Settings by kind of environment. Times are in environment steps of the agent; schedules are as
# `PiecewiseSchedule.parse` reads them; target_update_freq counts batches learned from.
PRESETS: dict[str, dict[str, Any]] = {
    "atari": {
        "num_timesteps": 1_000_000,
        "learning_rate": "0:1e-4,5e6:1e-4,25e6:5e-5",
        "adam_eps": 1e-4,
        "discount": 0.99,
        "buffer_size": 1_000_000,
        "learning_starts": 50_000,
        "learning_freq": 4,
        "target_update_freq": 10_000,
        "exploration": "0:1.0,1e6:0.1,25e6:0.01",
        "frame_history_len": 4,
        "eval_epsilon": 0.05,
    },
    "images": {
        "num_timesteps": 500_000,
        "learning_rate": "1e-4",
        "adam_eps": 1e-8,
        "discount": 0.99,
        "buffer_size": 100_000,
        "learning_starts": 1000,
        "learning_freq": 4,
        "target_update_freq": 1000,
        "exploration": "0:1.0,1e5:0.05",
        "frame_history_len": 4,
        "eval_epsilon": 0.0,
    },
    "other": {
        "num_timesteps": 500_000,
        "learning_rate": "1e-3",
        "adam_eps": 1e-8,
        "discount": 1.0,
        "buffer_size": 50_000,
        "learning_starts": 1000,
        "learning_freq": 1,
        "target_update_freq": 3000,
        "exploration": "0:1.0,50e3:0.02",
        "frame_history_len": 1,
        "eval_epsilon": 0.0,
    },
}


def preset(name: str, help: str) -> str:
    """Returns a setting's text of `--help`, with the defaults that the presets have for it."""
    atari, images, other = (PRESETS[kind][name] for kind in ("atari", "images", "other"))
    return (
        f"{help}; default: depends on the task: {atari} in Atari games, {images} for other "
        f"images, else {other}"
    )


@dataclasses.dataclass(frozen=True)
class DQNConfig(OwnNetworkFlags, AtariFlags, LayerConfig):
    """What the script and `DQNAgent` read; None: as the preset has it, from `resolve` on."""

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
        1, "calls of train, each with its own batch, each time it learns", positive=True
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
        None, preset("exploration", "chance of a random action: 0.1, or time:value,..., as above")
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
            "--tau below 1, 1",
        ),
        positive=True,
    )
    tau: float = flag(
        1.0,
        "how far the target network moves then; at 1 it becomes a copy; --polyak 0.995 is "
        "--tau 0.005",
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
