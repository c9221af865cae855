"""Trains the TD3 authors' own code by our settings, and writes the log that our plots read.

git clone https://github.com/sfujim/TD3
python docs/results/td3_authors.py TD3 --seed 1    # -> data/authors_td3_HalfCheetah-v5_seed1/
python scripts/run_hw4_td3.py --env_name HalfCheetah-v5 --num_timesteps 100000 \
    --start_steps 10000 --learning_starts 10000 -lr 3e-4 --exp_name q5_td3_lr --seed 1

Their program runs as it is. It asks for Gym of 2018, so a module of that name passes its calls on
to Gymnasium, and notes when it evaluates.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import time
import types
from pathlib import Path
from typing import Any

import gymnasium
import peer_config
import torch

sys.path.insert(1, str(Path(__file__).resolve().parents[2]))  # this tree, not an installed one
from cs285.infrastructure.logging.logger import Logger, summary

PACKAGES = ("torch", "numpy", "gymnasium", "mujoco")


class OldEnv:
    """An environment of Gymnasium behind the calls of Gym before 0.26."""

    def __init__(self, name: str) -> None:
        """Makes the environment."""
        self.env = gymnasium.make(name)
        self.observation_space = self.env.observation_space
        self.action_space = self.env.action_space
        assert self.env.spec and self.env.spec.max_episode_steps
        self._max_episode_steps = self.env.spec.max_episode_steps
        self.steps, self.returns, self.lengths = 0, list[float](), list[int]()
        self.next_seed: int | None = None

    def seed(self, seed: int) -> None:
        """Seeds the next episode."""
        self.next_seed = seed

    def reset(self) -> Any:
        """Begins an episode; returns its first observation."""
        observation, _ = self.env.reset(seed=self.next_seed)
        self.next_seed = None
        self.returns.append(0.0)
        self.lengths.append(0)
        return observation

    def step(self, action: Any) -> tuple[Any, float, bool, dict[str, Any]]:
        """Takes a step; `done` covers both ends of an episode, as it did then."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.steps += 1
        self.returns[-1] += float(reward)
        self.lengths[-1] += 1
        return observation, float(reward), terminated or truncated, info


class Gym(types.ModuleType):
    """The module `gym`: the first environment is trained in, each later one evaluates."""

    def __init__(self, log: Logger) -> None:
        """Writes a row of the log for each evaluation."""
        super().__init__("gym")
        self.log, self.began = log, time.monotonic()
        self.training: OldEnv | None = None
        self.evaluated: tuple[OldEnv, int, float] | None = None

    def make(self, name: str) -> OldEnv:
        """Makes an environment; by then the evaluation before is over."""
        self.write()
        env = OldEnv(name)
        if self.training is None:
            self.training = env
        else:
            self.evaluated = env, self.training.steps, time.monotonic() - self.began
        return env

    def write(self) -> None:
        """Writes the row of the evaluation that has ended, if there is one."""
        if self.evaluated is None:
            return
        env, steps, seconds = self.evaluated
        self.evaluated = None
        row = summary("Eval", env.returns, env.lengths)
        self.log.log_scalars(steps, row | {"Train_EnvstepsSoFar": steps, "TimeSinceStart": seconds})


def main() -> None:
    """Trains one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("code", type=Path, help="the folder of their repository")
    parser.add_argument("--env_name", default="HalfCheetah-v5")
    parser.add_argument("--num_timesteps", type=int, default=100_000)
    parser.add_argument("--start_steps", type=int, default=10_000)
    parser.add_argument("--eval_freq", type=int, default=5_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    code = args.code.resolve()
    run_dir = (Path("data") / f"authors_td3_{args.env_name}_seed{args.seed}").resolve()
    run_dir.mkdir(parents=True)
    settings = {name: value for name, value in vars(args).items() if name != "code"}
    settings["exp_name"] = "authors_td3"
    peer_config.write(run_dir, "td3_authors", settings, PACKAGES)
    sys.modules["gym"] = gym = Gym(Logger(run_dir))
    words = {"env": args.env_name, "seed": args.seed, "start_timesteps": args.start_steps}
    words |= {"max_timesteps": args.num_timesteps, "eval_freq": args.eval_freq}
    sys.argv = ["main.py", *(f"--{name}={value}" for name, value in words.items())]
    sys.path.insert(0, str(code))
    os.chdir(run_dir)  # it writes its own results beside the log
    runpy.run_path(str(code / "main.py"), run_name="__main__")
    gym.write()


if __name__ == "__main__":
    main()
