"""A run whose files cannot be read ends in one line: which file, and where."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cs285.experiments import failures
from cs285.infrastructure.base.errors import UserError

AGENT = failures.PACKAGE / "agents" / "ppo_agent.py"


def test_a_line_that_is_no_python() -> None:
    with pytest.raises(UserError, match=r"cs285/agents/ppo_agent.py, line 3 is not valid Python: "):
        with failures.that_can_be_read():
            compile("a = 1\nb = 2\nc = (", str(AGENT), "exec")


def test_a_file_that_is_gone() -> None:
    with pytest.raises(UserError, match="cs285/agents/no_agent.py is missing: copy it"):
        with failures.that_can_be_read():
            import cs285.agents.no_agent  # type: ignore[import-not-found]  # noqa: F401


@pytest.mark.parametrize("error", [SyntaxError("of somebody else"), ModuleNotFoundError("ale_py")])
def test_the_errors_of_others_stay(error: Exception) -> None:
    with pytest.raises(type(error)):
        with failures.that_can_be_read():
            raise error


@pytest.mark.slow
def test_a_command_ends_in_one_line(tmp_path: Path) -> None:
    root = failures.PACKAGE.parent
    tree = subprocess.run(
        [sys.executable, "-m", "autograder", "start", "hw5", str(tmp_path / "tree")], cwd=root
    )
    assert tree.returncode == 0
    file = tmp_path / "tree" / "cs285" / "agents" / "ppo_agent.py"
    file.write_text(file.read_text() + "\nx = (\n")
    command = [sys.executable, "scripts/run_hw5_ppo.py", "-n", "2", "--exp_name", "x"]
    done = subprocess.run(command, cwd=tmp_path / "tree", capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "'(' was never closed" in done.stderr
