"""The README's first commands come in an order in which they work."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest

from cs285.infrastructure.logging.logger import read_log
from tests.running import ALL, ROOT, only_run

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_a_bare_linux_needs_comes_before_the_command_that_needs_it() -> None:
    start = README[README.index("## Start") :]
    for package, needed_by in {
        "git": "git clone",
        "python3-venv": "python3 -m venv",
        "libgl1": "pip install",
        "libglib2.0-0": "pip install",
    }.items():
        line = next(line for line in start.splitlines() if line.startswith("apt-get install"))
        assert package in line.split()
        assert start.index(line) < start.index(needed_by)


def test_no_command_of_the_handouts_needs_a_number_of_threads() -> None:
    pages = [ROOT / "README.md", ROOT / "tests/commands.txt", *ROOT.glob("docs/*.md")]
    pages += ROOT.glob("docs/hw?/*.md")
    commands = [
        line
        for page in pages
        for line in page.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
        if line.startswith("python ")
    ]
    assert len(commands) > 100
    assert not [command for command in commands if "--threads" in command]


def test_the_first_screen_has_films_two_commands_the_board_and_the_site() -> None:
    first = README[: README.index("## Start")]
    assert first.count(".gif") == 2 and "docs/images/board.png" in first
    assert "pip install -c constraints.txt -e ." in first
    assert "python -m autograder start hw3" in first
    assert "mkdocs serve" in first and "docs/index.md" in first


def test_a_class_that_is_made_up_is_called_so() -> None:
    for page in (README, (ROOT / "docs/instructor.md").read_text(encoding="utf-8")):
        before, _, _ = page.partition("images/class_report.png")
        assert "made up" in before[-200:]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6) if ALL else [None])
def test_the_demo_balances_the_pole_to_the_end(seed: int | None, tmp_path: Path) -> None:
    """By the README's own commands. With seeds 1 to 5 the last four evaluations were 500."""
    _, _, demo = README.partition("# Or see one learn within")
    promise, train, film = demo.splitlines()[:3]
    longest = gym.spec("CartPole-v1").max_episode_steps
    assert f"balances a pole for all {longest} steps, and is filmed" in promise
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    for command, more in ((train, [] if seed is None else ["--seed", str(seed)]), (film, [])):
        python, script, *words = shlex.split(command)
        assert python == "python"
        found = [path for word in words for path in sorted(tmp_path.glob(word)) or [word]]
        where = {"cwd": tmp_path, "env": environment, "check": True}
        subprocess.run([sys.executable, str(ROOT / script), *found, *more], **where)
    run = only_run(tmp_path / "data")
    assert read_log(run)["Eval_AverageReturn"][-4:].tolist() == [longest] * 4
    (gif,) = (run / "videos").glob("*.gif")
    assert f"{longest}" in gif.stem.split("_")[-1]
