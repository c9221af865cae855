"""Pages out of a gradebook: what they say, and that they ask nothing of anyone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.results import FAILED, PASSED, Verdict
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.policy import Policy
from autograder.evidence.curves import Curve
from autograder.reports.classroom import Classroom, load
from autograder.reports.pages import code, environment, percent, student_page, when, write_pages
from autograder.reports.text import clean, page_name
from tests.autograder import fake_class
from tests.autograder.small_class import book_of, room_of

MESSAGE = "<b>hi</b>\x00\u202edlrow\n\x1b[31m</pre><script>alert(1)</script>"


@dataclass
class Page(HTMLParser):
    """A page taken apart."""

    text: str
    words: str = ""
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    styles: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self.inside = ""
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        if self.inside == "style":
            self.styles += data
        else:
            self.words += data

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""


def read(file: Path) -> Page:
    return Page(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a class of 30, some of them hostile, with a deadline."""
    folder = tmp_path_factory.mktemp("class")
    book, grading = fake_class.fill(folder, 30)
    (verdict, *_) = book.verdicts(f"{0:064x}", grading).values()
    book.connection.execute(
        "UPDATE verdicts SET message = ?, verdict = 'failed', mistakes = '[]' "
        "WHERE digest = ? AND check_id = ?",
        (MESSAGE, f"{0:064x}", verdict.id),
    )
    wild = Curve("q1</title><script>", "\x00<svg onload=alert(1)>", (1, 2, 3), (1, float("nan"), 9))
    book.set_curves(f"{1:064x}", [wild])
    book.close()
    (folder / "policy.toml").write_text(
        f'deadline = {fake_class.DEADLINE}\ntimezone = "America/Los_Angeles"\npenalty_percent = 10'
    )
    assert main(["report", str(folder)]) == 0
    return folder / "report"


def pages(report: Path) -> Iterator[tuple[Path, Page]]:
    for file in report.rglob("*.html"):
        yield file, read(file)


def test_there_is_a_page_for_the_class_and_for_each_student(report: Path) -> None:
    assert (report / "index.html").is_file()
    assert len(list((report / "students").iterdir())) == 30
    assert {file.name for file in report.iterdir()} == {"index.html", "students"}


def test_nothing_is_asked_of_anyone(report: Path) -> None:
    number = 0
    for file, page in pages(report):
        ids = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
        for tag, attributes in page.tags:
            assert tag not in {"script", "iframe", "object", "embed", "base", "form", "img", "use"}
            assert not [name for name in attributes if name.startswith("on")], file
            for name in {"href", "src", "srcset", "action", "data", "poster"} & attributes.keys():
                link = attributes[name]
                number += 1
                if link.startswith("#"):
                    assert link[1:] in ids
                elif tag == "a" and link.startswith(("https://", "http://")):
                    assert "rel" in attributes  # a paper, or the handout: opened by a click
                elif link != "data:,":
                    assert (file.parent / link).is_file(), link
            assert "url(" not in attributes.get("style", "")
        assert "url(" not in page.styles
        assert "@import" not in page.styles
        policies = [a["content"] for _, a in page.tags if "http-equiv" in a]
        assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]
    assert number > 60


def test_hostile_text_is_shown_as_text(report: Path) -> None:
    index = read(report / "index.html")
    for who, name in fake_class.HOSTILE:
        assert clean(name) in index.words
        own = read(report / "students" / page_name(who))
        assert clean(name) in own.words
        assert clean(who) in own.words
    for _, page in pages(report):
        assert not set(page.text) & {"\x00", "\x07", "\x1b", "\u202e"}
    own = read(report / "students" / page_name(fake_class.HOSTILE[0][0]))
    assert "<b>hi</b>\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}dlrow\n" in own.words
    assert "</pre><script>alert(1)</script>" in own.words


def test_no_seed_and_nobody_else_on_a_students_page(report: Path) -> None:
    seed = str(fake_class.SEED)
    assert seed in (report / "index.html").read_text()
    known = {file.name: page for file, page in pages(report) if file.name != "index.html"}
    for page in known.values():
        assert seed not in page.text
        assert "index.html" not in page.text
        assert not [name for name in known if name in page.text]
        assert not re.search(r"student\d+@example.edu", page.text)


def test_words_of_pages() -> None:
    utc = UTC
    assert when("2026-01-01T05:00:00+01:00", utc) == "2026-01-01 04:00 UTC"
    assert when("2026-01-01T05:00:00Z", utc) == "2026-01-01 05:00 UTC"
    assert when("2026-01-01T05:00:00", utc) == "2026-01-01 05:00"
    assert when(None, utc) == "unknown"
    assert when("<b>", utc) == "<b>"
    assert [percent(x) for x in (0, 0.001, 0.5, 0.999, 1)] == [
        "0 %",
        "<1 %",
        "50 %",
        ">99 %",
        "100 %",
    ]
    assert code("use `a<b`, & go") == "use <code>a&lt;b</code>, &amp; go"
    assert code("one ` alone <b>") == "one ` alone &lt;b&gt;"


def test_a_students_page_explains_as_the_board_does(tmp_path: Path) -> None:
    room = room_of(tmp_path, b="0E1")
    page = Page(student_page(room, room.students[0], environment()))
    words = " ".join(page.words.split())
    assert "It <hurts> learning." in words
    assert "Read: Book, chapter 1 (a.one)" in words
    assert "grader's own fault" in words
    assert "0 / 10" in words
    assert "30 / 30" in words


def test_lateness_is_on_the_pages(report: Path) -> None:
    late = [page for _, page in pages(report / "students") if "Lateness" in page.words]
    assert late
    for page in late:
        assert re.search(r"The deadline was 2026-11-10 23:59 PST\. \d+ late days?", page.words)
    assert "late day" in read(report / "index.html").words


def test_a_new_report_takes_the_old_ones_pages_away(tmp_path: Path) -> None:
    room = room_of(tmp_path / "book", a="111", b="011")
    write_pages(room, tmp_path / "out")
    write_pages(Classroom("test", None, room.blanks, room.students[:1], Policy()), tmp_path / "out")
    assert [file.name for file in (tmp_path / "out" / "students").iterdir()] == [page_name("a")]
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["index.html", "students"]


def test_files_of_others_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book_of(tmp_path / "book", {"a": "111"}, {}).close()
    (tmp_path / "site" / "students").mkdir(parents=True)
    own = tmp_path / "site" / "students" / "thesis.tex"
    own.write_text("years of work")
    assert main(["report", str(tmp_path / "book"), "--out", str(tmp_path / "site")]) == 2
    assert "thesis.tex is no page of a report" in capsys.readouterr().err
    assert own.read_text() == "years of work"
    own.unlink()
    index = tmp_path / "site" / "index.html"
    index.write_text("<h1>My course</h1>")
    assert main(["report", str(tmp_path / "book"), "--out", str(tmp_path / "site")]) == 2
    assert index.read_text() == "<h1>My course</h1>"
    index.unlink()
    assert main(["report", str(tmp_path / "book"), "--out", str(tmp_path / "site")]) == 0
    assert main(["report", str(tmp_path / "book"), "--out", str(tmp_path / "site")]) == 0


def test_an_older_grading_can_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = book_of(tmp_path, {"a": "100"}, {})
    newer = book.begin("other", 6, "2026-01-02T00:00:00+00:00")
    book.add_verdict("digest a", newer, Verdict("t.0", "title", 0, 10, FAILED))
    book.close()
    assert main(["report", str(tmp_path), "--grading", "1"]) == 0
    assert "seed 5" in read(tmp_path / "report" / "index.html").words
    assert main(["report", str(tmp_path)]) == 0
    page = read(tmp_path / "report" / "index.html")
    assert "seed 6" in page.words
    assert "This grading is not finished" in page.words
    assert main(["report", str(tmp_path), "--grading", "9"]) == 2
    assert "no grading 9 in the gradebook; there is: 1, 2" in capsys.readouterr().err


def test_the_deadline_of_grade_counts_where_there_is_no_policy(tmp_path: Path) -> None:
    book = book_of(tmp_path, {"a": "111"}, {})
    book.set_fact("deadline", "2026-01-01T12:00:00+01:00")
    late = "2026-01-02T12:00:00+00:00"
    book.set_submissions([Submission("a", "a", late, "digest a", None, True)])
    book.close()
    assert main(["report", str(tmp_path)]) == 0
    words = read(tmp_path / "report" / "students" / page_name("a")).words
    assert "The deadline was 2026-01-01 12:00 UTC+01:00. 2 late days" in words


def test_bad_usage_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book_of(tmp_path / "book", {"a": "111"}, {}).close()
    Gradebook(tmp_path / "empty", create=True).close()
    (tmp_path / "file").write_text("")
    (tmp_path / "bad.toml").write_text("late_dayz = 3")
    book = str(tmp_path / "book")
    for arguments, words in (
        ([str(tmp_path / "nowhere")], "no gradebook in"),
        ([str(tmp_path / "empty")], "the gradebook is empty; run `grade` first"),
        ([book, "--out", str(tmp_path / "file" / "x")], "--out"),
        ([book, "--policy", str(tmp_path / "bad.toml")], "did you mean 'late_days'?"),
    ):
        assert main(["report", *arguments]) == 2
        error = capsys.readouterr().err
        assert words in error
        assert error.count("\n") == 1


def test_a_class_that_is_not_graded_has_a_page(tmp_path: Path) -> None:
    book = Gradebook(tmp_path, create=True)
    book.set_fact("homework", "hw3")
    book.set_students([("ada", "Ada", None)])
    book.close()
    assert main(["report", str(tmp_path)]) == 0
    words = read(tmp_path / "report" / "index.html").words
    assert "Not graded yet." in words
    assert "Nothing is graded yet." in words
    assert "not handed in" in words


def test_one_is_not_many(tmp_path: Path) -> None:
    """On pages of one student with one mistake, one point, one curve and one late day."""
    book = Gradebook(tmp_path, create=True)
    book.set_fact("homework", "test")
    book.set_fact("deadline", "2026-01-01T12:00:00+00:00")
    book.set_students([("ada", "Ada", None)])
    book.set_submissions([Submission("a", "ada", "2026-01-02T11:00:00", "digest", None, True)])
    book.set_curves("digest", [Curve("q1", "seed", (1, 2), (3, 4))])
    grading = book.begin("grader", 5, "2026-01-01T00:00:00+00:00")
    book.add_verdict("digest", grading, Verdict("t.0", "title", 1, 1, PASSED))
    book.add_verdict("digest", grading, Verdict("t.1", "title", 0, 2, FAILED))
    book.finish(grading, "2026-01-01T00:01:00+00:00")
    book.close()
    assert main(["report", str(tmp_path)]) == 0
    text = "".join(page.text for _, page in pages(tmp_path / "report"))
    assert not re.findall(r"\b1 (?:students|submissions|points|curves|late days|blanks)\b", text)
    for phrase in ("1 graded submission,", "Most frequent misconception, 1 student:", "1 late day"):
        assert phrase in text


def test_students_of_one_name_have_a_page_each(tmp_path: Path) -> None:
    book = book_of(tmp_path, {"a": "111", "b": "011"}, {})
    book.set_students([("a", "Kim", None), ("b", "Kim", None)])
    room = load(book, Policy())
    book.close()
    assert [student.id for student in room.students] == ["a", "b"]
    assert write_pages(room, tmp_path / "out") == 3


def test_time_without_sense_is_no_time(tmp_path: Path) -> None:
    book = book_of(tmp_path, {"a": "111"}, {})
    late = Policy(datetime(2000, 1, 1, tzinfo=UTC), cut_off=1)
    for received in ("soon", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-12:00"):
        book.set_submissions([Submission("a", "a", received, "digest a", None, True)])
        (student,) = load(book, late).students
        assert (student.settlement.late, student.settlement.final) == (None, 60)
    book.close()
