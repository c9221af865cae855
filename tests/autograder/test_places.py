"""Where blanks are in a student's files: empty, filled in, deleted, or in a missing file."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.source.blanks import Place
from autograder.source.reference import strip
from autograder.source.submission import places
from tests.autograder.corpus import PACKAGE, homes, write, wrong

BLANK = "hw3.dqn.targets"
FILE = homes()[BLANK][0]
BODY = "mine = 1\n# a note\ntarget = mine"


def handout(folder: Path) -> Path:
    """Writes the file of a blank as it was given out; returns the package."""
    file = folder / "cs285" / FILE
    file.parent.mkdir(parents=True)
    file.write_text(strip((PACKAGE / FILE).read_text(), FILE, "hw3"))
    return folder / "cs285"


def number_of(package: Path, text: str) -> int:
    """Returns the number of the line that contains a text."""
    lines = (package / FILE).read_text().splitlines()
    (found,) = (n for n, line in enumerate(lines, 1) if text in line)
    return found


def test_a_blank_that_is_empty(tmp_path: Path) -> None:
    package = handout(tmp_path)
    line = number_of(package, f'TODO("{BLANK}")')
    assert places("hw3", package)[BLANK] == Place(FILE, line, line, empty=True)
    assert str(places("hw3", package)[BLANK]) == f"cs285/{FILE}:{line}"


@pytest.mark.parametrize("before", [0, 7])
def test_a_blank_that_is_filled_in(tmp_path: Path, before: int) -> None:
    package = write(tmp_path, [wrong("", BLANK, (), body=BODY)])
    file = package / FILE
    head, _, rest = strip(file.read_text(), FILE, "hw3").partition("\nclass ")
    file.write_text(head + "# mine\n" * before + "\nclass " + rest)
    place = places("hw3", package)[BLANK]
    first = number_of(package, "mine = 1")
    assert place == Place(FILE, first, first + 2)
    assert [place.has(FILE, line) for line in (first - 1, first, first + 2, first + 3)] == [
        *(False, True),
        *(True, False),
    ]
    assert not place.has("other.py", first)


def test_a_blank_of_our_own_source_is_between_its_markers() -> None:
    place = places("hw3", PACKAGE)[BLANK]
    lines = (PACKAGE / FILE).read_text().splitlines()
    assert f"BEGIN SOLUTION {BLANK}" in lines[place.first - 2]
    assert "END SOLUTION" in lines[place.last]


def test_every_blank_has_a_place(tmp_path: Path) -> None:
    assert set(places("hw3", PACKAGE)) == set(homes("hw3"))


@pytest.mark.parametrize("data", [None, b"", b"\xff\xfe\x00"])
def test_a_file_without_its_blank_still_has_a_place(tmp_path: Path, data: bytes | None) -> None:
    package = handout(tmp_path)
    if data is None:
        (package / FILE).unlink()
    else:
        (package / FILE).write_bytes(data)
    place = places("hw3", package)[BLANK]
    assert place.file == FILE
    assert ("missing, or no text" in str(place)) == (data != b"")
