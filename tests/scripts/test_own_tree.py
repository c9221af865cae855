"""Each script runs the code of its own tree, whichever tree the environment has installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running import ROOT

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

STARTED = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("scripts/*.py", "cs285/scripts/*.py")
    for path in ROOT.glob(pattern)
    if "cs285" in path.read_text() and path.name != "experiments.py"  # that one is imported only
)
SECOND = "this is the second tree"


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second copy of the project, which says so when its `cs285` is imported."""
    tree = tmp_path_factory.mktemp("second tree")
    for name in ("cs285", "scripts", "studies", "autograder"):
        ignored = shutil.ignore_patterns("__pycache__", "homeworks")
        shutil.copytree(ROOT / name, tree / name, ignore=ignored)
    with (tree / "cs285/__init__.py").open("a") as file:
        file.write(f"\nimport sys\n\nsys.stderr.write({SECOND + chr(10)!r})\n")
    return tree


def run_there(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs Python in a folder, without PYTHONPATH."""
    unset = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, env=unset, capture_output=True, text=True)


@pytest.mark.parametrize("script", STARTED)
def test_a_script_runs_the_code_beside_it(script: str, second: Path, tmp_path: Path) -> None:
    done = run_there(tmp_path, str(second / script), "--help")
    assert SECOND in done.stderr, done.stderr


@pytest.mark.slow
def test_the_runs_of_a_study_do_too(second: Path, tmp_path: Path) -> None:
    words = ["ppo", "--seed", "0", "1", "--cpu", "2", "--epochs", "1", "--steps_per_epoch", "100"]
    words += ["-mb", "50", "-eb", "50", "--exp_name", "x", "--data_dir", str(tmp_path)]
    done = run_there(ROOT, str(second / "scripts/run.py"), *words)  # typed in the first tree
    assert done.returncode == 0, done.stdout + done.stderr
    for seed in (0, 1):
        assert SECOND in (tmp_path / f"x/x_s{seed}/output.txt").read_text()
