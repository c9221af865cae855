"""`check --submission` reads what is handed in as `grade` does, in a clone and in a handout."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base.text import UsageError
from autograder.classroom.submitted import opened
from autograder.release.tree import grader_files
from tests.autograder.hand_ins import write_zip


def test_an_archive_is_opened_for_a_while(tmp_path: Path) -> None:
    files = {"a/b/cs285/critics/dqn_critic (1).py": b"x = 1\n", "a/b/my_tools.py": b"y = 2\n"}
    write_zip(tmp_path / "mine.zip", files)
    with opened(tmp_path / "mine.zip", "hw3", watched=False) as (package, remarks):
        assert (package / "critics" / "dqn_critic.py").read_bytes() == b"x = 1\n"
        assert (package.parent / "my_tools.py").is_file()
        assert "was read as" in remarks[0]
    assert not package.exists()


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "mine.7z").write_bytes(b"7z")
    for name, words in (
        ("mine.7z", "cannot be read here: a .zip can"),
        ("none.zip", "no such file"),
    ):
        with (
            pytest.raises(UsageError, match=words),
            opened(tmp_path / name, "hw3", watched=False),
        ):
            pass


def test_a_handout_has_the_reader_and_nothing_that_makes_handouts() -> None:
    paths = grader_files("hw3")
    assert "autograder/classroom/reader.py" in paths
    assert not {"autograder/source/handout_files.py", "autograder/source/reference.py"} & {*paths}
