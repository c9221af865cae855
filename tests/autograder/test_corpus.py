"""Every mistake of the corpus is named and costs only its own blank; every right form passes.

By default a thirtieth of the entries meets the check that must judge them; in the slow tests every
second does, and a twelfth meets every check; with CS285_ALL=1 all do, and a quarter.
`benchmarks/diagnosis.py` lets every entry meet every check.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.homework import checks
from autograder.judge import Judgement
from tests.autograder.corpus import Entry, all_entries, some, write
from tests.autograder.judging import CHECKS, judge_package

SLOW = pytest.mark.slow
BY_ID = {check.id: check for check in CHECKS}
ENTRIES = all_entries()
SOME = ENTRIES[::30]
THEIRS = [*some(all_entries("hw2"), 3), *some(all_entries("hw6"), 24)]
OF_OTHERS = [e if n % 5 == 0 else pytest.param(e, marks=SLOW) for n, e in enumerate(THEIRS)]
OTHERS = [entry for number, entry in enumerate(ENTRIES) if number % 30]


@pytest.mark.parametrize("entry", SOME, ids=lambda entry: entry.name)
def test_some(tmp_path: Path, entry: Entry) -> None:
    assert_named(entry, judge_own(tmp_path, entry))


@pytest.mark.slow
@pytest.mark.parametrize("entry", some(OTHERS, 2), ids=lambda entry: entry.name)
def test_others(tmp_path: Path, entry: Entry) -> None:
    assert_named(entry, judge_own(tmp_path, entry))


@pytest.mark.slow
@pytest.mark.parametrize("entry", some(ENTRIES[1::4], 3), ids=lambda entry: entry.name)
def test_other_blanks_keep_their_points(tmp_path: Path, entry: Entry) -> None:
    judgements = judge_package(write(tmp_path, [entry]))
    assert_named(entry, judgements.pop(entry.judged_by))
    if "crash.no_module" in entry.mistakes:  # then nothing in the file can run
        judgements = {i: j for i, j in judgements.items() if entry.blank not in BY_ID[i].owners}
    assert not {i: j for i, j in judgements.items() if not j.passed}


@pytest.mark.parametrize("entry", OF_OTHERS, ids=lambda entry: entry.name)
def test_other_homeworks(tmp_path: Path, entry: Entry) -> None:
    judgements = judge_package(write(tmp_path, [entry]), checks(entry.homework))
    assert_named(entry, judgements.pop(entry.judged_by))
    assert all(judgement.passed for judgement in judgements.values())


def judge_own(folder: Path, entry: Entry) -> Judgement:
    """Returns the judgement of the check that must name a submission's mistakes."""
    return judge_package(write(folder, [entry]), [BY_ID[entry.judged_by]])[entry.judged_by]


def assert_named(entry: Entry, judgement: Judgement) -> None:
    """Compares a judgement with what an entry demands."""
    assert sorted(judgement.mistakes) == sorted(entry.mistakes), judgement
    assert not judgement.unknown
    assert not judgement.blank
