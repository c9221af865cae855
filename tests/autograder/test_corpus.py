"""Every mistake of the corpus is named and costs only its own blank; every right form passes.

By default a quarter of the entries meet the check that must judge them; in the slow tests every
entry meets every check.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.hw3.checks import CHECKS
from tests.autograder.corpus import Entry, all_entries, write
from tests.autograder.judging import judge_package

BY_ID = {check.id: check for check in CHECKS}
ENTRIES = all_entries()
SOME = ENTRIES[::4]


@pytest.mark.parametrize("entry", SOME, ids=lambda entry: entry.name)
def test_some(tmp_path: Path, entry: Entry) -> None:
    verdict = judge_package(write(tmp_path, [entry]), [BY_ID[entry.judged_by]])[entry.judged_by]
    assert sorted(verdict.mistakes) == sorted(entry.mistakes), verdict
    assert not verdict.unknown
    assert not verdict.blank


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_all(tmp_path: Path, entry: Entry) -> None:
    judgements = judge_package(write(tmp_path, [entry]))
    verdict = judgements.pop(entry.judged_by)
    assert sorted(verdict.mistakes) == sorted(entry.mistakes), verdict
    assert not verdict.unknown
    if entry.blank.endswith(".py"):  # a change of given code; the checks of that may tell it too
        judgements = {i: j for i, j in judgements.items() if ".given." not in i}
    assert not {i: j for i, j in judgements.items() if not j.passed}
