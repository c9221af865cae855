"""Notebooks: a cell fills a blank, the board is a table, and what they contain is the handout's."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from autograder.base import checks as homeworks
from autograder.release import leaks, notebooks
from autograder.source import ROOT, reference
from autograder.source.submission import places
from autograder.student import children, notebook, shown_runs, tables, writing
from tests.autograder.evidence.run_folders import write_run

AGENT = "agents/dqn_agent.py"
UPDATE, SYNC = "hw3.dqn.update", "hw3.dqn.sync"
SECRET = "target = reward_n + self.gamma * (1.0 - terminal_n) * q_tp1"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A `cs285` folder with empty blanks."""
    for path, text in reference.given_out("hw3").items():
        file = tmp_path / "cs285" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "cs285"


def test_a_cell_fills_its_blank_again_and_again(package: Path) -> None:
    before = (package / AGENT).read_text()
    place = writing.fill(UPDATE, "log = {}\nif True:\n    pass\n", package)
    writing.fill(SYNC, "first = 1\n\nsecond = 2", package)
    text = (package / AGENT).read_text()
    compile(text, AGENT, "exec")
    indent = " " * 8  # of a line in a method
    assert f"{indent}log = {{}}\n{indent}if True:\n{indent}    pass\n" in text
    assert place.file == AGENT and text.splitlines()[place.first - 1].strip() == "log = {}"
    looped = writing.fill("hw3.trainer.train", "pass", package)
    line = (package / looped.file).read_text().splitlines()[looped.first - 1]
    assert line == " " * 12 + "pass"  # of a line in a loop
    writing.fill(UPDATE, "    log = 3\n", package)
    assert (package / AGENT).read_text().count("log = 3") == 1
    assert "log = {}" not in (package / AGENT).read_text() and "second = 2" in text
    for blank, todo in ((UPDATE, f'log = TODO("{UPDATE}")'), (SYNC, f'TODO("{SYNC}")')):
        writing.fill(blank, todo, package)
        assert places("hw3", package)[blank].empty
    without = [line for line in (package / AGENT).read_text().split("\n") if "SOLUTION" not in line]
    assert "\n".join(without) == before


def test_what_an_editor_wrote_into_a_blank_is_replaced(package: Path) -> None:
    file = package / AGENT
    todo = f'log = TODO("{UPDATE}")'
    file.write_text(file.read_text().replace(todo, f"log = {{}}\n{' ' * 16}log = {{1: 2}}"))
    writing.fill(UPDATE, "log = 4", package)
    text = file.read_text()
    assert "log = 4" in text and "log = {" not in text and f'TODO("{SYNC}")' in text


def test_the_same_code_leaves_the_file_alone(package: Path) -> None:
    writing.fill(SYNC, "x = 1", package)
    before = (package / AGENT).stat().st_mtime_ns
    writing.fill(SYNC, "x = 1\n", package)
    assert (package / AGENT).stat().st_mtime_ns == before


def test_blanks_that_are_not_there(package: Path) -> None:
    with pytest.raises(writing.UnknownBlankError, match=r"no blank hw3.dqn.sink; there is: .*sync"):
        writing.fill("hw3.dqn.sink", "x = 1", package)
    (package / AGENT).unlink()
    with pytest.raises(writing.UnknownBlankError, match="get that file from the handout again"):
        writing.fill(SYNC, "x = 1", package)


def result(verdict: str, most: int, **more: object) -> dict[str, object]:
    plain = {"id": "hw3.a.b", "title": "<b>", "points": 0, "max_points": most, "seconds": 0.1}
    return plain | {"verdict": verdict, "mistakes": [], "message": ""} | more


def test_the_board_as_a_table() -> None:
    wrong = {"id": "x", "title": "Not <this>", "explanation": "It & that", "reference": "A book"}
    results = [
        result("failed", 3, message="first 1 < 2") | {"mistakes": [wrong]},
        result("passed", 5, points=5),
        result("passed", 0, id="hw3.given.beside_dqn"),
    ]
    report = {"results": results, "score": 5, "max_score": 8, "seconds": 1.2, "notes": ["a <note>"]}
    text = tables.table(report)
    assert "Not &lt;this&gt;" in text and "It &amp; that" in text and "first 1 &lt; 2" in text
    assert "a &lt;note&gt;" in text and "<this>" not in text and "hw3.given.beside_dqn" not in text
    assert text.count("<code") == 2 and "5 of 8 points" in text
    assert text.index("wrong</span>") < text.index("hw3.a.b")  # not beyond the edge of a telephone


@pytest.mark.slow
def test_a_run_shows_its_log_and_its_curve(tmp_path: Path) -> None:
    run = shown_runs.ShownRun(write_run(tmp_path / "hw3_notebook_CartPole-v0_2026-01-01_00-00-00"))
    assert run.log["Train_EnvstepsSoFar"][-1] == 101_000
    assert "101,000 steps" in run._repr_html_()
    pytest.importorskip("IPython")
    assert "data:image/png;base64," in shown_runs.draw([run], "Critic_Loss", line=1.0).data
    none = shown_runs.NoRun("hw3.dqn.act is not filled yet")
    assert "No run has logged" in shown_runs.draw([none], "Critic_Loss").data
    assert "There is no run: hw3.dqn.act" in none.film().data


def test_a_cell_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It prints; an empty blank is reported, and any other exception is raised."""
    pytest.importorskip("IPython")
    shown: list[str] = []
    monkeypatch.setattr(notebook, "_display", shown.append)
    notebook.own("", "print('a < b')")
    empty = "from cs285.infrastructure.blanks import TODO\nTODO('hw3.dqn.act')"
    notebook.own("", empty)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        notebook.own("", "1 / 0")
    assert "a &lt; b" in shown[0] and "hw3.dqn.act is not filled yet" in shown[1]
    assert "Traceback" not in shown[1] and "Traceback" in shown[2]


def test_a_training_that_ends_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("IPython")
    monkeypatch.setattr(notebook, "DATA", tmp_path)
    run = notebook.train("python scripts/run_hw3_dqn.py \\\n --env_nam CartPole-v0")
    assert isinstance(run, shown_runs.NoRun) and "--env_name" in run.why


def test_children_run_this_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    done = children.run(["-c", "import autograder, os; print(autograder.__file__, os.getcwd())"])
    assert done.stdout.split() == [str(ROOT / "autograder/__init__.py"), str(ROOT)]


# How they are made


@pytest.mark.slow
@pytest.mark.parametrize("homework", homeworks.names())
def test_every_blank_has_a_cell_with_the_handouts_words(homework: str) -> None:
    pytest.importorskip("jupytext")
    made = notebooks.build(homework, {"docs/autograder.md"})
    assert made == notebooks.build(homework, {"docs/autograder.md"})
    cells = json.loads(made)["cells"]
    blanks = {check.id for check in homeworks.checks(homework) if check.points}
    found = {}
    for cell in cells:
        source = "".join(cell["source"])
        assert "{{" not in source or cell["cell_type"] == "code"
        if match := re.match(r"%%blank (\S+)\n", source):
            assert f'TODO("{match[1]}")' in source and source.count("#") > 0
            found[match[1]] = source
    assert found.keys() == blanks
    links = set(re.findall(r"\]\(\.\./([^)#]+)", made))
    links = {link for link in links if not link.startswith(f"docs/{homework}/")}
    assert links <= {f"docs/{homework}.md", "docs/autograder.md"}  # the others became text


def test_a_mark_that_names_nothing_is_reported() -> None:
    with pytest.raises(ValueError, match=r"notebooks/hw3.py: no page .* heading 'Nowhere'"):
        notebooks.text("hw3", "{{text: Nowhere}}", None)
    with pytest.raises(ValueError, match=r"no blank hw3.no.blank"):
        notebooks.text("hw3", "{{blank: hw3.no.blank}}", None)
    with pytest.raises(ValueError, match="unknown mark"):
        notebooks.text("hw3", "{{Text: Nowhere}}", None)


def test_links_lead_from_the_notebook_to_the_page() -> None:
    text = notebooks._from_notebooks(
        "[a](results/hw3.md#x) [b](#blanks) [c](gone.md)", ROOT / "docs/hw3.md",
        {"docs/results/hw3.md"},
    )  # fmt: skip
    assert text == "[a](../docs/results/hw3.md#x) [b](../docs/hw3.md#blanks) c"


def book_of(*cells: dict[str, object]) -> str:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.parametrize("kind", ["code", "markdown", "output"])
def test_a_solution_in_a_notebook_is_found(kind: str, tmp_path: Path) -> None:
    cell: dict[str, object] = {"cell_type": "code", "source": ["x = 1\n", "y = 2"], "outputs": []}
    if kind == "output":
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": [SECRET]}]
    else:
        cell |= {"cell_type": kind, "source": ["%%blank hw3.dqn.targets\n", f"    {SECRET}\n"]}
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks/hw3.ipynb").write_text(book_of(cell))
    (problem,) = leaks.found_in(tmp_path, "hw3")
    assert problem.startswith("notebooks/hw3.ipynb:0: a line of the solution of hw3.dqn.targets")


@pytest.mark.slow
@pytest.mark.parametrize("homework", homeworks.names())
def test_no_notebook_has_a_solution(homework: str, tmp_path: Path) -> None:
    pytest.importorskip("jupytext")
    (tmp_path / "notebooks").mkdir()
    (tmp_path / f"notebooks/{homework}.ipynb").write_text(notebooks.build(homework))
    assert not list(leaks.found_in(tmp_path))


STUB = """
from pathlib import Path
def begin(): Path("begun").write_text("")
check = draw = pack = train = None
"""


def test_the_first_cell_unpacks_a_handout(tmp_path: Path) -> None:
    """As in Colab: the zip lies beside the notebook, and no tree is around."""
    with zipfile.ZipFile(tmp_path / "hw3 (1).zip", "w") as archive:
        for path in ("autograder/__main__.py", "autograder/__init__.py", "cs285/__init__.py"):
            archive.writestr(f"hw3/{path}", "")
        archive.writestr("hw3/autograder/student/__init__.py", "")
        archive.writestr("hw3/autograder/student/notebook.py", STUB)
    with zipfile.ZipFile(tmp_path / "hw3_hand_in.zip", "w") as archive:
        archive.writestr("cs285/agents/dqn_agent.py", "")
    command = [sys.executable, "-c", notebooks.START.format(homework="hw3")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "hw3/begun").is_file() and not (tmp_path / "cs285").exists()
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        command, cwd=tmp_path / "empty", capture_output=True, text=True, timeout=60
    )
    assert "upload hw3.zip, the handout, beside this notebook" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("solved", [False, True], ids=["empty", "solved"])
def test_a_notebook_as_a_whole(solved: bool, tmp_path: Path) -> None:
    """One homework; `python benchmarks/notebooks.py` executes all."""
    pytest.importorskip("nbclient")
    from benchmarks.notebooks import MOST_SECONDS, execute, faults, make_tree

    make_tree("hw2", tmp_path / "hw2")
    book, seconds = execute("hw2", tmp_path / "hw2", solved)
    assert list(faults(book, "hw2", solved)) == []
    assert seconds < MOST_SECONDS
