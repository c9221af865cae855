"""What checkpoints cost: the share of training time that saving takes, with default settings.

Runs the scripts themselves, their replay buffers full from the start as they are late in a long
run, until some checkpoints have been saved at their usual times. What is old is not written again,
so the first checkpoint, which would write the whole buffer, is saved beforehand and not counted.
"""

from __future__ import annotations

import argparse
import importlib
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import publish, spread, table

from cs285.agents import dqn_agent, sac_agent, td3_agent
from cs285.infrastructure import rl_trainer
from cs285.infrastructure.base.settings import RunConfig
from cs285.infrastructure.replay.transition_buffer import TransitionBuffer
from cs285.infrastructure.training import run_folder

# Script, environment, flags of its own.
TASKS = {
    "DQN": ("run_hw3_dqn", "MsPacman-v0", "--exploration 0.1"),
    "DQN, vectors": ("run_hw3_dqn", "LunarLander-v3", "--exploration 0.1"),
    "SAC": ("run_hw4_sac", "HalfCheetah-v5", "--start_steps 0 --num_timesteps 1000000"),
    "TD3": ("run_hw4_td3", "HalfCheetah-v5", "--start_steps 0 --num_timesteps 1000000"),
}
PLAYED_FRAMES = 20_000  # real frames; the buffer is filled with them over and over


class FullDQNAgent(dqn_agent.DQNAgent):
    """A DQN agent whose memory is full from the start."""

    def __init__(self, *given: Any) -> None:
        """Plays a while at random, and stores that until the buffer is full."""
        super().__init__(*given)
        env = self.env
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


def fill(buffer: TransitionBuffer) -> None:
    """Fills a buffer with random transitions."""
    rng = np.random.default_rng(0)
    for block in np.array_split(buffer.rows, 100):
        block[:] = rng.standard_normal(block.shape, np.float32)
        block[:, -1] = 0.0  # none is terminal
    buffer.num_added = buffer.size


class FullSACAgent(sac_agent.SACAgent):
    """A SAC agent whose memory is full from the start."""

    def __init__(self, *given: Any) -> None:
        """Fills it."""
        super().__init__(*given)
        fill(self.replay_buffer)


class FullTD3Agent(td3_agent.TD3Agent):
    """A TD3 agent whose memory is full from the start."""

    def __init__(self, *given: Any) -> None:
        """Fills it."""
        super().__init__(*given)
        fill(self.replay_buffer)


class TimedFolder(run_folder.RunFolder):
    """A run folder that notes how long each checkpoint takes, and stops the run after a few."""

    num_saves = 5
    saves: list[float] = []  # noqa: RUF012  (seconds of each, for all to see)
    trained = 0.0  # seconds of training and saving together
    steps_per_second = 0.0
    began: float | None = None

    def save_if_due(self, step: int, trainer: Any) -> bool:
        """Saves at first what a long run has written long ago, and counts from then on."""
        if self.began is None:
            self.next_checkpoint, TimedFolder.saves = 0.0, []
            super().save_if_due(step, trainer)
            self.began = time.monotonic()
        due, start = self.next_checkpoint, time.monotonic()
        stop = super().save_if_due(step, trainer)
        if not stop and self.next_checkpoint != due:
            ended = time.monotonic()
            self.saves.append(ended - start)
            TimedFolder.trained = ended - self.began
            TimedFolder.steps_per_second = (step + 1) / self.trained
            if len(self.saves) == self.num_saves:
                self.stop_requested = "enough is measured"
        return stop


def measure(task: str, flags: list[str]) -> list[str]:
    """Trains until a few checkpoints are saved; returns the row of the table."""
    script, env_name, own = TASKS[task]
    Path("data").mkdir(exist_ok=True)  # where runs are, for /tmp may be no disk
    with tempfile.TemporaryDirectory(dir="data") as folder:
        common = ["--env_name", env_name, "--data_dir", folder, "--learning_starts", "0"]
        importlib.import_module(f"scripts.{script}").main([*common, *own.split(), *flags])
    saves, seconds = TimedFolder.saves, TimedFolder.trained
    return [
        f"{task.split(',')[0]}, `{env_name}`",
        f"{TimedFolder.steps_per_second:.0f}",
        str(len(saves)),
        spread(saves, 3),
        f"{seconds / len(saves):.0f}",
        f"{100 * sum(saves) / seconds:.2f} %",
    ]


def main() -> None:
    """Measures the tasks and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", help=f"some of {', '.join(TASKS)}; default: all")
    parser.add_argument("--saves", type=int, default=5, help="checkpoints of each task")
    parser.add_argument("--checkpoint-secs", help="instead of the default")
    parser.add_argument("--buffer-size", help="instead of the default of each task")
    parser.add_argument("--write", action="store_true", help="write the results file")
    args = parser.parse_args()
    flags = ["--checkpoint_secs", args.checkpoint_secs] if args.checkpoint_secs else []
    flags += ["--buffer_size", args.buffer_size] if args.buffer_size else []
    TimedFolder.num_saves = args.saves
    # The scripts import these when they start.
    rl_trainer.RunFolder = TimedFolder  # type: ignore[attr-defined]
    dqn_agent.DQNAgent = FullDQNAgent  # type: ignore[misc]
    sac_agent.SACAgent = FullSACAgent  # type: ignore[misc]
    td3_agent.TD3Agent = FullTD3Agent  # type: ignore[misc]

    rows = [measure(task, flags) for task in args.tasks or TASKS]
    head = ["task", "steps per second", "checkpoints", "seconds each: median (middle 80 %)"]
    head += ["seconds from one to the next", "share of the time (goal: at most 3 %)"]
    how = (
        f"The whole state, replay buffer full ({args.buffer_size or 'the default size'}), every "
        f"{args.checkpoint_secs or RunConfig().checkpoint_secs} s. A checkpoint writes what is new."
    )
    publish("Checkpoints", how, [table(head, rows)], args.write)


if __name__ == "__main__":
    main()
