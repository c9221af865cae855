"""Every mistake of the corpus is named and costs only its own blank; every right form passes.

By default each entry meets the check that must judge it; the slow tests run all checks on each.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.hw3.checks import CHECKS
from tests.autograder.corpus import Entry, all_entries, write
from tests.autograder.judging import judge_package

BY_ID = {check.id: check for check in CHECKS}
each_entry = pytest.mark.parametrize("entry", all_entries(), ids=lambda entry: entry.name)


@each_entry
def test_it_is_judged_rightly(tmp_path: Path, entry: Entry) -> None:
    verdict = judge_package(write(tmp_path, [entry]), [BY_ID[entry.judged_by]])[entry.judged_by]
    assert sorted(verdict.mistakes) == sorted(entry.mistakes), verdict
    assert not verdict.unknown
    assert not verdict.blank


@pytest.mark.slow
@each_entry
def test_it_costs_nothing_else(tmp_path: Path, entry: Entry) -> None:
    judgements = judge_package(write(tmp_path, [entry]))
    assert not {i: j for i, j in judgements.items() if i != entry.judged_by and not j.passed}
