"""Another year's homework is told in one line; what it imports and needs is missing by name."""

from __future__ import annotations

import importlib
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.classroom.collect import collect
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.listing import list_submissions
from autograder.classroom.policy import Policy
from autograder.reports.classroom import load
from autograder.reports.pages import environment, problems, student_page
from autograder.source.altered import another_years, foreign_modules
from autograder.source.handout_files import given_files
from autograder.source.importing import BrokenFileError, Tree, imported_from
from tests.autograder.corpus import reference_files, write
from tests.autograder.judging import FORMULA, judge_package

AGENT, CRITIC = "agents/dqn_agent.py", "critics/dqn_critic.py"
FALL_2022 = {
    "agents/base_agent.py": "class BaseAgent(object):\n    pass\n",
    "infrastructure/dqn_utils.py": "import gym\n\ngym.logger.set_level(40)\n",
    "infrastructure/utils.py": "def sample_trajectory(env, policy):\n    ob = env.reset()\n",
    AGENT: "from cs285.infrastructure.dqn_utils import PiecewiseSchedule\n\n"
    "class DQNAgent(object):\n    schedule = PiecewiseSchedule\n",
    CRITIC: "from .base_critic import BaseCritic\n\nclass DQNCritic(BaseCritic):\n    pass\n",
}
LINE = "these are files of another year's homework: agents/base_agent.py, agents/dqn_agent.py"


def hand_in(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / "cs285" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "cs285" / path).write_text(text)
    return folder / "cs285"


def test_this_course_has_none_of_these_modules() -> None:
    files = {path: text.encode() for path, text in reference_files().items()}
    assert not [path for path, data in files.items() if foreign_modules(path, data)]
    assert another_years("hw3", files) == ""


def test_one_file_of_ones_own_is_not_another_year() -> None:
    assert another_years("hw3", {"infrastructure/utils.py": b"", AGENT: b"import gym"}) == ""


def test_files_tell_by_what_they_import() -> None:
    foreign = another_years("hw3", {AGENT: FALL_2022[AGENT].encode(), CRITIC: b"x = 1"})
    assert foreign == ""
    files = {path: FALL_2022[path].encode() for path in (AGENT, CRITIC)}
    assert f"{AGENT}, {CRITIC}; this year's hw3 wants" in another_years("hw3", files)


@pytest.mark.slow
def test_the_board_begins_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in(tmp_path, FALL_2022)
    parts = "act or targets or argmax or forward"
    assert main(["check", "hw3", "--submission", str(tmp_path), "-k", parts]) == 1
    out = capsys.readouterr().out
    words = " ".join(out.split())
    assert words.startswith(f"Note: {LINE}")
    assert words.count("another year's homework") == 1
    assert 'infrastructure/dqn_utils.py:1: "import gym"' in words
    assert 'critics/dqn_critic.py:1: "from .base_critic import BaseCritic"' in words
    for blank in ("argmax.action", "policy.forward"):
        assert re.search(rf"{blank} .* not filled yet", out)


def test_a_report_begins_with_it(tmp_path: Path) -> None:
    hand_in(tmp_path / "class" / "ann", FALL_2022)
    found = collect(tmp_path / "class", sorted(given_files("hw3")))
    with closing(Gradebook(tmp_path / "book", create=True)) as book:
        book.set_fact("homework", "hw3")
        list_submissions(book, "hw3", found, [])
        room = load(book, Policy())
    (student,) = room.students
    assert LINE in student.problem
    assert LINE.replace("'", "&#39;") in student_page(room, student, environment())
    (problem,) = problems(replace(room, students=[replace(student, waits=False)]))
    assert problem["kind"] == "look at it"


def test_an_import_that_is_used_is_missing_by_its_line(tmp_path: Path) -> None:
    package = hand_in(tmp_path, {AGENT: reference_files()[AGENT] + "\nimport gym_of_old as o\no.x"})
    finder = imported_from(Tree(package), (AGENT,))
    with finder, pytest.raises(BrokenFileError) as broken:
        importlib.import_module("cs285.agents.dqn_agent")
    assert isinstance(broken.value.__cause__, ModuleNotFoundError)


def test_an_import_that_is_not_used_costs_nothing(tmp_path: Path) -> None:
    lines = "import os, gym_of_old, json as j\nfrom cs285.no_such import a, b as c\n"
    package = hand_in(tmp_path, {AGENT: f'{lines}HERE = os.sep, j.dumps(1)\n__all__ = ["HERE"]'})
    with imported_from(Tree(package), (AGENT,)):
        assert importlib.import_module("cs285.agents.dqn_agent").HERE


def test_who_expects_an_import_to_fail_sees_it_fail(tmp_path: Path) -> None:
    text = "try:\n    import gym_of_old\n    GYM = True\nexcept ImportError:\n    GYM = False\n"
    with imported_from(Tree(hand_in(tmp_path, {AGENT: text})), (AGENT,)):
        assert not importlib.import_module("cs285.agents.dqn_agent").GYM


def test_a_students_own_modules_stay_beside_files_that_were_given(tmp_path: Path) -> None:
    package = write(tmp_path, [])
    (package / "helpers.py").write_text("HALF = 0.5\n")
    with imported_from(Tree(package), ("agents/ac_agent.py",), alone=True):
        assert importlib.import_module("cs285.helpers").HALF == 0.5


def test_older_rollouts_are_not_this_years_file(tmp_path: Path) -> None:
    package = write(tmp_path, [])
    (package / "infrastructure" / "rollouts.py").unlink()
    (package / "infrastructure" / "utils.py").write_text(FALL_2022["infrastructure/utils.py"])
    checks = [c for c in FORMULA if c.id == "hw3.rollouts.sample_trajectory"]
    (verdict,) = judge_package(package, checks).values()
    assert verdict.blank and not verdict.ids and not verdict.unknown
