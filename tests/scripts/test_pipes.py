"""Scripts whose output nobody reads on, and words that mean nothing: no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running import ROOT, load_script, only_run

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

MANY = 300  # copies of a run: more rows than a pipe takes before somebody reads


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of many runs, all of them one in truth."""
    folder = tmp_path_factory.mktemp("runs")
    words = ["-n", "2", "-b", "30", "-eb", "30", "--exp_name", "x", "--scalar_log_freq", "1"]
    assert load_script("run_hw3_actor_critic").main([*words, "--data_dir", str(folder)]) == 0
    one = only_run(folder)
    for number in range(MANY):
        copy = folder / f"{one.name}_{number}"
        copy.mkdir()
        for name in ("config.json", "log.csv"):
            (copy / name).write_text((one / name).read_text())
    return folder


COMMANDS = [
    "scripts/read_results.py RUNS",
    "scripts/read_results.py --help",
    "scripts/compare.py RUNS -o TMP/page.html",
    "scripts/compare.py --help",
    "scripts/plot.py --help",
    "scripts/experiments.py --help",
    "scripts/enjoy.py ONE -n 3",
    "scripts/hw6_grid.py --episodes 20 --seeds 2",
    "scripts/run.py",
    "scripts/run.py --help",
    "scripts/run.py ppo --help",
    "scripts/run.py sac --help",
    "-m autograder --help",
    "-m autograder check --help",
    "-m studies",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_nobody_reads_on(command: str, runs: Path, tmp_path: Path) -> None:
    """The reader is gone before the first line, which `| head -1` is only sometimes."""
    one = next(path for path in runs.iterdir() if (path / "policy.safetensors").exists())
    places = {"RUNS": str(runs), "ONE": str(one), "TMP": str(tmp_path)}
    text = command
    for name, place in places.items():
        text = text.replace(name, place)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, *text.split()],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    lines = done.stderr.splitlines()
    assert not any(word in done.stderr for word in ("Traceback", "BrokenPipe", "Exception")), lines
    assert done.returncode in (0, 1, 2), lines


@pytest.mark.parametrize("words", ["", "one two", "3", "[]", '{"folder":1}'])
def test_the_process_of_a_run_says_what_it_is_for(words: str) -> None:
    command = [sys.executable, "-m", "studies", *words.split()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: python -m studies is what a study starts")
    assert done.stderr.count("\n") == 1
