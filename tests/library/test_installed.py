"""An installation that is not editable has all of the training half, and the grader."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import cs285
from tests.running import ROOT

pytestmark = pytest.mark.slow

OURS = ("autograder", "cs285", "scripts", "studies")
WHEEL = f"cs285-{cs285.__version__}-py3-none-any.whl"
PAGE = (ROOT / "docs/library.md").read_text()
SHORTER = {"--num_timesteps 5000": "--num_timesteps 120 --threads 1 --eval_episodes 1"}
NEED_A_CLONE = ("start hw3 tree", "release hw3 tree", "reference", "author hw3.argmax.action")
NEED_A_CLONE += ("gradescope hw3 out.zip",)


def ours() -> set[str]:
    """The files of our packages, as a clone has them."""
    ignored = {"__pycache__", "given", "tables"}
    files = [file for name in OURS for file in (ROOT / name).rglob("*") if file.is_file()]
    paths = {file.relative_to(ROOT) for file in files if not ignored & set(file.parts)}
    shims = Path("cs285/scripts")  # they start the scripts of a checkout
    return {path.as_posix() for path in paths if not path.is_relative_to(shims)}


def run(command: list[str], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    unset = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = {"cwd": folder, "env": unset | more, "capture_output": True, "text": True}
    return subprocess.run(command, timeout=120, check=False, **words)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with this project; other packages are those of this environment."""
    home = tmp_path_factory.mktemp("installed")
    source = home / "source"
    for name in OURS:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.py", "pyproject.toml", "README.md"):
        shutil.copyfile(ROOT / name, source / name)
    made = home / "venv"
    pip = [sys.executable, "-m", "pip", "--quiet"]
    steps = [
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(home), str(source)],
        [sys.executable, "-m", "venv", "--without-pip", str(made)],
        [*pip, "--python", str(made), "install", "--no-deps", str(home / WHEEL)],
    ]
    for step in steps:
        done = run(step, home)
        assert done.returncode == 0, done.stderr
    (packages,) = made.glob("lib/python3*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return made


def test_every_file_is_installed(environment: Path) -> None:
    (packages,) = environment.glob("lib/python3*/site-packages")
    there = {file.relative_to(packages).as_posix() for file in packages.rglob("*")}
    assert len(ours()) > 350
    assert not ours() - there


def test_the_pages_commands_run_in_another_folder(environment: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```bash\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    install, *commands = [line for block in blocks for line in block.splitlines() if line]
    assert install == "pip install ."  # what the fixture does
    for line in commands:
        for long, short in SHORTER.items():
            line = line.replace(long, short)
        program, *words = shlex.split(line)
        done = run([str(environment / "bin" / program), *words], tmp_path)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    assert (tmp_path / "first.png").stat().st_size > 1000
    assert (
        "cs285-train ALGO [flags]" in run([str(environment / "bin/cs285-train")], tmp_path).stdout
    )
    again = [str(environment / "bin/cs285-train"), "sac", "--resume", "data/first/first_s0"]
    assert "is finished, there is nothing to resume" in run(again, tmp_path).stderr
    code = "import cs285; print(cs285.__file__, cs285.load('data/first/first_s0'))"
    shown = run([str(environment / "bin/python"), "-c", code], tmp_path).stdout
    assert str(environment) in shown and "120 steps" in shown


@pytest.mark.parametrize("command", NEED_A_CLONE)
def test_what_needs_a_clone_says_so(command: str, environment: Path, tmp_path: Path) -> None:
    python = str(environment / "bin/python")
    done = run([python, "-m", "autograder", *command.split()], tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    wanted = f"autograder: {command.split()[0]}: this is no clone of the repository"
    assert done.stderr.startswith(wanted) and not list(tmp_path.iterdir())


def test_the_box_of_an_installed_grader_hides_our_packages_alone(environment: Path) -> None:
    code = "from autograder.isolation import sandbox_client as box; print(box.hidden()); "
    code += "print(box.ROOT in box.python_folders() or any(f in box.ROOT.parents for f in "
    code += "box.python_folders()))"
    shown = run([str(environment / "bin/python"), "-c", code], environment).stdout.splitlines()
    assert [name in shown[0] for name in OURS] == [True] * 4 and shown[1] == "True"


def test_the_folder_in_which_one_works_is_judged(environment: Path, tmp_path: Path) -> None:
    code = "from autograder.source.submission import own_package; print(own_package())"
    python = str(environment / "bin/python")
    assert "so the installed one is judged" in run([python, "-c", code], tmp_path).stdout
    (tmp_path / "cs285/agents").mkdir(parents=True)
    shown = run([python, "-c", code], tmp_path).stdout
    assert str(tmp_path / "cs285") in shown and "installed" not in shown.replace("/installed", "")
