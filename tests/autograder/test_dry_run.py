"""`grade --dry-run`: whose submissions these are, and what is odd, before anything is judged."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.classroom.collect import collect
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.listing import list_submissions
from autograder.classroom.policy import Policy
from autograder.classroom.survey import remarks_on_files, solved_by_us, survey
from autograder.release import learner
from autograder.source import reference
from autograder.source.handout_files import given_files
from autograder.source.submission import given_texts

CRITIC = "critics/dqn_critic.py"


def files_of(texts: dict[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in texts.items()}


def write(folder: Path, texts: dict[str, str]) -> None:
    for path, text in texts.items():
        file = folder / "cs285" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def dry_run(folder: Path, *more: object) -> int:
    return main(["grade", "hw3", str(folder), "--dry-run", *map(str, more)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ann as given out, Ben with hw6's handout, Cleo without a file, and somebody unknown."""
    given = dict(given_texts("hw3"))
    write(tmp_path / "in" / "ann", given)
    write(tmp_path / "in" / "ben@x.edu", dict(given_texts("hw6")))
    write(tmp_path / "in" / "c1", {p: t for p, t in given.items() if p != CRITIC})
    write(tmp_path / "in" / "c1", {"mine.py": "x = 1\n"})
    (tmp_path / "in" / "gus.zip").write_bytes(b"junk")
    (tmp_path / "roster.csv").write_text(
        "id,name,email\nann,Ann,\nb1,Ben,ben@x.edu\nc1,Cleo,\nd,D,\n"
    )
    return tmp_path


def test_a_moment_after_the_deadline_shows_as_that(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "in" / "gus.zip").rename(folder / "in" / "gus_2026-10-14T23-59-30.zip")
    assert dry_run(folder / "in", "--deadline", "2026-10-14T23:59+00:00") == 0
    assert "2026-10-14 23:59:30 UTC, 1 day late" in capsys.readouterr().out


def test_who_and_what(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dry_run(folder / "in", "--roster", folder / "roster.csv") == 0
    printed = capsys.readouterr().out
    blocks = {
        block.replace(",", " ").split()[0]: block
        for block in printed.replace("\n    ", "\t").splitlines()
    }
    assert blocks["ann"].startswith("ann (Ann), by id: ann, time unknown")
    assert "b1 (Ben), by email: ben@x.edu" in blocks["b1"]
    assert "are our own solutions, file and all, as in hw6's handout" in blocks["b1"]
    assert f"missing: cs285/{CRITIC}" in blocks["c1"] and "cs285/mine.py" in blocks["c1"]
    assert "gus, NOT MATCHED" in blocks["gus"] and "damaged" in blocks["gus"]
    assert "'gus' is not in the roster" in blocks["gus"]
    assert blocks["d"] == "d (D): not handed in"
    assert "0 late, 1 not handed in; nothing was judged" in printed
    assert sorted(file.name for file in folder.iterdir()) == ["in", "roster.csv"]


def test_who_is_late(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "ann:\n  :submitters:\n  - :sid: ann\n  :created_at: 2026-10-16 00:30:00 Z\n"
    (folder / "in" / "submission_metadata.yml").write_text(text)
    assert dry_run(folder / "in", "--deadline", "2026-10-15T00:00+00:00") == 0
    assert "ann, no roster: ann, 2026-10-16 00:30 UTC, 2 days late" in capsys.readouterr().out


def test_files_of_another_homework() -> None:
    own = dict(given_files("hw3"))
    wrong = {path: text for path, text in own.items() if path != CRITIC}
    missing, line = remarks_on_files("hw3", files_of(wrong | {"agents/sac_agent.py": ""}))
    assert missing.startswith(f"missing: cs285/{CRITIC}")
    assert line == "of another homework (hw4): cs285/agents/sac_agent.py"
    assert list(remarks_on_files("hw3", files_of(own))) == []


@pytest.mark.parametrize(
    ("head", "odd"),
    [
        ("# coding: utf_7\n", True),
        ("# -*- coding: unicode_escape -*-\n", True),
        ("#!/usr/bin/python\n# vim: set fileencoding=utf_16 :\n", True),
        ("# coding: utf-8\n", False),
        ("# coding: latin-1\n", False),
        ("# coding: cp1252\n", False),
        ("# coding: no_such_codec\n", False),  # no Python runs it, and the board reports that
        ("", False),
    ],
)
def test_a_file_that_runs_otherwise_than_it_is_shown_is_for_a_person(head: str, odd: bool) -> None:
    own = dict(given_files("hw3"))
    files = files_of(own | {CRITIC: head + own[CRITIC]})
    lines = list(remarks_on_files("hw3", files))
    assert any(f"cs285/{CRITIC} declares the encoding" in line for line in lines) == odd
    assert len(lines) == odd


@pytest.mark.parametrize("later", ["hw4", "hw5", "hw6"])
def test_solutions_of_a_later_tree_are_noticed(later: str) -> None:
    """A later handout or learner's tree has this homework's blanks solved, by us."""
    for texts in (learner.sources(later), dict(reference.texts())):
        assert "16 of 16 blanks are our own solutions" in solved_by_us("hw3", files_of(dict(texts)))


@pytest.mark.parametrize("later", ["hw5", "hw6"])
def test_a_later_handout_has_some_of_the_files(later: str) -> None:
    """Those that it needs: all of these are solved, and the others are not there at all."""
    line = solved_by_us("hw3", files_of(dict(given_files(later))))
    assert "of 16 blanks are our own solutions" in line and "'s handout" in line


def test_one_short_file_as_ours_is_nobodys_fault() -> None:
    path = "policies/argmax_policy.py"
    assert solved_by_us("hw3", files_of({path: reference.texts()[path]})) == ""


def test_a_students_own_solution_is_not_ours() -> None:
    """Even where each line is as we would write it: the file around it is another."""
    texts = {path: text.replace("self.critic", "self.critic ") for path, text in
             learner.sources("hw6").items()}  # fmt: skip
    texts = {path: text + "\n# mine\n" for path, text in texts.items()}
    assert solved_by_us("hw3", files_of(texts)) == ""
    assert solved_by_us("hw3", files_of(dict(given_texts("hw3")))) == ""


def test_bad_usage(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "hw3", str(folder / "in")]) == 2
    assert "--out is missing" in capsys.readouterr().err
    assert main(["grade", "hw9", str(folder / "in"), "--dry-run"]) == 2
    assert dry_run(folder / "in", "--roster", folder / "no.csv") == 2
    assert dry_run(folder / "in", "--deadline", "soon") == 2
    assert dry_run(folder / "none") == 2


@pytest.mark.parametrize("kind", ["missing", "encoding", "another year's", "ours"])
def test_grade_lists_what_the_dry_run_lists(kind: str, tmp_path: Path) -> None:
    """Whatever somebody has to look at is in pages and tables too, not on the screen alone."""
    own = dict(given_files("hw3"))
    texts = {
        "missing": {path: text for path, text in own.items() if path != CRITIC},
        "encoding": own | {CRITIC: "# coding: utf_7\n" + own[CRITIC]},
        "another year's": own | {"agents/base_agent.py": "", "infrastructure/dqn_utils.py": ""},
        "ours": dict(given_texts("hw6")),
    }[kind]
    write(tmp_path / "in" / "ann", texts)
    printed = list[str]()
    found = collect(tmp_path / "in", sorted(given_files("hw3")))
    (row,) = survey("hw3", found, [], Policy())
    with closing(Gradebook(tmp_path / "book", create=True)) as book:
        list_submissions(book, "hw3", found, [], printed.append)
        (submission,) = book.submissions()
    problem = submission.problem or ""
    assert problem and printed == [f"ann: {problem}"]
    assert problem.split("; ") == "; ".join(row.remarks).split("; ")[: len(problem.split("; "))]
