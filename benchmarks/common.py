"""What all benchmarks share: tables, and the results file."""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import os
import platform
import queue
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that `scripts` can be imported from anywhere
RESULTS = ROOT / "docs" / "results"
PACKAGES = ("torch", "numpy", "gymnasium", "ale-py", "mujoco")
PACKAGES += ("stable-baselines3", "sb3-contrib", "sbx-rl", "jax")
# The interpreter of peers, where theirs needs another version of torch than ours.
PEERS_PYTHON = os.environ.get("PEERS_PYTHON", sys.executable)


def spread(values: Sequence[float] | np.ndarray, digits: int = 2) -> str:
    """Writes the median of `values`, and where the middle 80 % of them lie."""
    low, middle, high = np.percentile(values, [10, 50, 90])
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


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


def machine() -> str:
    """Returns the processor and the versions of what matters, in a line."""
    versions, peers = [f"Python {platform.python_version()}", *versions_of(PACKAGES)], ""
    if PEERS_PYTHON != sys.executable:
        code = "import common; print(', '.join(common.versions_of(common.PACKAGES)))"
        asked = [PEERS_PYTHON, "-c", code]
        theirs = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True)
        peers = f". Peers have {theirs.stdout.strip()}"
    cpu = cpu_info("model name") or platform.processor() or platform.machine()
    if generation := cpu_info("cpu family"):  # one name may have several generations
        wide = "with" if "avx512f" in cpu_info("flags") else "without"
        cpu += f" (family {generation}, {wide} AVX-512)"
    return f"{cpu}, {usable_cpus()} core(s); {', '.join(versions)}{peers}"


def versions_of(packages: Sequence[str]) -> list[str]:
    """Returns those that are installed, each with its version."""
    found = []
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{package} {importlib.metadata.version(package)}")
    return found


def publish(
    title: str, how: str, tables: Sequence[str], write: bool, page: str = "performance.md"
) -> None:
    """Prints a section of the results, and puts it into a page of the results if `write`.

    Args:
        title: Heading of the section; a section of that heading is replaced.
        how: What was done, in a sentence or two.
        tables: In Markdown.
        write: Whether to write the file.
        page: Its name.
    """
    where = f"`{command()}`; {machine()}."
    section = "\n\n".join([f"## {title}", how, *tables, where]) + "\n"
    print(section)
    if write:
        file = RESULTS / page
        text = file.read_text(encoding="utf-8") if file.exists() else "# Speed and memory\n"
        old = re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        before, after = (text[: old.start()], text[old.end() :]) if old else (text, "")
        text = before.rstrip() + "\n\n" + section + ("\n" + after if after else "")
        RESULTS.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def command() -> str:
    """Returns the command that runs now, in words of the results."""
    return "python benchmarks/" + shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])


def page_of(name: str, homework: str) -> Path:
    """Returns a homework's page of results: name.md of the third, name_hw6.md of another."""
    return RESULTS / f"{name}{'' if homework == 'hw3' else f'_{homework}'}.md"


def batch_times(buffer: Any, batch: int, number: int) -> np.ndarray:
    """Returns the milliseconds that each of `number` batches took a replay buffer to draw."""
    times = np.zeros(number)
    for i in range(number):
        began = time.perf_counter()
        buffer.sample(batch)
        times[i] = 1000 * (time.perf_counter() - began)
    return times


class Cores:
    """The cores that this process may use; each runs one command at a time."""

    def __init__(self) -> None:
        """Begins with all of them free."""
        self.free: queue.Queue[int] = queue.Queue()
        for core in sorted(os.sched_getaffinity(0)):
            self.free.put(core)

    def run(
        self, command: Sequence[str], folder: str, **environment: str
    ) -> tuple[str, str, float]:
        """Runs a command with one thread on a free core, in `folder`.

        Returns:
            What it printed, the errors that it printed, and its seconds.

        Raises:
            RuntimeError: If its exit status is not 0.
        """
        core = self.free.get()
        try:
            began = time.perf_counter()
            done = subprocess.run(
                command,
                preexec_fn=functools.partial(os.sched_setaffinity, 0, [core]),
                env=os.environ | {"OMP_NUM_THREADS": "1"} | environment,
                cwd=folder,
                capture_output=True,
                text=True,
            )
            seconds = time.perf_counter() - began
        finally:
            self.free.put(core)
        if done.returncode:
            raise RuntimeError(f"{shlex.join(command)} failed:\n{done.stderr[-2000:]}")
        return done.stdout, done.stderr, seconds
