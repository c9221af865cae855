"""Measures how many CPU threads a run should have: steps a second, alone and on a busy machine.

    python benchmarks/threads.py

Each command learns for a while with one thread and with as many as there are cores, first alone,
then beside four processes that compute without a pause. Warm-up is not counted.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common import ROOT, publish, table, usable_cpus

from cs285.infrastructure.logging.logger import read_log

COMMANDS = {
    "CartPole, DQN of 2 x 64": "python scripts/run_hw3_dqn.py --env_name CartPole-v1 "
    "--num_timesteps 1000000 --learning_starts 500 --scalar_log_freq 20",
    "CartPole, actor-critic of 2 x 64": "python scripts/run_hw3_actor_critic.py -n 1000000 "
    "--eval_freq -1 --scalar_log_freq 1",
    "Pendulum, SAC of 2 x 256": "python scripts/run_hw4_sac.py --num_timesteps 1000000 "
    "--eval_freq -1 --scalar_log_freq 20",
    "Ms. Pac-Man, DQN of 3 convolutions": "python scripts/run_hw3_dqn.py --env_name MsPacman-v0 "
    "--num_timesteps 1000000 --buffer_size 10000 --learning_starts 200 --scalar_log_freq 20",
}
LOADS = (0, 4)
HOW = """Each command learns with one CPU thread and with {cores}, first alone, then beside four
processes that compute without a pause. A run takes one thread by default, and `--threads` gives it
more."""
BUSY = "while True: pass"


@contextmanager
def busy(number: int) -> Iterator[None]:
    """Keeps `number` processes computing for a while."""
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(number)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def steps_per_second(command: str, threads: int, seconds: float) -> float:
    """Lets a command learn for some seconds; returns its environment steps a second."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, *shlex.split(command)[1:], "--no_gpu", "--threads", str(threads)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        run = subprocess.Popen(
            [*words, "--data_dir", folder],
            cwd=ROOT,
            env=environment,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        try:
            return rate_of(Path(folder), seconds)
        finally:
            run.kill()
            run.wait()


def rate_of(data_dir: Path, seconds: float) -> float:
    """Waits until a run has logged for some seconds of learning; returns its rate there."""
    while True:
        time.sleep(0.5)
        for path in data_dir.glob("*/log.csv"):
            log = read_log(path.parent)
            if "Actor_Loss" not in log and "Training Loss" not in log:
                continue
            name = "Training Loss" if "Training Loss" in log else "Critic_Loss"
            learns = log[name] == log[name]  # not nan
            times, steps = log["TimeSinceStart"][learns], log["Train_EnvstepsSoFar"][learns]
            if len(times) > 2 and times[-1] - times[0] >= seconds:
                return float((steps[-1] - steps[0]) / (times[-1] - times[0]))


def main() -> None:
    """Measures all, and prints a section of the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="of learning, each time (10)")
    parser.add_argument("--write", action="store_true", help="put it into docs/results")
    args = parser.parse_args()
    cores = usable_cpus()
    rows = []
    for name, command in COMMANDS.items():
        row = [name]
        for load in LOADS:
            with busy(load):
                rates = [steps_per_second(command, n, args.seconds) for n in (1, cores)]
            row += [f"{rate:,.0f}" for rate in rates]
        rows.append(row)
        print(row, flush=True)
    head = ["environment steps a second"]
    for load in LOADS:
        beside = f"{load} others" if load else "alone"
        head += [f"{beside}, 1 thread", f"{beside}, {cores} threads"]
    publish("CPU threads", HOW.format(cores=cores), [table(head, rows)], args.write)


if __name__ == "__main__":
    main()
