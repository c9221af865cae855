"""Training, `check` and `start` without what Windows and macOS lack; `grade` says what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cs285.infrastructure.logging.logger import read_log
from tests.running import ROOT, only_run

# Packages whose own builds differ by system are imported before anything is taken away.
TAKES_AWAY = """
import os, signal, subprocess, sys

if "TESTED_IMPORTS" in os.environ:
    import cv2, filelock, gymnasium, lz4.frame, matplotlib.figure, matplotlib.font_manager
    import gymnasium.vector, gymnasium.wrappers, matplotlib.backends.backend_agg
    import multiprocessing.connection, PIL.Image, safetensors.torch, torch, tqdm, torch._dynamo
    import jupytext, tensorboardX.event_file_writer

kill = signal.SIGKILL
subprocess.Popen.kill = lambda process: process.send_signal(kill)  # TerminateProcess, on Windows
open_file = os.open


def open_no_folder(path, flags, *more, **named):
    ours = sys._getframe(1).f_globals.get("__name__", "").startswith(("cs285", "autograder"))
    if ours and os.path.isdir(path):
        raise PermissionError(13, "Permission denied", os.fspath(path))
    return open_file(path, flags, *more, **named)


LACKING = {
    "win32": {
        os: "fork forkpty setsid killpg getpgid setpgid getuid geteuid sysconf nice mkfifo "
        "sched_getaffinity waitid fchmod chown memfd_create",
        signal: "SIGALRM SIGKILL SIGHUP SIGPROF SIGVTALRM SIGCHLD SIGUSR1 SIGUSR2 SIGXCPU SIGPIPE "
        "setitimer getitimer alarm pause pthread_sigmask sigwait ITIMER_REAL ITIMER_PROF",
    },
    "darwin": {os: "sched_getaffinity memfd_create fork", signal: "SIGPWR"},
}
MODULES = {"win32": ["resource", "fcntl", "pwd", "grp", "termios", "pty", "tty"], "darwin": []}
SYSTEM = os.environ["TESTED_SYSTEM"]
for module, names in LACKING[SYSTEM].items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
for name in MODULES[SYSTEM]:
    sys.modules[name] = None
if SYSTEM == "win32":
    os.open = open_no_folder
sys.platform = SYSTEM
"""
SYSTEMS = ("win32", "darwin")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose module Python imports first: it makes another system of this one."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "sitecustomize.py").write_text(TAKES_AWAY)
    return folder


def run_on(system: str, elsewhere: Path, *words: str) -> tuple[int, str, str]:
    """Runs Python on such a system, in the repository's root."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(elsewhere), str(ROOT)])}
    environment["TESTED_SYSTEM"] = system
    if system == "win32":
        environment["PYTHONIOENCODING"] = "cp1252"  # of a pipe there
    if "grade" not in words:  # which has to answer before it imports anything
        environment["TESTED_IMPORTS"] = "1"
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


TRAINING = {
    "dqn": "run_hw3_dqn.py --env_name CartPole-v1 --num_timesteps 120 --learning_starts 40 "
    "--scalar_log_freq 40",
    "ppo": "run_hw5_ppo.py -n 2 -b 64 -mb 32 --eval_episodes 1",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "name"),
    [("win32", "dqn"), ("darwin", "ppo")],
)
def test_agents_train_and_save(system: str, name: str, elsewhere: Path, tmp_path: Path) -> None:
    script, *flags = TRAINING[name].split()
    often = ["--checkpoint_secs", "1e-6", "--data_dir", str(tmp_path)]
    status, _, err = run_on(system, elsewhere, f"scripts/{script}", *flags, *often)
    assert status == 0 and "Traceback" not in err, err
    run_dir = only_run(tmp_path)
    assert len(read_log(run_dir)["Step"]) >= 2
    assert (run_dir / "weights.safetensors").exists() and (run_dir / "checkpoints").exists()


@pytest.mark.slow
def test_a_blank_is_checked(elsewhere: Path) -> None:
    words = ["-m", "autograder", "check", "hw3", "-k", "double_q"]
    status, out, err = run_on("darwin", elsewhere, *words)
    assert status == 0, out + err
    assert "passed" in out and "Traceback" not in err


@pytest.mark.slow
def test_a_tree_is_started_and_its_empty_blank_is_found(elsewhere: Path, tmp_path: Path) -> None:
    tree = tmp_path / "hw3"
    words = ["-m", "autograder", "start", "hw3", str(tree)]
    status, out, err = run_on("win32", elsewhere, *words)
    assert status == 0 and "blanks to fill" in out, out + err
    words = ["-m", "autograder", "check", "hw3", "-k", "double_q", "--submission", str(tree)]
    status, out, err = run_on("win32", elsewhere, *words)
    assert status == 1 and "fill in" in out and "Traceback" not in err, out + err


@pytest.mark.parametrize("system", SYSTEMS)
def test_grading_a_class_says_what_it_needs(system: str, elsewhere: Path, tmp_path: Path) -> None:
    words = ["-m", "autograder", "grade", "hw3", str(tmp_path), "--out", str(tmp_path / "book")]
    status, out, err = run_on(system, elsewhere, *words)
    assert status == 2 and err.count("\n") == 1 and not out
    assert "sandbox, which Linux alone has" in err
