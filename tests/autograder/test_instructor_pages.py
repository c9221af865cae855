"""Pages as instructors and students need them: order, links, modes; and what is called hard."""

from __future__ import annotations

import html
import os
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.results import BLANK, FAILED, PASSED, Misconception, Verdict
from autograder.classroom.code import Change, keep_files
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.policy import Policy
from autograder.misconceptions import live_oracle
from autograder.release import progress
from autograder.reports import items
from autograder.reports.classroom import load
from autograder.reports.pages import class_page, environment
from autograder.reports.reading import headings, read_link, slug
from autograder.reports.student_view import error_place
from autograder.source.submission import given_texts
from tests.autograder.mixed_class import mixed_class, verdict
from tests.autograder.small_class import book_of

ADDRESS = "https://course.example.edu"


def test_what_nobody_filled_is_not_hard(tmp_path: Path) -> None:
    """Nine students leave the second blank empty; of the first, two of ten are wrong."""
    with closing(book_of(tmp_path, {f"s{n}": "1" for n in range(10)}, {})) as book:
        (grading,) = book.gradings()
        for n in range(10):
            kinds = FAILED if n < 2 else PASSED, BLANK if n < 9 else PASSED
            for number, kind in enumerate(kinds):
                points = 10 * (number + 1)
                earned = points if kind == PASSED else 0
                one = Verdict(f"t.{number}", "title", earned, points, kind)
                book.add_verdict(f"digest s{n}", grading, one, anew=True)
        room = load(book, Policy())
    found = items.items(room)
    assert [item.blank.id for item in items.hardest(found)] == ["t.0"]
    assert [item.blank.id for item in items.most_empty(found)] == ["t.1"]
    assert "hard" not in [item.warning for item in found]
    page = " ".join(re.sub("<[^>]+>", " ", class_page(room, environment())).split())
    assert "Hardest blank, 80 % of those who filled it passed: 0" in page
    assert "Most often left empty, by 90 %: 1" in page
    assert "Everybody passed every blank" not in page


def test_a_class_that_filled_nothing(tmp_path: Path) -> None:
    with closing(book_of(tmp_path, {"a": "1"}, {})) as book:
        (grading,) = book.gradings()
        book.add_verdict("digest a", grading, Verdict("t.0", "title", 0, 10, BLANK), anew=True)
        room = load(book, Policy())
    assert items.hardest(items.items(room)) == []
    page = class_page(room, environment())
    assert "Hardest" not in page and "Everybody passed" not in page


def test_what_is_wrong_comes_first_and_rows_link_to_it(tmp_path: Path) -> None:
    folder = mixed_class(tmp_path / "book")
    assert main(["report", str(folder)]) == 0
    (file,) = (folder / "report/students").glob("s2-*")
    text = file.read_text(encoding="utf-8")
    wrong, folded = text.index("To do: 1 blank"), text.index("Passed: 1 blank")
    assert wrong < text.index('href="#hw3-dqn-targets"') < text.index('id="hw3-dqn-targets"')
    assert text.index('id="hw3-dqn-targets"') < folded < text.index("dqn.act")
    assert "<details>" in text[:folded] and "check hw3 -k &#34;dqn targets&#34;" in text


def student_words(folder: Path, who: str) -> str:
    """The text of a student's page in a fresh report."""
    assert main(["report", str(folder)]) == 0
    (file,) = (folder / "report/students").glob(f"{who}-*")
    text = file.read_text(encoding="utf-8").partition("<body>")[2]
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", text)).split())


def test_runs_are_parts_and_have_a_command_of_their_own(tmp_path: Path) -> None:
    folder = mixed_class(tmp_path / "book")
    with closing(Gradebook(folder)) as book:
        (grading,) = book.gradings()
        for digest in ("s1", "s2"):
            book.add_verdict(digest, grading, verdict("hw3.runs.q1", 4, BLANK))
    words = student_words(folder, "s2")
    assert "Make the run, then type: python -m autograder runs hw3 data" in words
    assert "Parts passed 1 of 3" in words
    assert "To do: 2 parts" in words and "Passed: 1 part " in words
    assert "lank" not in words


def test_what_counts_no_points_is_counted_apart(tmp_path: Path) -> None:
    folder = mixed_class(tmp_path / "book")
    (folder / "policy.toml").write_text('drop = ["hw3.dqn.act"]')
    words = student_words(folder, "s1")
    assert "Blanks passed 1 of 1" in words
    assert "Passed: 1 blank, and 1 without points" in words


def test_a_moment_after_the_deadline_shows_as_that(tmp_path: Path) -> None:
    folder = mixed_class(tmp_path / "book")
    with closing(Gradebook(folder)) as book:
        late = Submission("s1", "s1", "2026-10-14T12:00:00.120000+00:00", "s1", None, True)
        book.set_submissions([late])
    words = student_words(folder, "s1")
    assert "Received 2026-10-14 12:00:00.12 UTC" in words and "1 late day" in words


NO_PYTHON = Misconception("crash.syntax", "The file is not valid Python.", "Why.", "Where")


def test_an_error_of_a_file_is_explained_once_and_at_its_own_line(tmp_path: Path) -> None:
    folder = mixed_class(tmp_path / "book")
    message = 'SyntaxError: bad at agents/dqn_agent.py:149: "def f() at x.py:1:"'
    with closing(Gradebook(folder)) as book:
        (grading,) = book.gradings()
        keep_files(book, "s2", given_texts("hw3"))
        for id in ("hw3.dqn.act", "hw3.dqn.step", "hw3.dqn.sync"):
            one = replace(verdict(id, 5, FAILED, NO_PYTHON), message=message)
            book.add_verdict("s2", grading, one, anew=True)
    words = student_words(folder, "s2")
    assert words.count("SyntaxError") == words.count("The file is not valid Python.") == 1
    assert words.count("Correct it at cs285/agents/dqn_agent.py:149, then type:") == 1
    again = "The same error as in dqn.act , at cs285/agents/dqn_agent.py:149 : correct it there."
    assert words.count(again) == 2


def test_an_error_on_a_given_line_is_corrected_in_the_blank() -> None:
    one = replace(verdict("hw3.dqn.act", 5, FAILED), message='KeyError: 1 at agents/a.py:7: "x[1]"')
    own = Change((), "agents/a.py", 6, (), ("x = {}", "x[1]"))
    assert error_place(one, [own]) == "cs285/agents/a.py:7"
    assert error_place(one, [replace(own, first=8)]) == ""
    assert error_place(one, [replace(own, file="agents/b.py")]) == ""
    assert error_place(replace(one, message="the result is wrong"), [own]) == ""


def test_reading_is_a_link() -> None:
    heading = next(one for one, page in headings("hw3").items() if page == "hw3")
    page = "docs/hw3.md, Blanks"
    assert read_link(page, "") == page
    link = read_link(f"Mnih et al. 2015, algorithm 1; {page}", ADDRESS)
    assert 'href="https://doi.org/10.1038/nature14236"' in link
    assert f'href="{ADDRESS}/docs/hw3' in link and link.count("<a ") == 2 and "; " in link
    assert f'href="{ADDRESS}/x/hw3' in read_link(page, f"{ADDRESS}/x/{{page}}.html")
    assert "<script>" not in read_link("<script>; docs/hw3.md, <b>", ADDRESS)
    assert slug("Time limits: terminated or truncated?") == "time-limits-terminated-or-truncated"
    assert heading == slug(heading)
    assert read_link("docs/hw3.md, No such heading", ADDRESS).count(f"{ADDRESS}/docs/hw3.md") == 1


def test_others_can_read_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A teaching assistant with another login, where the instructor's umask allows it."""
    before = os.umask(0o022)
    try:
        folder = mixed_class(tmp_path / "book")
        assert main(["report", str(folder)]) == 0
        assert main(["handback", str(folder), "-o", str(tmp_path / "back.zip")]) == 0
        monkeypatch.setattr(live_oracle.mutants, "sources", lambda _: [])
        (tmp_path / "kept").mkdir()
        live_oracle._keep(tmp_path / "kept" / "name-1.json", None, [])  # type: ignore[arg-type]
    finally:
        os.umask(before)
    files = [file for file in tmp_path.rglob("*") if file.name != "grading.lock"]
    assert len(files) > 10
    for file in files:
        assert file.stat().st_mode & 0o777 == (0o755 if file.is_dir() else 0o644), file


def test_long_work_reports_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    times = iter([0.0, 0.0, 20.0, 20.0, 20.0, 40.0, 40.0, 40.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    with progress.Progress("predicting", 10) as shown:
        shown.step("one")
        shown.step("two")
    first, second, third = capsys.readouterr().err.splitlines()
    assert first == "autograder: predicting"
    assert second == "autograder: predicting: 1 of 10, about 3 min left"
    assert third == "autograder: predicting: 2 of 10, about 3 min left"


def test_a_gradebook_of_the_first_layout_is_brought_up_to_date(tmp_path: Path) -> None:
    folder = mixed_class(tmp_path / "book")
    with closing(Gradebook(folder)) as book:
        for table in ("overrides", "answers", "sources"):
            book.connection.execute(f"DROP TABLE {table}")
        book.set_fact("schema", "1")
    assert main(["override", str(folder), "s2", "dqn.act", "--points", "1", "--because", "x"]) == 0
    with closing(Gradebook(folder)) as book:
        assert book.fact("schema") == "3"
