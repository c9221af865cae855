"""What platforms and people make of single files, of late marks, and of what is not there."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.text import UsageError
from autograder.classroom.collect import collect
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.listing import list_submissions
from autograder.classroom.notes import LATENESS, Need
from autograder.classroom.people import find_student
from autograder.classroom.policy import Policy
from autograder.classroom.roster import Student
from autograder.reports.classroom import load
from tests.autograder.hand_ins import FILES, HANDOUT, below, write_tree, write_zip
from tests.autograder.mixed_class import mixed_class

# Names that end as another file's does: ppo_agent.py and agent.py.
AGENTS = (*HANDOUT, "agents/ppo_agent.py", "infrastructure/training/agent.py")


def files_of(folder: Path, *names: str) -> dict[str, bytes]:
    """Hands in files of these names, and returns what is read of the one submission."""
    for name in names:
        (folder / name).write_bytes(name.encode())
    (found,) = collect(folder, AGENTS)
    assert found.problem is None
    return dict(found.files)


def test_a_file_whose_name_ends_as_anothers_is_itself(tmp_path: Path) -> None:
    ppo = "leelars_51659_920937_ppo_agent.py"
    dqn = "leelars_51659_920938_dqn_agent.py"
    found = files_of(tmp_path, ppo, dqn)
    assert found == {"agents/ppo_agent.py": ppo.encode(), "agents/dqn_agent.py": dqn.encode()}


def test_single_files_of_one_sender_are_one_submission(tmp_path: Path) -> None:
    found = files_of(tmp_path, "ann@u.edu_ppo_agent.py", "ann@u.edu_dqn_agent.py")
    assert found.keys() == {"agents/ppo_agent.py", "agents/dqn_agent.py"}
    (tmp_path / "bob_dqn_agent.py").write_bytes(b"bob")
    assert {one.sender.student for one in collect(tmp_path, AGENTS)} == {"ann@u.edu", "bob"}
    write_tree(tmp_path / "of bob")  # a folder, of another student
    assert {one.sender.student for one in collect(tmp_path, AGENTS)} == {
        "ann@u.edu",
        "bob",
        "of bob",
    }


@pytest.mark.parametrize("name", ["ppo agent.py", "PPO-Agent (1).py", "ppo_agent_final.py"])
def test_blanks_in_a_name_are_underscores(tmp_path: Path, name: str) -> None:
    write_zip(tmp_path / "ann.zip", {f"cs285/agents/{name}": b"1", **below("cs285/")})
    (found,) = collect(tmp_path, AGENTS)
    assert found.files["agents/ppo_agent.py"] == b"1"


def test_what_was_typed_into_canvas_is_a_submission(tmp_path: Path) -> None:
    (tmp_path / "leelinda_51931_text.html").write_text("<p>https://drive/1</p>")
    write_zip(tmp_path / "doejane_51200_920100_hw3.zip", below("cs285/"))
    found = {one.sender.student: one.problem for one in collect(tmp_path, HANDOUT)}
    assert found["51200"] is None
    assert "no cs285/ folder" in (found["51931"] or "")


def test_a_roster_may_lie_beside_an_export(tmp_path: Path) -> None:
    for number in (1, 2):
        write_tree(tmp_path / "export" / f"submission_{number}")
    names = "".join(f"submission_{n}:\n  :submitters:\n  - :sid: 's{n}'\n" for n in (1, 2, 3))
    (tmp_path / "export" / "submission_metadata.yml").write_text(names)
    (tmp_path / "roster.csv").write_text("id,name\ns1,Ann\n")
    found = {one.sender.student: one for one in collect(tmp_path, HANDOUT)}
    assert dict(found["s1"].files) == dict(found["s2"].files) == FILES
    assert "its folder is not there" in (found["s3"].problem or "")


def test_a_missing_file_is_a_problem_that_pages_and_tables_have(tmp_path: Path) -> None:
    (tmp_path / "in" / "ann" / "cs285" / "agents").mkdir(parents=True)
    (tmp_path / "in" / "ann" / "cs285" / "agents" / "dqn_agent.py").write_text("x = 1\n")
    (tmp_path / "in" / "ann" / "cs285" / "agents" / "my_critic.py").write_text("x = 1\n")
    lines = list[str]()
    with closing(Gradebook(tmp_path / "book", create=True)) as book:
        list_submissions(book, "hw3", collect(tmp_path / "in", HANDOUT), [], lines.append)
        (submission,) = book.submissions()
    problem = submission.problem or ""
    assert problem.startswith("missing: ") and "my_critic.py" in problem
    assert lines == [f"ann: {problem}"]


def test_a_decision_closes_a_late_mark(tmp_path: Path) -> None:
    folder = mixed_class(tmp_path / "book")
    with closing(Gradebook(folder)) as book:
        book.set_needs("reading", [Need(who, "marked", LATENESS) for who in ("s1", "s2")])

    def open_ones() -> list[str]:
        with closing(Gradebook(folder)) as book:
            return [one.id for one in load(book, Policy()).students if one.needs_line]

    assert open_ones() == ["s1", "s2"]
    because = ["--because", "Within grace."]
    assert main(["override", str(folder), "s1", "settled", *because]) == 0
    assert main(["override", str(folder), "s2", "penalty", "--points", "2", *because]) == 0
    assert open_ones() == []


def test_what_cannot_be_read_is_closed_by_one_decision(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = mixed_class(tmp_path / "book")
    with closing(Gradebook(folder)) as book:
        book.set_submissions([Submission("s1", "s1", None, None, "a .rar archive", True)])
    settle = ["override", str(folder), "s1", "settled", "--because", "Nothing came."]
    assert main([*settle, "--points", "3"]) == 2
    assert "leave --points out" in capsys.readouterr().err
    assert main(settle) == 0
    with closing(Gradebook(folder)) as book:
        (ann,) = (one for one in load(book, Policy()).students if one.id == "s1")
    assert not ann.unread and not ann.unsettled and ann.points == 0


def test_two_students_of_one_name_are_both_named(tmp_path: Path) -> None:
    with closing(Gradebook(tmp_path, create=True)) as book:
        people = [Student("1", "Wei Wang"), Student("2", "Wei Wang"), Student("3", "Bo")]
        book.set_students([(one.id, one.name, None) for one in people], [])
        with pytest.raises(UsageError, match="give one of 1, 2"):
            find_student(book, "Wei Wang")
