"""Helpers of the tests that run whole scripts."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import safetensors.numpy

from cs285.infrastructure.logging.logger import WALL_CLOCK_COLUMNS, read_log

ROOT = Path(__file__).parent.parent
ALL = bool(os.environ.get("CS285_ALL"))  # else the slow tests take samples
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
sys.path.insert(0, str(ROOT / "scripts"))  # as python does for `python scripts/x.py`


def handout_commands(homework: str = "hw") -> list[str]:
    """The commands of the handouts, or of one of them; comments left out."""
    lines = (ROOT / "tests/commands.txt").read_text().splitlines()
    wanted = f"python scripts/run_{homework}"
    return [line for line in lines if line.startswith(wanted) and "--algo" not in line]


def studies() -> list[str]:
    """The commands of the handouts that each make all runs of a question."""
    lines = (ROOT / "tests/commands.txt").read_text().splitlines()
    return [line for line in lines if "scripts/run.py" in line and " --exp_name hw" in line]


def doors(front: bool = False) -> list[str]:
    """The commands that start a script by way of another; or those of the front door, run.py."""
    lines = (ROOT / "tests/commands.txt").read_text().splitlines()
    commands = [line for line in lines if re.match(r"python \S*scripts/", line)]
    others = {*handout_commands(), *studies()}
    found = [line for line in commands if line not in others]
    return [line for line in found if ("scripts/run.py" in line) == front]


def diagnosis() -> str:
    """The command that diagnoses a run, without the run."""
    lines = (ROOT / "tests/commands.txt").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("python -m autograder diagnose ")]
    return line.rpartition(" ")[0]


def load_script(name: str) -> ModuleType:
    """Imports scripts/<name>.py by its path; "../docs/diagrams/build" is one of another folder."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def start(command: str, *more: str) -> subprocess.Popen[str]:
    """Starts a command line such as `python scripts/x.py --flag` in the repository's root."""
    words = [sys.executable, *shlex.split(command)[1:], *more]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        words, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def run(command: str, *more: str, timeout: float = 300) -> tuple[int, str, str]:
    """Runs such a command line to its end; returns exit status, standard output and error."""
    process = start(command, *more)
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()  # unless it has ended: nobody waits for it any more
    return process.returncode, out, err


def only_run(data_dir: Path) -> Path:
    """The one run folder in `data_dir`."""
    (run_dir,) = data_dir.iterdir()
    return run_dir


def assert_same_run(one: Path, other: Path) -> None:
    """Two finished runs agree bit for bit, but for the clock."""
    log, other_log = read_log(one), read_log(other)
    assert list(log) == list(other_log)
    for name in set(log) - set(WALL_CLOCK_COLUMNS):
        np.testing.assert_array_equal(log[name], other_log[name], err_msg=name)
    weights, other_weights = (
        safetensors.numpy.load_file(run_dir / "policy.safetensors") for run_dir in (one, other)
    )
    assert weights.keys() == other_weights.keys()
    for name in weights:
        assert weights[name].tobytes() == other_weights[name].tobytes(), name


def arguments(command: str) -> Sequence[str]:
    """The words after the script's name."""
    return shlex.split(command)[2:]
