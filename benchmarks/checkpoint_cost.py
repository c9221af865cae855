"""What checkpoints cost: the share of training time that saving takes, with default settings.

Runs scripts/run_hw3_dqn.py itself, its replay buffer full from the start as it is late in a long
run, until some checkpoints have been saved at their usual times. Frames are written once, so the
first checkpoint, which would write the whole buffer, is saved beforehand and not counted.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from common import publish, spread, table

from cs285.agents.dqn_agent import DQNAgent
from cs285.infrastructure.rl_trainer import RL_Trainer
from cs285.infrastructure.rollouts import Policy
from scripts import run_hw3_dqn

PLAYED_FRAMES = 20_000  # real frames; the buffer is filled with them over and over


class FullAgent(DQNAgent):
    """A DQN agent whose memory is full from the start."""

    def __init__(self, env: gym.Env[Any, Any], agent_params: dict[str, Any]) -> None:
        """Plays a while at random, and stores that until the buffer is full."""
        super().__init__(env, agent_params)
        buffer, rng = self.replay_buffer, np.random.default_rng(0)
        frames: list[tuple[np.ndarray, bool]] = []
        frame = self.last_obs
        for _ in range(min(PLAYED_FRAMES, buffer.size)):
            action = int(rng.integers(self.num_actions))
            next_frame, _, terminated, truncated, _ = env.step(action)
            frames.append((frame, terminated or truncated))
            frame = env.reset()[0] if terminated or truncated else next_frame
        for i in range(buffer.size):
            frame, done = frames[i % len(frames)]
            buffer.store_effect(buffer.store_frame(frame), 0, 0.0, done or i == buffer.size - 1)
        self.last_obs, _ = env.reset()


class TimedTrainer(RL_Trainer):
    """A trainer that notes how long each checkpoint takes, and stops after a few."""

    num_saves = 5
    saves: list[float] = []  # noqa: RUF012  (seconds of each, for all to see)
    seconds = 0.0  # of training and saving together
    steps_per_second = 0.0

    def run_training_loop(self, n_iter: int, collect_policy: Policy, eval_policy: Policy) -> bool:
        """Saves what a long run has written long ago, then trains and counts."""
        self.checkpoints.save(0, self.state_dict(0))
        TimedTrainer.saves = []
        self.loop_began = time.monotonic()
        self.next_checkpoint = self.loop_began + self.params["checkpoint_secs"]
        return super().run_training_loop(n_iter, collect_policy, eval_policy)

    def _save_if_due(self, itr: int) -> bool:
        began = time.monotonic()
        saved = super()._save_if_due(itr)
        if saved:
            ended = time.monotonic()
            self.saves.append(ended - began)
            TimedTrainer.seconds = ended - self.loop_began
            TimedTrainer.steps_per_second = (itr + 1) / self.seconds
            if len(self.saves) == self.num_saves:
                self.stop_requested = "enough is measured"
        return saved


def measure(env_name: str, flags: list[str]) -> list[str]:
    """Trains until a few checkpoints are saved; returns the row of the table."""
    Path("data").mkdir(exist_ok=True)  # where runs are, for /tmp may be no disk
    with tempfile.TemporaryDirectory(dir="data") as folder:
        common = ["--env_name", env_name, "--data_dir", folder, "--learning_starts", "0"]
        run_hw3_dqn.main([*common, "--exploration", "0.1", *flags])
    saves, seconds = TimedTrainer.saves, TimedTrainer.seconds
    return [
        f"`{env_name}`",
        f"{TimedTrainer.steps_per_second:.0f}",
        str(len(saves)),
        spread(saves, 3),
        f"{seconds / len(saves):.0f}",
        f"{100 * sum(saves) / seconds:.2f} %",
    ]


def main() -> None:
    """Measures both tasks and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--saves", type=int, default=5, help="checkpoints of each task")
    parser.add_argument("--checkpoint-secs", help="instead of the default")
    parser.add_argument("--buffer-size", help="instead of the default of each task")
    parser.add_argument("--write", action="store_true", help="write the results file")
    args = parser.parse_args()
    flags = ["--checkpoint_secs", args.checkpoint_secs] if args.checkpoint_secs else []
    flags += ["--buffer_size", args.buffer_size] if args.buffer_size else []
    TimedTrainer.num_saves = args.saves
    run_hw3_dqn.DQNAgent = FullAgent  # type: ignore[attr-defined, assignment]
    run_hw3_dqn.RL_Trainer = TimedTrainer  # type: ignore[attr-defined]

    rows = [measure(env_name, flags) for env_name in ("MsPacman-v0", "LunarLander-v3")]
    head = ["task", "steps per second", "checkpoints", "seconds each: median (middle 80 %)"]
    head += ["seconds from one to the next", "share of the time (goal: at most 3 %)"]
    config = run_hw3_dqn.DQNConfig()
    how = (
        f"The whole state, replay buffer full ({args.buffer_size or 'the default size'}), every "
        f"{args.checkpoint_secs or config.checkpoint_secs} s. A checkpoint writes what is new."
    )
    publish("Checkpoints", how, [table(head, rows)], args.write)


if __name__ == "__main__":
    main()
