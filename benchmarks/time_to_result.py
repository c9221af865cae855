"""Seconds until a task is solved: ours, compiled, and stable-baselines3, with the same settings.

A task counts as solved when the mean return of the last 20 training episodes reaches a number. The
clock starts with the process, so imports and compiling count. Nothing is evaluated meanwhile. Each
run has one thread and one core, and each compiles with an empty cache. As many runs go on at a time
as there are cores. Install the peer with `pip install -c constraints.txt stable-baselines3`.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import importlib
import itertools
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from common import PEERS_PYTHON, Cores, publish, table, usable_cpus

WHO = {"ours": "ours", "compiled": "ours, `--compile`", "sb3": "SB3"}
EPISODES = 20


@dataclasses.dataclass(frozen=True)
class Task:
    """A task, and how ours and the peer are trained on it.

    Attributes:
        title: For people.
        env_class: Its class, "module:name", whose steps and resets are counted.
        target: The mean return that solves it.
        limit: Steps after which a run has not solved it.
        script: Ours.
        flags: Of that script; all else is its default, as in the handouts.
        peer: The class of stable-baselines3.
        settings: Of that class: those that our script has.
        scaled: Whether observations are scaled, by both.
    """

    title: str
    env_class: str
    target: float
    limit: int
    script: str
    flags: str
    peer: str
    settings: dict[str, Any]
    scaled: bool = False


TASKS = {
    "lander": Task(
        "DQN, LunarLander-v3, mean of 150",
        "gymnasium.envs.box2d.lunar_lander:LunarLander",
        150,
        500_000,
        "run_hw3_dqn",
        "--env_name LunarLander-v3",
        "DQN",
        {
            "learning_rate": 1e-3,
            "buffer_size": 50_000,
            "learning_starts": 1_000,
            "batch_size": 32,
            "gamma": 1.0,
            "train_freq": 1,
            "target_update_interval": 3_000,
            "exploration_fraction": 0.1,  # of `limit`: 50,000 steps, as ours
            "exploration_final_eps": 0.02,
            "policy_kwargs": {"net_arch": [64, 64]},
        },
    ),
    "pendulum": Task(
        "SAC, Pendulum-v1, mean of -200",
        "gymnasium.envs.classic_control.pendulum:PendulumEnv",
        -200,
        20_000,
        "run_hw4_sac",
        "--env_name Pendulum-v1 --start_steps 1000 --learning_starts 1000 -b 256 -s 256",
        "SAC",
        {
            "learning_starts": 1_000,
            "batch_size": 256,
            "policy_kwargs": {"net_arch": [256, 256]},
        },
    ),
    "cheetah": Task(
        "PPO, HalfCheetah-v5, mean of 1,000",
        "gymnasium.envs.mujoco.half_cheetah_v5:HalfCheetahEnv",
        1_000,
        1_000_000,
        "run_hw5_ppo",
        "--env_name HalfCheetah-v5 -n 489 -b 2048 --normalize_observations",
        "PPO",
        {"n_steps": 2_048, "batch_size": 64, "n_epochs": 10},
        scaled=True,
    ),
}


def end_when_solved(task: Task) -> None:
    """Ends this process when the task is solved, or its steps are over, and prints which.

    Episodes are counted in the task itself, so that all contestants are measured alike.
    """
    module, _, name = task.env_class.partition(":")
    env_class = getattr(importlib.import_module(module), name)
    step, reset = env_class.step, env_class.reset
    returns: collections.deque[float] = collections.deque(maxlen=EPISODES)
    steps, begun, score = 0, False, 0.0  # begun: whether a step of this episode was taken

    def end(solved: bool) -> None:
        print(json.dumps({"steps": steps, "solved": solved}), flush=True)
        os._exit(0)

    def counted_step(env: Any, action: Any) -> Any:
        nonlocal steps, begun, score
        made = step(env, action)
        steps, begun, score = steps + 1, True, score + float(made[1])
        if steps >= task.limit:
            end(False)
        return made

    def counted_reset(env: Any, **more: Any) -> Any:
        nonlocal begun, score
        if begun:
            returns.append(score)
            if len(returns) == EPISODES and float(np.mean(returns)) >= task.target:
                end(True)
        begun, score = False, 0.0
        return reset(env, **more)

    env_class.step, env_class.reset = counted_step, counted_reset


def run(key: str, who: str, seed: int) -> None:
    """Trains one contestant, until `end_when_solved` ends the process."""
    task = TASKS[key]
    end_when_solved(task)
    if who == "sb3":
        run_peer(task, seed)
        return
    flags = f"{task.flags} --seed {seed} --no_gpu --eval_freq -1 --exp_name timed"
    flags += " --compile" if who == "compiled" else ""
    importlib.import_module(f"scripts.{task.script}").main(flags.split())


def run_peer(task: Task, seed: int) -> None:
    """Trains the peer."""
    import gymnasium as gym
    import stable_baselines3 as sb3
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    name = task.flags.split()[1]
    env: Any = gym.make(name, disable_env_checker=True)  # the checker would only slow it down
    if task.scaled:
        env = VecNormalize(DummyVecEnv([lambda made=env: made]), norm_reward=False)
    model = getattr(sb3, task.peer)("MlpPolicy", env, device="cpu", seed=seed, **task.settings)
    model.learn(task.limit)


def time_one(cores: Cores, key: str, who: str, seed: int) -> dict[str, Any]:
    """Runs a contestant on a free core; returns its seconds and steps, and whether it solved it."""
    python = PEERS_PYTHON if who == "sb3" else sys.executable
    command = [python, str(Path(__file__).resolve()), "--run", key, who, str(seed)]
    with tempfile.TemporaryDirectory() as folder:
        printed, errors, seconds = cores.run(command, folder, XDG_CACHE_HOME=folder)
    lines = [line for line in printed.splitlines() if line.startswith('{"steps"')]
    if not lines:
        raise RuntimeError(f"{key} {who} {seed} reported nothing:\n{errors[-2000:]}")
    found: dict[str, Any] = {"seconds": seconds, **json.loads(lines[-1])}
    print(key, who, seed, found, file=sys.stderr, flush=True)
    return found


def summary(runs: list[dict[str, Any]], name: str) -> str:
    """Returns the median of all runs that solved the task and each of them, or that none did."""
    solved = [one[name] for one in runs if one["solved"]]
    if not solved:
        return "not solved"
    each = ", ".join(f"{one[name]:,.0f}" if one["solved"] else "not solved" for one in runs)
    return f"{np.median(solved):,.0f} ({each})" if len(solved) == len(runs) else each


def main() -> None:
    """Runs all of it, or one contestant."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("tasks", nargs="*", choices=[*TASKS, []], help="default: all")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="into docs/results/performance.md")
    args = parser.parse_args()
    if args.run:
        key, who, seed = args.run
        run(key, who, int(seed))
        return
    cores = Cores()
    seeds = range(1, args.seeds + 1)
    keys = args.tasks or list(TASKS)
    with concurrent.futures.ThreadPoolExecutor(usable_cpus()) as pool:
        asked = {
            (key, who, seed): pool.submit(time_one, cores, key, who, seed)
            for key, seed, who in itertools.product(keys, seeds, WHO)
        }
        found = {one: future.result() for one, future in asked.items()}
    rows = [
        [TASKS[key].title, WHO[who], summary(runs, "seconds"), summary(runs, "steps")]
        for key in keys
        for who in WHO
        if (runs := [found[key, who, seed] for seed in seeds])
    ]
    head = ["task", "contestant", "seconds: median (each seed)", "environment steps"]
    how = (
        f"Until the mean of the last {EPISODES} training episodes reaches the number. Seeds 1 to "
        f"{args.seeds}, one thread and one core each, {usable_cpus()} runs at a time. Seconds "
        "begin with the command: importing counts, and so does compiling, each time with an empty "
        "cache. Settings are those of our script, for both."
    )
    publish("Seconds until a task is solved", how, [table(head, rows)], args.write)


if __name__ == "__main__":
    main()
