"""A learner's tree is brought up to date in mid-term: what they wrote stays."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.release import learner, renewal, tree
from autograder.release.merging import merged
from autograder.source import reference

CRITIC, DOUBLE_Q = "cs285/critics/dqn_critic.py", "hw3.dqn.double_q"
MINE = "double_q = my_own(q)  # mine"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("started") / "hw3"
    assert main(["start", "hw3", str(folder)]) == 0
    return folder


@pytest.fixture
def mine(started: Path, tmp_path: Path) -> Path:
    """A tree in which one blank is filled, a module and a note are the learner's own."""
    folder = Path(shutil.copytree(started, tmp_path / "mine"))
    file = folder / CRITIC
    lines = file.read_text().splitlines()
    number = next(n for n, line in enumerate(lines) if f'TODO("{DOUBLE_Q}")' in line)
    indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
    lines[number] = indent + MINE
    file.write_text("\n".join(lines) + "\n")
    (folder / "notes.md").write_text("mine")
    (folder / "cs285/mine.py").write_text("x = 1\n")
    return folder


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A later handout's code, by path within `cs285`; tests change it."""
    texts = dict(reference.texts())
    monkeypatch.setattr(reference, "texts", lambda: texts)
    return texts


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def update(folder: Path, homework: str = "hw3") -> int:
    return main(["start", homework, str(folder), "--update"])


def test_nothing_new_changes_nothing(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files_of(mine)
    assert update(mine) == 0
    assert "is up to date" in capsys.readouterr().out
    assert files_of(mine) == before


def test_what_is_new_comes_and_what_is_mine_stays(
    mine: Path, newer: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where the comment right above a filled blank is the one that changes."""
    path = CRITIC.removeprefix("cs285/")
    lines = newer[path].splitlines(keepends=True)
    begin = next(n for n, line in enumerate(lines) if f"BEGIN SOLUTION {DOUBLE_Q}" in line)
    indent = lines[begin][: len(lines[begin]) - len(lines[begin].lstrip())]
    lines.insert(begin, f"{indent}# A better hint.\n")
    newer[path] = '"""A better page."""\n' + "".join(lines)
    newer["agents/brand_new.py"] = "new = 1\n"
    gone = newer.pop("infrastructure/base/schedules.py")
    assert gone and update(mine) == 0
    printed = capsys.readouterr().out
    text = (mine / CRITIC).read_text()
    assert f"# A better hint.\n{indent}{MINE}\n" in text
    assert text.startswith('"""A better page."""\n') and text.count(MINE) == 1
    assert f"changed: {CRITIC}, 2 places" in printed
    assert "new: cs285/agents/brand_new.py" in printed
    assert "gone: cs285/infrastructure/base/schedules.py" in printed
    assert (mine / "cs285/agents/brand_new.py").is_file() and (mine / "notes.md").is_file()
    assert not (mine / "cs285/infrastructure/base/schedules.py").exists()
    assert (mine / "cs285/mine.py").read_text() == "x = 1\n"


def test_a_body_goes_where_its_blank_is_now(
    mine: Path, newer: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A blank gets a function of its own, and with it another indent."""
    path = CRITIC.removeprefix("cs285/")
    lines = newer[path].splitlines(keepends=True)
    begin, end = (
        next(n for n, line in enumerate(lines) if mark in line and n >= start)
        for mark, start in (
            (f"BEGIN SOLUTION {DOUBLE_Q}", 0),
            ("END SOLUTION", next(n for n, line in enumerate(lines) if DOUBLE_Q in line)),
        )
    )
    moved = [line.removeprefix(" " * 4) for line in lines[begin : end + 1]]
    lines[begin : end + 1] = ["        q_tp1 = chosen(self, next_ob_no)\n"]
    newer[path] = "".join([*lines, "\n\ndef chosen(self, next_ob_no):\n", *moved])
    assert update(mine) == 0, capsys.readouterr().err
    text = (mine / CRITIC).read_text()
    assert text.endswith(f"def chosen(self, next_ob_no):\n    {MINE}\n")
    assert text.count(MINE) == 1 and DOUBLE_Q not in text


def test_an_edit_in_between_stops_everything(
    mine: Path, newer: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = CRITIC.removeprefix("cs285/")
    first = next(line for line in newer[path].splitlines() if line.startswith("import "))
    newer[path] = newer[path].replace(first, f"{first}  # new")
    file = mine / CRITIC
    file.write_text(file.read_text().replace(first, f"{first}  # mine"))
    number = file.read_text().splitlines().index(f"{first}  # mine") + 1
    before = files_of(mine)
    assert update(mine) == 2
    error = capsys.readouterr().err.splitlines()
    assert error[0] == f"{CRITIC}:{number}: you changed what the new handout changes"
    assert "your edits are in the way" in error[1] and len(error) == 2
    assert files_of(mine) == before


def test_other_files(
    mine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = learner.write_tree

    def with_new_page(homework: str, folder: Path) -> None:
        write(homework, folder)
        (folder / "docs/hw3.md").write_text("a new page\n")
        (folder / "docs/hw4.md").write_text("another\n")
        renewal.write_list(homework, folder)

    monkeypatch.setattr(learner, "write_tree", with_new_page)
    (mine / "README.md").write_text("my notes")  # the new handout does not change it
    assert update(mine) == 0
    assert "changed: docs/hw3.md" in capsys.readouterr().out
    assert (mine / "docs/hw3.md").read_text() == "a new page\n"
    assert (mine / "README.md").read_text() == "my notes"
    (mine / "docs/hw3.md").write_text("mine")
    monkeypatch.setattr(learner, "write_tree", write)
    assert update(mine) == 2
    assert "docs/hw3.md:1: you changed this file" in capsys.readouterr().err


def test_a_tree_of_an_older_release(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has no list of what was given out: what may be the learner's is kept beside."""
    (mine / renewal.LIST).unlink()
    (mine / "docs/hw3.md").write_text("as it was, or mine")
    assert update(mine) == 0
    assert "the old one is docs/hw3.md.before" in capsys.readouterr().out
    assert (mine / "docs/hw3.md.before").read_text() == "as it was, or mine"
    assert MINE in (mine / CRITIC).read_text()


@pytest.mark.parametrize(
    ("own", "new", "both"),
    [
        ("a\nB\nc\nd\n", "a\nb\nc\nD\n", "a\nB\nc\nD\n"),
        ("a\nB\nc\nd\n", "a\nb\nC\nd\n", "a\nB\nC\nd\n"),  # side by side
        ("a\nB\nB\nc\nd\n", "x\na\nb\nc\nd\n", "x\na\nB\nB\nc\nd\n"),
        ("a\nB\nc\nd\n", "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n"),  # the same change in both
        ("a\nb\nc\nd\ny\n", "b\nc\nd\n", "b\nc\nd\ny\n"),
        ("", "", ""),
    ],
)
def test_two_changes_are_merged(own: str, new: str, both: str) -> None:
    assert merged("a\nb\nc\nd\n", own, new) == (both, [])


@pytest.mark.parametrize(
    ("own", "new"),
    [
        ("a\nB\nc\nd\n", "a\nX\nc\nd\n"), ("a\nc\nd\n", "a\nX\nc\nd\n"),
        ("a\nb\nx\nc\nd\n", "a\nb\ny\nc\nd\n"), ("A\nd\n", "a\nb\nnew\nc\nd\n"),
    ],
)  # fmt: skip
def test_two_changes_of_one_line_are_not(own: str, new: str) -> None:
    text, lines = merged("a\nb\nc\nd\n", own, new)
    assert text == own and lines


BLANKS = 'def f():\n    if x:\n        a = TODO("hw.a")\n    c = 2\n    b = TODO("hw.b")\n'
MOVED = 'def f():\n    a = TODO("hw.a")\n\n\ndef g():\n    c = 2\n    b = TODO("hw.b")\n'
BODY = "if y:\n\n            a = 1"


def test_bodies_of_blanks_that_moved() -> None:
    own = BLANKS.replace('a = TODO("hw.a")', BODY).replace('TODO("hw.b")', "3")
    body = BODY.replace(" " * 12, " " * 8)
    expected = MOVED.replace('a = TODO("hw.a")', body).replace('TODO("hw.b")', "3")
    assert merged(BLANKS, own, MOVED) == (expected, [])


@pytest.mark.parametrize(
    ("own", "new"),
    [
        (BLANKS.replace('TODO("hw.a")', "1"), BLANKS.replace('a = TODO("hw.a")', "pass")),
        (BLANKS.replace('TODO("hw.a")', "1"), BLANKS.replace("a = TODO", "c = TODO")),
        (BLANKS.replace('x:\n        a = TODO("hw.a")', "y:\n        a = 1"), MOVED),
    ],
)
def test_a_body_without_its_blank_is_in_the_way(own: str, new: str) -> None:
    text, lines = merged(BLANKS, own, new)
    assert text == own and lines


def test_bad_usage(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    for folder, homework, message in (
        (tmp_path / "none", "hw3", "is no folder"),
        (tmp_path / "empty", "hw3", "is no tree that `start` made"),
        (mine, "hw4", "is a tree of hw3, not of hw4"),
    ):
        assert update(folder, homework) == 2
        error = capsys.readouterr().err
        assert message in error and error.count("\n") == 1
    (mine / renewal.OLD_REFERENCE).write_bytes(b"junk")
    assert update(mine) == 2
    assert "what was given out cannot be read" in capsys.readouterr().err


def test_solutions_that_a_later_handout_contains() -> None:
    assert tree.solved_in("hw2") == []
    assert "hw3" not in tree.solved_in("hw3")
    for later in ("hw4", "hw5", "hw6"):
        found = tree.solved_in(later)
        assert found and all(home < later for home in found)


def test_the_reference_of_a_tree_is_its_own(started: Path) -> None:
    with zipfile.ZipFile(started / renewal.OLD_REFERENCE) as archive:
        assert archive.namelist()
