"""Every question: its ways can be written, are told apart, and are told from a table as well."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.core import known
from autograder.core.answer_file import answer_of, file_of, opened
from autograder.core.outcomes import Entry
from autograder.core.predictions import cached, choices, table_of
from autograder.core.question import Question, questions
from autograder.core.tables import NotRecordedError
from autograder.core.variants import VariantTree, run, written
from autograder.homework import checks, mistakes, names
from autograder.public_tree import files_of, imported, knows_answers, modules
from tests.autograder.judging import PRIVATE
from tests.running import ALL

QUESTIONS = [question for homework in names() for question in questions(homework)]
BY_BLANK = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.blank)
MOST_PAIRS = 50 if ALL else 10
COUNT_NOTHING = [c.id for homework in names() for c in checks(homework) if not c.points]


def different(question: Question, entries: list[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Yields outcomes of different mistakes that can be taken for each other."""
    calls = answer_of(question).calls()
    for a, b in itertools.combinations(entries, 2):
        shared = set(a.mistakes) & set(b.mistakes) & answer_of(question).hides
        if set(a.mistakes) == set(b.mistakes) or shared or not a.outcome.agrees(b.outcome):
            continue
        lines = [{calls.get(mistake) for mistake in entry.mistakes} for entry in (a, b)]
        if not (a.outcome.crashes and None not in lines[0] | lines[1] and lines[0] != lines[1]):
            yield a, b


@BY_BLANK
def test_every_way_can_be_written(question: Question) -> None:
    answer = answer_of(question)
    singles, pairs = [], set()
    for choice in answer.choices(1):
        if len(choice) < 2:
            singles.append(choice)
        elif list(written(question, choice)):
            pairs.add(frozenset(answer.mistakes_of(choice)))
    for choice in [*answer.choices(0), *singles]:
        assert list(written(question, choice)), answer.ways(choice)
    assert pairs == set(answer.together)


@BY_BLANK
def test_each_mistake_has_its_words_once(question: Question) -> None:
    """Words that no way has would be told of nobody; and a way without words has a name alone."""
    answer = answer_of(question)
    made = {way.mistake for site in answer.sites for way in site.ways if way.mistake}
    made |= set(answer.flags.values())
    assert made <= mistakes(question.blank.partition(".")[0]).keys()
    reader = opened(file_of(question))
    assert reader.words.keys() - {i for f in reader.families for i in f.words} <= made


@BY_BLANK
def test_our_solution_does_not_crash(question: Question) -> None:
    """What crashes where all is right, would pass where it crashes alike."""
    right = cached(question, 0, 0)[0].outcome
    assert right.arrays and not right.crashes


@BY_BLANK
def test_a_record_of_another_seed_is_worth_nothing(question: Question) -> None:
    """Else a record made at home, with a public seed, would do for the class's."""
    made_at_home = [entry.outcome for entry in cached(question, 0, 0)]
    for entry in cached(question, PRIVATE, 0) if question.blank not in COUNT_NOTHING else ():
        assert not any(entry.outcome.agrees(made) for made in made_at_home)


@BY_BLANK
@pytest.mark.parametrize("seed", [0, pytest.param(PRIVATE, marks=pytest.mark.slow)])
def test_no_mistake_is_taken_for_another(question: Question, seed: int) -> None:
    entries = [*cached(question, seed, 0), *cached(question, seed, 1)]
    alike = [(a.mistakes, b.mistakes) for a, b in different(question, entries)]
    assert not alike


@pytest.mark.slow
@BY_BLANK
@pytest.mark.parametrize("seed", range(PRIVATE + 1, PRIVATE + (5 if ALL else 2)))
def test_no_mistake_is_taken_for_another_on_many_seeds(question: Question, seed: int) -> None:
    test_no_mistake_is_taken_for_another(question, seed)


@pytest.mark.slow
@BY_BLANK
def test_of_two_mistakes_one_is_told(question: Question) -> None:
    """What is told of a pair is the fewest mistakes with its outcome: in effect, it is those."""
    pairs = [choice for choice in choices(question, 0, 2) if any(written(question, choice))]
    told, untold, other = 0, [], []
    for choice in pairs[:: 1 + len(pairs) // MOST_PAIRS]:
        made = answer_of(question).mistakes_of(choice)
        judgement = question(run(question, next(written(question, choice)), 0), 0)
        if judgement.mistakes:
            told += 1
            ours = {*made, *(i for i in judgement.mistakes if i.startswith("crash."))}
            other += [] if ours & set(judgement.mistakes) else [(made, judgement.mistakes)]
        else:
            untold.append(made)
    # Two can look like one, and are then told as that; of the sample of CI one may.
    assert len(other) <= max(1, 0.05 * told), other
    assert len(untold) <= 0.2 * (told + len(untold)), untold


@BY_BLANK
def test_a_table_tells_the_same(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed, file = 0, tmp_path / "table.json"
    file.write_text(table_of(question, {seed: 1}))
    answer = answer_of(question)
    variants = [files for choice in answer.choices(1) for files in written(question, choice)][::7]
    variants = variants or [*written(question, ())]  # flags alone, and no ways
    records = [run(question, files, seed) for files in variants]
    told = [question(record, seed) for record in records]
    monkeypatch.setattr(known, "read_table", lambda blank: json.loads(file.read_text()))
    assert [question(record, seed) for record in records] == told
    assert all(judgement.mistakes or answer.flags for judgement in told)
    with pytest.raises(NotRecordedError):
        for record in records:  # a fact needs no table
            question(record, 17)


@BY_BLANK
def test_no_probe_reaches_an_answer(question: Question) -> None:
    closure = modules([f"autograder.{question.probe.split(':')[0]}"])
    assert not [path for path in closure if knows_answers(path)]


def test_a_probe_that_imports_an_answer_would_be_seen() -> None:
    text = "from autograder.hw3.answers.schedules import otherwise\n"
    (path,) = [p for name in imported(text) for p in files_of(name) if p.endswith("schedules.py")]
    assert knows_answers(path)


def test_variants_leave_the_source_alone() -> None:
    changed = VariantTree({"critics/dqn_critic.py": "pass\n"})
    assert changed.student("critics/dqn_critic.py") == "pass\n"
    assert "class DQNAgent" in str(changed.student("agents/dqn_agent.py"))
