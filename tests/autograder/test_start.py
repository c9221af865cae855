"""A learner's own tree: its blanks are empty, the grader is whole, and nothing else is there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.__main__ import main
from autograder.base import checks as homeworks
from autograder.misconceptions import catalogue
from autograder.release import papers
from autograder.source import ROOT, reference
from autograder.source.altered import altered
from autograder.source.blanks import find_regions
from autograder.source.importing import Tree
from autograder.source.submission import files_in
from tests.autograder.judging import FORMULA, judge_tree

HOMEWORKS = ("hw2", "hw3", "hw4", "hw5", "hw6")
DOUBLE_Q, CRITIC = "hw3.dqn.double_q", "critics/dqn_critic.py"


def start(name: str, folder: Path) -> Path:
    assert main(["start", name, str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return start("hw3", tmp_path_factory.mktemp("started") / "hw3")


@pytest.fixture
def mine(started: Path, tmp_path: Path) -> Path:
    """A tree to work in."""
    return Path(shutil.copytree(started, tmp_path / "mine"))


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *words]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder.parent)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


def check(folder: Path, words: str) -> dict[str, Any]:
    """Returns the results of the tree's own `check`, by id."""
    report = folder / "report.json"
    done = run(folder, "autograder", "check", "hw3", "-k", words, "--json", str(report))
    assert done.returncode in (0, 1), done.stderr
    return {row["id"]: row for row in json.loads(report.read_text())["results"]}


def fill_in(folder: Path, path: str, blank: str) -> None:
    """Writes the reference's solution into one empty blank."""
    text = reference.texts()[path]
    region = next(r for r in find_regions(text, path) if r.id == blank)
    body = "\n".join(text.splitlines()[region.first : region.last - 1])
    file = folder / "cs285" / path
    assert region.blank() in file.read_text()
    file.write_text(file.read_text().replace(region.blank(), body))


@pytest.mark.parametrize("name", HOMEWORKS)
def test_the_blanks_of_one_homework_are_empty(name: str, tmp_path: Path):
    folder = start(name, tmp_path / name)
    every = "\n".join(f.read_text() for f in sorted((folder / "cs285").rglob("*.py")))
    assert "SOLUTION" not in every
    assert sorted(catalogue.EMPTY.findall(every)) == sorted(catalogue.blanks(name))
    assert len(catalogue.blanks(name)) >= 9
    assert altered(name, files_in(folder / "cs285")) == []


def test_what_is_in_it(started: Path):
    top = {file.name for file in started.iterdir()}
    assert top == {
        "README.md", "LICENSE", "setup.py", "pyproject.toml", "constraints.txt", ".gitignore",
        "autograder", "cs285", "docs", "notebooks", "scripts", "studies",
    }  # fmt: skip
    assert not list(started.glob("docs/results/data")) and not list(started.rglob("*.pyc"))
    for path in (
        "source/reference.zip",
        "homeworks/hw3/blanks/dqn_targets.toml",
        "commands/start.py",
    ):
        assert (started / "autograder" / path).read_bytes() == (
            ROOT / "autograder" / path
        ).read_bytes()
    assert (started / "cs285/infrastructure/logging/columns.json").is_file()
    assert 'testpaths = ["autograder/homeworks/hw3"]' in (started / "pyproject.toml").read_text()


def test_only_the_repository_says_that_it_holds_solutions(started: Path):
    for page in ("README.md", *(f"docs/{name}.md" for name in HOMEWORKS)):
        first = "\n".join((ROOT / page).read_text().splitlines()[:8])
        assert "contains the solutions" in first and "python -m autograder start hw" in first
        for text in (started / page).read_text(), papers.sections((ROOT / page).read_text(), ()):
            assert "contains the solutions" not in text and "<!--" not in text
    for page in started.glob("docs/**/*.md"):
        for link in papers.LINK.finditer(page.read_text()):
            assert (page.parent / link[3]).exists(), (page, link[0])


def test_it_comes_from_the_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Whatever stands in the clone's own `cs285`: somebody may have worked there."""
    read = Path.read_text
    monkeypatch.setattr(
        Path, "read_text",
        lambda self, *a, **k: "broken" if self == ROOT / "cs285" / CRITIC else read(self, *a, **k),
    )  # fmt: skip
    folder = start("hw3", tmp_path / "hw3")
    assert f'TODO("{DOUBLE_Q}")' in (folder / "cs285" / CRITIC).read_text()


def test_what_is_there_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["start", "hw3", str(tmp_path)]) == 2
    assert main(["start", "hw9", str(tmp_path / "new")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 2 and "is there already" in error
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]
    (tmp_path / "empty").mkdir()
    start("hw3", tmp_path / "empty")


def test_it_ends_with_the_next_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    start("hw3", tmp_path / "my tree")
    printed = capsys.readouterr().out
    assert "16 blanks to fill" in printed and f"cd '{tmp_path}/my tree'" in printed
    assert printed.splitlines()[-1] == "  python -m autograder check hw3 --watch"
    start("hw5", tmp_path / "hw5")
    printed = capsys.readouterr().out
    assert "11 blanks to fill" in printed and "no check yet" not in printed
    assert printed.splitlines()[-1] == "  python -m autograder check hw5 --watch"


def test_a_broken_file_costs_what_is_in_it(started: Path, tmp_path: Path):
    """Other homeworks' blanks are empty in the file that takes its place."""
    package = tmp_path / "cs285"
    shutil.copytree(started / "cs285", package)
    checks = [c for c in FORMULA if c.id in ("hw3.trainer.collect", "hw3.argmax.action", DOUBLE_Q)]
    for path in {path for check in checks for path in check.owners}:
        for region in find_regions(reference.texts()[path], path):
            if region.homework == "hw3":
                fill_in(tmp_path, path, region.id)
    (package / "policies/argmax_policy.py").write_text("raise RuntimeError('mine')\n")
    (package / "policies/MLP_policy.py").write_text("raise RuntimeError('mine')\n")
    judgements = judge_tree(Tree(package), checks, 0)
    found = {id: judgement.passed for id, judgement in judgements.items()}
    assert found == {"hw3.trainer.collect": True, "hw3.argmax.action": False, DOUBLE_Q: True}


def test_a_homework_without_checks_is_refused(capsys: pytest.CaptureFixture[str]):
    for name in ("hw4", "hw5"):
        if name not in homeworks.names():
            assert main(["check", name]) == 2
            error = capsys.readouterr().err
            assert error.count("\n") == 1 and f"no homework {name!r} with checks" in error


@pytest.mark.slow
def test_below_the_table_is_what_is_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(catalogue, "ungraded", lambda _: ["hw2.pg.baseline"])
    shutil.copytree(ROOT / "cs285", tmp_path / "cs285")
    main(["check", "hw2", "--submission", str(tmp_path)])
    assert "\n\n1 of 9 blanks has no check yet: hw2.pg.baseline\n\n" in capsys.readouterr().out


@pytest.mark.slow
def test_a_blank_is_filled_and_passes(mine: Path):
    """As is, filled, and under pytest."""
    words = "double_q or argmax"
    found = check(mine, words)
    assert {row["verdict"] for row in found.values()} == {"blank"}
    fill_in(mine, CRITIC, DOUBLE_Q)
    found = check(mine, words)
    assert {i for i, row in found.items() if row["verdict"] == "passed"} == {DOUBLE_Q}
    done = run(mine, "pytest", "-q", "autograder/homeworks/hw3", "-k", words)
    assert "1 failed, 1 passed" in done.stdout, done.stdout


@pytest.mark.slow
def test_as_a_learner(mine: Path):
    """All 16 are empty, a mistake is named with any seed, and the other commands answer."""
    done = run(mine, "autograder", "check", "hw3")
    assert done.stdout.count("not filled yet") == 16 and "differs" not in done.stdout
    fill_in(mine, CRITIC, DOUBLE_Q)
    file = mine / "cs285" / CRITIC
    file.write_text(file.read_text().replace("argmax", "argmin"))
    done = run(mine, "autograder", "check", "hw3", "-k", "double_q", "--seed", "7")
    assert "(double_q.worst_action)" in done.stdout
    for words in (["runs", "hw3", "data"], ["diagnose", "data"]):
        done = run(mine, "autograder", *words)
        assert done.returncode in (1, 2) and "Traceback" not in done.stderr
    done = run(mine, "autograder", "check", "hw6")
    assert re.search(r"total +100 /100", done.stdout), done.stdout
