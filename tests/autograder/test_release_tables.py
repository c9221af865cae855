"""A handout's tables give the same verdicts and names as predictions."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base import checks as homeworks
from autograder.base.results import FAILED, PASSED
from autograder.grading.judging import judged, worded
from autograder.misconceptions import oracle, search
from autograder.misconceptions.catalogue import questions
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.misconceptions.oracle import PUBLIC_SEEDS, Table
from autograder.release import gate
from autograder.running.see import see
from autograder.source import ROOT
from autograder.source.importing import Tree
from tests.autograder.corpus import Entry, all_entries, write
from tests.autograder.judging import CHECKS, FORMULA, table_from
from tests.running import ALL

BY_ID = {check.id: check for check in CHECKS}
ENTRIES = all_entries()
SINGLE = [entry for entry in ENTRIES if len(entry.misconceptions) < 2]
SAMPLE = [entry for entry in SINGLE if entry.judged_by in {check.id for check in FORMULA}][::60]
BLANK = "hw3.dqn.targets"


def table_in(given: Path, blank: str) -> Table | None:
    file = given / oracle.table_file(blank).relative_to(ROOT)
    return table_from(file.read_bytes()) if file.is_file() else None


def both(entry: Entry, seed: int, given: Path, folder: Path, patch: pytest.MonkeyPatch):
    """Judges what a probe sees of an entry as here, and by what the handout has."""
    check = BY_ID[entry.judged_by]
    package = write(folder, [entry])
    seen = see(Tree(package), check, seed)
    live = worded(check, judged(check, seen, seed))
    with patch.context() as patched:
        patched.setattr(search, "read_table", lambda blank: table_in(given, blank))
        return live, worded(check, judged(check, seen, seed))


@pytest.mark.parametrize("entry", SAMPLE, ids=lambda entry: entry.name)
def test_recorded_answers_judge_alike(
    given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: Entry
) -> None:
    live, recorded = both(entry, PUBLIC_SEEDS[0], given, tmp_path, monkeypatch)
    assert recorded == live


@pytest.mark.slow
@pytest.mark.parametrize("number", range(0, len(SINGLE), 1 if ALL else 6))
def test_other_seeds_have_the_verdicts_of_the_corpus(
    given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """With both other seeds in turn, of which a handout knows no misconceptions.

    `test_corpus` compares names and words for the usual seed, of two misconceptions at once too.
    """
    entry, seeds = SINGLE[number], PUBLIC_SEEDS[1:]
    check, seed = BY_ID[entry.judged_by], seeds[number // 6 % len(seeds)]
    seen = see(Tree(write(tmp_path, [entry])), check, seed)
    monkeypatch.setattr(search, "read_table", lambda blank: table_in(given, blank))
    found = worded(check, judged(check, seen, seed))
    assert found.verdict == (FAILED if entry.misconceptions else PASSED), found


def test_pairs_of_the_corpus_are_in_a_handout() -> None:
    """As far as they are looked for at all, whatever their order."""
    looked_for = 0
    for question in (q for name in homeworks.names() for q in questions(name)):
        answer = mutation_set_of(question)
        pairs = {frozenset(answer.misconceptions_of(c)): c for c in answer.choices(2)}
        for entry in all_entries(question.homework):
            choice = pairs.get(frozenset(entry.misconceptions))
            if entry.judged_by == question.blank and choice:
                looked_for += 1
                assert answer.in_handout(choice), entry.name
    assert looked_for > 40


def test_what_few_make_together_is_not_in_a_handout() -> None:
    answer = mutation_set_of(next(q for q in questions("hw3") if q.blank == "hw3.dqn.targets"))
    by_names = {frozenset(answer.misconceptions_of(c)): c for c in answer.choices(2)}
    record, never = (
        {"target.no_mask", "target.online_net"},
        {"target.no_mask", "target.max_over_batch"},
    )
    assert answer.in_handout(by_names[frozenset(record)])
    assert not answer.in_handout(by_names[frozenset(never)])
    for unlisted in (q for q in questions("hw6")):
        assert all(map(mutation_set_of(unlisted).in_handout, mutation_set_of(unlisted).choices(2)))


@pytest.mark.slow
def test_other_seeds_distinguish_right_from_wrong(
    given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With seed 1 a handout knows what is right, and no more."""
    wrong_one = next(e for e in SINGLE if e.misconceptions == ("target.no_mask",))
    right_one = next(e for e in SINGLE if not e.misconceptions and e.judged_by == BLANK)
    for number, (entry, verdict) in enumerate([(wrong_one, "failed"), (right_one, "passed")]):
        folder = tmp_path / str(number)
        live, recorded = both(entry, PUBLIC_SEEDS[1], given, folder, monkeypatch)
        assert live.verdict == recorded.verdict == verdict
        assert not recorded.misconceptions


def test_other_seeds_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("autograder.commands.check.is_handout", lambda _: True)
    assert main(["check", "hw3", "--seed", "3"]) == 2
    assert "seeds 0, 1, 2 alone" in capsys.readouterr().err


def test_a_table_that_is_missing_is_told(given: Path, tmp_path: Path) -> None:
    shutil.copytree(given / "autograder", tmp_path / "autograder")
    assert not list(gate.of_tables("hw3", tmp_path))
    (tmp_path / "autograder/homeworks/hw3/tables/dqn.sync.safetensors").unlink()
    (missing,) = gate.of_tables("hw3", tmp_path)
    assert "hw3.dqn.sync cannot be judged" in missing
