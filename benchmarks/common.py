"""What the benchmarks share: contestants that take turns, the bare limit, tables, the results file.

Machines are noisy. So contestants run at the same time, each in a process of its own, but work in
turns: one short block of steps each, round after round. What is compared is the ratio of two
contestants' speeds within one round; the tables show the median over rounds, and the range that
holds the middle 80 % of them.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that `scripts` can be imported from anywhere
RESULTS = ROOT / "docs" / "results" / "performance.md"
PACKAGES = ("torch", "numpy", "gymnasium", "ale-py", "stable-baselines3")

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
        self.began = time.perf_counter()

    def report(self, seconds: Seconds) -> None:
        """Tells how long each step of the block took."""
        print(json.dumps(seconds), file=self.results, flush=True)

    def before_step(self) -> None:
        """To be called before each step of a training loop: reports and waits between blocks."""
        if self.step % self.block == 0:
            if self.step > 0:
                self.report({"step": (time.perf_counter() - self.began) / self.block})
            self.wait()
        self.step += 1


class Contestant:
    """A process that runs `script --contestant name`, seen from the contest's side."""

    def __init__(self, script: str, name: str, block: int, threads: int, folder: str) -> None:
        """Starts the process, with `threads` CPU threads, in `folder`."""
        self.name = name
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  (lives as long as the process)
        command = [sys.executable, str(Path(script).resolve()), "--contestant", name]
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
                sys.stderr.write(f"\rround {number + 1} of {rounds} ")
                players = players[1:] + players[:1]  # nobody is always after the same one
        finally:
            for player in players:
                player.stop()
    sys.stderr.write("\n")
    return results


def run_script(turns: Turns, argv: Sequence[str]) -> None:
    """The contestant "ours": scripts/run_hw3_dqn.py itself, interrupted between blocks."""
    from cs285.agents.dqn_agent import DQNAgent
    from scripts import run_hw3_dqn

    step_env = DQNAgent.step_env

    def step_in_turn(agent: DQNAgent) -> None:
        turns.before_step()
        step_env(agent)

    DQNAgent.step_env = step_in_turn  # type: ignore[method-assign]
    sys.exit(run_hw3_dqn.main([*argv, "--checkpoint_secs", "1e9"]))


def spread(values: Sequence[float] | np.ndarray, digits: int = 2) -> str:
    """Writes the median of `values`, and where the middle 80 % of them lie."""
    low, middle, high = np.percentile(values, [10, 50, 90])
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


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


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def cpu_info(name: str) -> str:
    """Returns a line of /proc/cpuinfo, such as "model name" or "flags"; empty if there is none."""
    try:
        found = re.search(rf"^{name}\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        return ""
    return found[1] if found else ""


def usable_cpus() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def publish(title: str, how: str, tables: Sequence[str], write: bool) -> None:
    """Prints a section of the results, and puts it into the results file if `write`.

    Args:
        title: Heading of the section; a section of that heading is replaced.
        how: What was done, in a sentence or two.
        tables: In Markdown.
        write: Whether to write the file.
    """
    versions = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    cpu = cpu_info("model name") or platform.processor() or platform.machine()
    command = f"python benchmarks/{Path(sys.argv[0]).name}"
    where = f"`{command}` on {usable_cpus()} cores, {cpu}; {', '.join(versions)}."
    section = "\n\n".join([f"## {title}", how, *tables, where]) + "\n"
    print(section)
    if write:
        text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else "# Speed and memory\n"
        old = re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        before, after = (text[: old.start()], text[old.end() :]) if old else (text, "")
        text = before.rstrip() + "\n\n" + section + ("\n" + after if after else "")
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(text, encoding="utf-8")


def contest_arguments(description: str | None, block: int, rounds: int) -> argparse.Namespace:
    """Reads the command line of a contest."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--block", type=int, default=block, help="steps in one turn")
    parser.add_argument("--rounds", type=int, default=rounds, help="turns of each contestant")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--contestant", help=argparse.SUPPRESS)  # how the contest calls itself
    return parser.parse_args()
