"""The table of questions in docs/autograder.md, which a script makes from the rules."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.running import load_script


def script() -> ModuleType:
    """Returns the script as a module."""
    return load_script("../docs/results/asked_of_runs")


def test_the_table_is_that_of_the_rules() -> None:
    module = script()
    assert module.page() == module.PAGE.read_text(encoding="utf-8")
    assert module.page().count("`hw4.runs.") == 15


def test_a_table_that_is_older_than_the_rules_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = script()
    stale = tmp_path / "autograder.md"
    stale.write_text(module.page().replace("reach 2500", "reach 2400"), encoding="utf-8")
    monkeypatch.setattr(module, "PAGE", stale)
    monkeypatch.setattr("sys.argv", ["asked_of_runs.py", "--check"])
    assert module.main() == 1
    monkeypatch.setattr("sys.argv", ["asked_of_runs.py"])
    assert module.main() == 0
    assert "reach 2400" not in stale.read_text(encoding="utf-8")
