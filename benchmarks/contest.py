"""Contests: training loops that take turns, so that a noisy machine can compare their speeds.

All contestants run at the same time, each in a process of its own, but work in turns: one short
block of steps each, round after round. What is compared is the ratio of two contestants' speeds
within one round; the tables show the median over rounds, and the range that holds the middle 80 %.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from common import PEERS_PYTHON, spread, table

# On a machine that others use as well: CONTEST_CLOCK=cpu counts the seconds of processors that
# a contestant has used.
CLOCK = time.process_time if os.environ.get("CONTEST_CLOCK") == "cpu" else time.perf_counter

Seconds = dict[str, float]  # "step": seconds per agent step; other names: of the step's parts


class Turns:
    """A contestant's side of the contest: works a block of steps whenever it is told to."""

    def __init__(self, block: int) -> None:
        """Prepares to work in blocks of `block` steps."""
        self.block = block
        self.step = 0
        self.began = 0.0
        self.results = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # what libraries print must not get between the results

    def wait(self) -> None:
        """Waits for this contestant's turn; the process ends here when the contest is over."""
        if not sys.stdin.readline():
            os._exit(0)
        self.began = CLOCK()

    def report(self, seconds: Seconds) -> None:
        """Tells how long each step of the block took."""
        print(json.dumps(seconds), file=self.results, flush=True)

    def before_step(self) -> None:
        """To be called before each step of a training loop: reports and waits between blocks."""
        if self.step % self.block == 0:
            if self.step > 0:
                self.report({"step": (CLOCK() - self.began) / self.block})
            self.wait()
        self.step += 1

    def after_iteration(self, steps: int) -> None:
        """To be called where an iteration of `steps` steps ends, and before the first begins."""
        if self.began:
            self.report({"step": (CLOCK() - self.began) / steps})
        self.wait()

    def peer_callback(self, *_: object) -> bool:
        """Does the same as a callback of stable-baselines3, which asks whether to go on."""
        self.before_step()
        return True


class Contestant:
    """A process that runs `script --contestant name`, seen from the contest's side."""

    def __init__(self, script: str, name: str, block: int, threads: int, folder: str) -> None:
        """Starts the process, with `threads` CPU threads, in `folder`."""
        self.name = name
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  (lives as long as the process)
        is_peer = name.rpartition("/")[2].lower().startswith("sb")
        python = PEERS_PYTHON if is_peer else sys.executable
        command = [python, str(Path(script).resolve()), "--contestant", name]
        self.process = subprocess.Popen(
            [*command, "--block", str(block)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            cwd=folder,
            env=os.environ | {"OMP_NUM_THREADS": str(threads)},
            text=True,
        )

    def take_turn(self) -> Seconds:
        """Lets the contestant work one block, and returns what it reports."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
            seconds: Seconds = json.loads(self.process.stdout.readline())
        except (BrokenPipeError, ValueError):
            self.errors.seek(0)
            sys.exit(f"the contestant {self.name} failed:\n{self.errors.read()[-2000:]}")
        return seconds

    def stop(self) -> None:
        """Ends the process."""
        self.process.communicate()  # closes its input
        self.errors.close()


def contest(
    script: str, threads: Mapping[str, int], block: int, warm_up: int, rounds: int
) -> dict[str, list[Seconds]]:
    """Lets contestants take turns.

    Args:
        script: The benchmark, which runs one contestant if called with --contestant and --block.
        threads: CPU threads of each contestant, by name.
        block: Steps in one turn.
        warm_up: Rounds that don't count: memory fills, learning begins.
        rounds: Rounds that count.

    Returns:
        What each contestant reported, round by round.
    """
    results: dict[str, list[Seconds]] = {name: [] for name in threads}
    with tempfile.TemporaryDirectory() as folder:
        players = [Contestant(script, n, block, count, folder) for n, count in threads.items()]
        try:
            for number in range(-warm_up, rounds):
                for player in players:
                    seconds = player.take_turn()
                    if number >= 0:
                        results[player.name].append(seconds)
                sys.stderr.write(f"\rround {number + 1} of {rounds} " if number >= 0 else ".")
                players = players[1:] + players[:1]  # nobody is always after the same one
        finally:
            for player in players:
                player.stop()
    sys.stderr.write("\n")
    return results


def run_script(
    turns: Turns,
    argv: Sequence[str],
    script: str = "run_hw3_dqn",
    algorithm: str = "dqn",
    by_iterations: bool = False,
) -> None:
    """The contestant "ours": a script itself, interrupted between blocks, or iterations."""
    module = importlib.import_module(f"cs285.agents.{algorithm}_agent")
    agent_class = getattr(module, f"{algorithm.upper()}Agent")
    if by_iterations:
        interrupt_iterations(turns, agent_class)
    else:
        step_env = agent_class.step_env

        def step_in_turn(agent: Any) -> None:
            turns.before_step()
            step_env(agent)

        agent_class.step_env = step_in_turn
    sys.exit(importlib.import_module(f"scripts.{script}").main([*argv, "--checkpoint_secs", "1e9"]))


def interrupt_iterations(turns: Turns, agent_class: Any) -> None:
    """Lets an on-policy agent wait for its turn whenever it has learned from a batch.

    Steps are counted where they are taken, however the trainer collects them.
    """
    from gymnasium.envs.mujoco import MujocoEnv

    step, train, taken = MujocoEnv.do_simulation, agent_class.train, itertools.count()
    last = [next(taken)]

    def counted_step(env: Any, *args: Any) -> Any:
        next(taken)
        return step(env, *args)

    def train_in_turn(agent: Any, *batch: Any) -> Any:
        log = train(agent, *batch)
        now = next(taken)
        turns.after_iteration(now - last[0] - 1)
        last[0] = now
        return log

    MujocoEnv.do_simulation = counted_step  # type: ignore[method-assign]
    agent_class.train = train_in_turn


def speed_tables(
    results: Mapping[str, list[Seconds]],
    labels: Mapping[str, str],
    goals: Sequence[tuple[str, str, float | None]],
) -> list[str]:
    """Returns Markdown tables: speeds, ratios of speeds, and the parts of the bare limits.

    Args:
        results: What `contest` returned.
        labels: Each contestant's name for readers.
        goals: Pairs of contestants, and how many times as fast the first one should be.
    """
    step = {name: np.array([s["step"] for s in rounds]) for name, rounds in results.items()}
    speeds = [[labels[name], spread(1 / step[name], 0)] for name in results]
    ratios = [
        [f"{labels[a]} / {labels[b]}", spread(step[b] / step[a]), "" if goal is None else str(goal)]
        for a, b, goal in goals
        if a in results and b in results
    ]
    parts = [
        [labels[name], part, spread([1000 * s[part] for s in rounds], 3)]
        for name, rounds in results.items()
        for part in rounds[0]
        if part != "step"
    ]
    return [
        table(["contestant", "agent steps per second"], speeds),
        table(["ratio of speeds", "median (middle 80 %)", "goal: at least"], ratios),
        table(["contestant", "timed alone", "milliseconds each"], parts),
    ]


def contest_arguments(
    description: str | None, block: int, rounds: int, events: Collection[str] = ()
) -> argparse.Namespace:
    """Reads the command line of a contest, or of several: then `args.events` are those chosen."""
    parser = argparse.ArgumentParser(description=description)
    if events:
        names = ", ".join(events)
        parser.add_argument("events", nargs="*", help=f"some of {names}; default: all")
    parser.add_argument("--block", type=int, default=block, help="steps in one turn")
    parser.add_argument("--rounds", type=int, default=rounds, help="turns of each contestant")
    parser.add_argument("--write", action="store_true", help="write performance.md")
    parser.add_argument("--contestant", help=argparse.SUPPRESS)  # how the contest calls itself
    args = parser.parse_args()
    unknown = set(vars(args).get("events", ())) - set(events)
    if unknown:
        parser.error(f"no such contest: {', '.join(sorted(unknown))}")
    return args
