"""Every entry of the corpus gets its verdict and its words, wherever it is judged.

In a clone, changed in place; in a handout, by its tables; and through `--submission`. All entries
of all homeworks run in the slow tests, some hundred in one process; a thirtieth runs by default.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.base.record import Record
from autograder.grading.grader import judge_record, worded
from autograder.misconceptions import oracle
from autograder.misconceptions.question import question
from autograder.misconceptions.tables import table_of
from autograder.running.worker import run_probe
from autograder.source.submission import Tree
from tests.autograder.corpus import Entry, all_entries, files_of, write
from tests.autograder.judging import SEED, judge_tree
from tests.running import ALL

ENTRIES = [entry for name in homeworks.names() for entry in all_entries(name)]
AT_ONCE, SELDOM = 120, 30
PARTS = [ENTRIES[at : at + AT_ONCE] for at in range(0, len(ENTRIES), AT_ONCE)]
CHECKS = {check.id: check for name in homeworks.names() for check in homeworks.checks(name)}
CODES: dict = {}
TABLES: dict[str, Mapping] = {}


class Changed(Tree):
    """This checkout's own cs285, some files of which are changed in place."""

    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__()
        self.files, self.codes = files, CODES

    def student(self, path: str) -> str | None:
        return self.files.get(path) or super().student(path)


def record_of(tree: Tree, check: Check) -> Record:
    return run_probe(tree, check.full_probe, check.owners, SEED).trials


def message_of(check: Check, record: Record) -> str:
    """Returns what a student reads, after a comparison with what the entry demands."""
    verdict = worded(check, judge_record(check, record, SEED))
    return repr((verdict.verdict, verdict.misconceptions, verdict.message))


def assert_named(entry: Entry, tree: Tree) -> None:
    judgement = judge_tree(tree, [CHECKS[entry.judged_by]])[entry.judged_by]
    assert sorted(judgement.ids) == sorted(entry.misconceptions), (entry.name, judgement)
    assert not judgement.unknown, (entry.name, judgement)
    assert not judgement.blank, entry.name


@pytest.mark.parametrize("entry", ENTRIES[::SELDOM], ids=lambda entry: entry.name)
def test_some(entry: Entry) -> None:
    assert_named(entry, Changed(files_of([entry])))


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part[0].name)
def test_every_entry(part: Sequence[Entry]) -> None:
    for entry in part:
        assert_named(entry, Changed(files_of([entry])))


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part[0].name)
def test_a_handout_and_a_submission_get_the_same_words(
    part: Sequence[Entry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, entry in enumerate(part if ALL else part[::4]):
        check = CHECKS[entry.judged_by]
        record = record_of(Changed(files_of([entry])), check)
        in_a_clone = message_of(check, record)
        handed_in = record_of(Tree(write(tmp_path / str(number), [entry])), check)
        assert message_of(check, handed_in) == in_a_clone, entry.name
        if not check.judged_by:
            with monkeypatch.context() as patch:
                patch.setattr(oracle, "read_table", table_in_a_handout)
                assert message_of(check, record) == in_a_clone, entry.name


def table_in_a_handout(blank: str) -> Mapping:
    """Returns what a handout knows of a blank: two mistakes at once for the usual seed."""
    if blank not in TABLES:
        TABLES[blank] = json.loads(table_of(question(CHECKS[blank]), {SEED: 2}))
    return TABLES[blank]


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES[1 :: 6 if ALL else 18], ids=lambda entry: entry.name)
def test_other_blanks_keep_their_points(entry: Entry) -> None:
    every = [c for c in homeworks.checks(entry.homework) if c.level == "formula" and not c.parts]
    judgements = judge_tree(Changed(files_of([entry])), every)
    judgements.pop(entry.judged_by)
    if "crash.no_module" in entry.misconceptions:  # then nothing in the file can run
        judgements = {i: j for i, j in judgements.items() if entry.blank not in CHECKS[i].owners}
    assert not {i: j for i, j in judgements.items() if not j.passed}, entry.name
