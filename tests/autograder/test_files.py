"""Files that an editor, or git, takes away while they are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base.files import python_files, read_if_there
from autograder.source import submission
from autograder.source.altered import altered
from autograder.source.importing import Tree


def test_a_file_that_vanishes_after_it_was_listed_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agents").mkdir()
    file = tmp_path / "agents" / "dqn_agent.py"
    monkeypatch.setattr(submission, "python_files", lambda folder: [file])
    assert read_if_there(file) is None
    assert read_if_there(file.parent) is None
    assert submission.files_in(tmp_path) == {}
    assert altered("hw3", submission.files_in(tmp_path)) == []
    tree = Tree(tmp_path)
    assert tree.student("agents/dqn_agent.py") is None
    assert tree.to_compile() == []


def test_folders_that_vanish_hold_no_files(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.py").touch()
    found = []
    for file in python_files(tmp_path):
        found.append(file.relative_to(tmp_path).as_posix())
        for folder in {"a", "b"} - {file.parent.name}:
            (tmp_path / folder / "one.py").unlink(missing_ok=True)
            (tmp_path / folder).rmdir()
    assert found in (["a/one.py"], ["b/one.py"])
    assert list(python_files(tmp_path / "gone")) == []
