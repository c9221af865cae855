"""Every entry of the corpus gets its verdict and its words, wherever it is judged.

In a clone, changed in place; in a handout, by its tables; and through `--submission`. All entries
of all homeworks run in the slow tests, some hundred in one process; a sixtieth runs by default.
A probe runs once on each. Of every fourth one, what it sees is judged by a table too, and compared
with what it sees of a submission: what is equal has equal words.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.base.results import Judgement
from autograder.grading.judging import judge_seen, worded
from autograder.misconceptions import search
from autograder.misconceptions.catalogue import question
from autograder.misconceptions.live_oracle import table_of
from autograder.misconceptions.oracle import Table
from autograder.running import channel
from autograder.running.see import see
from autograder.source.importing import Tree
from tests.autograder.corpus import Entry, all_entries, files_of, write
from tests.autograder.judging import SEED, judge_tree, table_from
from tests.running import ALL

ENTRIES = [entry for name in homeworks.names() for entry in all_entries(name)]
AT_ONCE, SELDOM = 120, 60
DRAWN = "pg_update.resampled"  # a student's own draws, which no table has
PARTS = [ENTRIES[at : at + AT_ONCE] for at in range(0, len(ENTRIES), AT_ONCE)]
CHECKS = {check.id: check for name in homeworks.names() for check in homeworks.checks(name)}
CODES: dict = {}
TABLES: dict[tuple[str, int], Table] = {}


class Changed(Tree):
    """This checkout's own cs285, some files of which are changed in place."""

    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__()
        self.files, self.codes = files, CODES

    def student(self, path: str) -> str | None:
        return self.files.get(path) or super().student(path)


def message_of(check: Check, judgement: Judgement) -> str:
    """Returns what a student reads."""
    verdict = worded(check, judgement)
    return repr((verdict.verdict, verdict.misconceptions, verdict.message))


def assert_named(entry: Entry, judgement: Judgement) -> None:
    """Asserts that a judgement is what the entry demands."""
    assert sorted(judgement.ids) == sorted(entry.misconceptions), (entry.name, judgement)
    assert not judgement.unknown, (entry.name, judgement)
    assert not judgement.blank, entry.name


@pytest.mark.parametrize("entry", ENTRIES[::SELDOM], ids=lambda entry: entry.name)
def test_some(entry: Entry) -> None:
    check = CHECKS[entry.judged_by]
    seen = see(Changed(files_of([entry])), check, SEED)
    assert_named(entry, judge_seen(check, seen, SEED))


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part[0].name)
def test_every_entry(
    part: Sequence[Entry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: dict = {}  # all submissions have one folder, so what they share is compiled once
    for number, entry in enumerate(part):
        check = CHECKS[entry.judged_by]
        seen = see(Changed(files_of([entry])), check, SEED)
        in_a_clone = judge_seen(check, seen, SEED)
        assert_named(entry, in_a_clone)
        if ALL or number % 4 == 0:
            submission = Tree(write(tmp_path, [entry]))
            submission.codes = codes
            handed_in = see(submission, check, SEED)
            if channel.pack(handed_in) != channel.pack(seen):  # an entry's own random draws
                words = message_of(check, judge_seen(check, handed_in, SEED))
                assert words == message_of(check, in_a_clone), entry.name
        if in_tables(entry) and (ALL or number % 4 == 0 or len(entry.misconceptions) == 2):
            with monkeypatch.context() as patch:
                patch.setattr(search, "read_table", functools.partial(table, entry.misconceptions))
                in_a_handout = judge_seen(check, seen, SEED)
            if DRAWN in entry.misconceptions:
                assert DRAWN in in_a_handout.ids, entry.name
            else:
                assert message_of(check, in_a_handout) == message_of(check, in_a_clone), entry.name


def in_tables(entry: Entry) -> bool:
    """Returns whether a handout's table has what an entry leads to.

    It never has three misconceptions at once. Pairs of other homeworks than the third are predicted
    with CS285_ALL=1 alone.
    """
    most = 2 if ALL or entry.homework == "hw3" else 1
    return not CHECKS[entry.judged_by].beside and len(entry.misconceptions) <= most


def table(misconceptions: Sequence[str], blank: str) -> Table:
    """Returns a table as in a handout, for one seed; with pairs if there are two misconceptions."""
    together = max(1, len(misconceptions))
    if (blank, together) not in TABLES:
        TABLES[blank, together] = table_from(table_of(question(CHECKS[blank]), {SEED: together}))
    return TABLES[blank, together]


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES[1 :: 6 if ALL else 18], ids=lambda entry: entry.name)
def test_other_blanks_keep_their_points(entry: Entry) -> None:
    files = files_of([entry])
    every = [c for c in homeworks.checks(entry.homework) if not c.parts]
    judgements = judge_tree(
        Changed(files), [c for c in every if not files_of_probe(c).isdisjoint(files)]
    )
    for own in {entry.judged_by, entry.blank}:  # a right neighbour of a blank that is wrong itself
        judgements.pop(own, None)
    if "crash.no_module" in entry.misconceptions:  # then nothing in the file can run
        judgements = {i: j for i, j in judgements.items() if entry.blank not in CHECKS[i].owners}
    assert not {i: j for i, j in judgements.items() if not j.passed}, entry.name


@functools.cache
def files_of_probe(check: Check) -> frozenset[str]:
    """Returns the files of `cs285` that a probe reads or looks for: it depends on no other."""
    files = see(Changed({}), check, SEED).files
    assert files is not None
    return files
