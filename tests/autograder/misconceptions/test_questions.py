"""Every question: its ways can be written, are told apart, and are told from a table as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from autograder.base.record import Record, Trial

from autograder.authoring import validate
from autograder.authoring.distinguish import alike
from autograder.base.checks import checks, names
from autograder.misconceptions import explain, lookup
from autograder.misconceptions.catalogue import questions
from autograder.misconceptions.live_oracle import cached, choices
from autograder.misconceptions.mutants import MutantTree, run, written
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.misconceptions.oracle import NotRecordedError
from autograder.misconceptions.question import Question
from autograder.misconceptions.tables import table_of
from autograder.source.handout_files import files_of, imported, knows_mutations
from tests.autograder.judging import PRIVATE
from tests.running import ALL

QUESTIONS = [question for homework in names() for question in questions(homework)]
BY_BLANK = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.blank)
# All mutations of a question run before it is asked, so every fifth one is asked by default.
SOME = [
    q if n % 5 == 0 else pytest.param(q, marks=pytest.mark.slow) for n, q in enumerate(QUESTIONS)
]
BY_SOME_BLANK = pytest.mark.parametrize("question", SOME, ids=lambda question: question.blank)
MOST_PAIRS = 50 if ALL else 10
COUNT_NOTHING = [c.id for homework in names() for c in checks(homework) if not c.points]


@BY_BLANK
def test_an_author_finds_nothing_wrong(question: Question) -> None:
    """Every mutation can be written and has words, no probe reaches one, and no words are idle."""
    assert not list(validate.problems(question))


@BY_BLANK
def test_our_solution_does_not_crash(question: Question) -> None:
    """What crashes where all is right, would pass where it crashes alike."""
    right = cached(question, 0, 0)[0].outcome
    assert right.arrays and not right.crashes


@BY_BLANK
def test_pairs_that_can_be_written_are_those_that_interact(question: Question) -> None:
    mutation_set = mutation_set_of(question)
    pairs = [c for c in mutation_set.choices(1) if len(c) > 1 and list(written(question, c))]
    found = {frozenset(mutation_set.misconceptions_of(choice)) for choice in pairs}
    assert found == set(mutation_set.interacts)


@BY_BLANK
@pytest.mark.parametrize("record", [{}, {"probe": Trial()}], ids=["nothing", "no trial"])
def test_an_empty_record_passes_nowhere(question: Question, record: Record) -> None:
    judgement = explain.judge(question, record, 0)
    assert not judgement.passed
    assert not judgement.blank


@BY_SOME_BLANK
def test_a_record_of_another_seed_is_worth_nothing(question: Question) -> None:
    """Else a record made at home, with a public seed, would do for the class's."""
    made_at_home = [entry.outcome for entry in cached(question, 0, 0)]
    for entry in cached(question, PRIVATE, 0) if question.blank not in COUNT_NOTHING else ():
        assert not any(entry.outcome.agrees(made) for made in made_at_home)


@BY_SOME_BLANK
@pytest.mark.parametrize("seed", [0, pytest.param(PRIVATE, marks=pytest.mark.slow)])
def test_no_mistake_is_taken_for_another(question: Question, seed: int) -> None:
    entries = [*cached(question, seed, 0), *cached(question, seed, 1)]
    confused = [(a.misconceptions, b.misconceptions) for a, b in alike(question, entries)]
    assert not confused


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS[:: 1 if ALL else 3], ids=lambda one: one.blank)
@pytest.mark.parametrize("seed", range(PRIVATE + 1, PRIVATE + (5 if ALL else 2)))
def test_no_mistake_is_taken_for_another_on_many_seeds(question: Question, seed: int) -> None:
    test_no_mistake_is_taken_for_another(question, seed)


@pytest.mark.slow
@BY_BLANK
def test_of_two_mistakes_one_is_told(question: Question) -> None:
    """What is told of a pair is the fewest mistakes with its outcome: in effect, it is those."""
    pairs = [choice for choice in choices(question, 0, 2) if any(written(question, choice))]
    message, untold, other = 0, [], []
    for choice in pairs[:: 1 + len(pairs) // MOST_PAIRS]:
        made = mutation_set_of(question).misconceptions_of(choice)
        judgement = explain.judge(question, run(question, next(written(question, choice)), 0), 0)
        if judgement.ids:
            message += 1
            ours = {*made, *(i for i in judgement.ids if i.startswith("crash."))}
            other += [] if ours & set(judgement.ids) else [(made, judgement.ids)]
        else:
            untold.append(made)
    # Two can look like one, and are then told as that; of the sample of CI one may.
    assert len(other) <= max(1, 0.05 * message), other
    assert len(untold) <= 0.2 * (message + len(untold)), untold


@BY_SOME_BLANK
def test_a_table_tells_the_same(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed, file = 0, tmp_path / "table.json"
    file.write_text(table_of(question, {seed: 1}))
    mutation_set = mutation_set_of(question)
    mutants = [files for choice in mutation_set.choices(1) for files in written(question, choice)][
        ::7
    ]
    mutants = mutants or [*written(question, ())]  # flags alone, and no ways
    records = [run(question, files, seed) for files in mutants]
    message = [explain.judge(question, record, seed) for record in records]
    monkeypatch.setattr(lookup, "read_table", lambda blank: json.loads(file.read_text()))
    assert [explain.judge(question, record, seed) for record in records] == message
    assert all(judgement.ids or mutation_set.flags for judgement in message)
    with pytest.raises(NotRecordedError):
        for record in records:  # a fact needs no table
            explain.judge(question, record, 17)


def test_a_probe_that_imports_an_answer_would_be_seen() -> None:
    text = "from autograder.misconceptions import stories\n"
    (path,) = [p for name in imported(text) for p in files_of(name) if p.endswith("stories.py")]
    assert knows_mutations(path)


def test_variants_leave_the_source_alone() -> None:
    changed = MutantTree({"critics/dqn_critic.py": "pass\n"})
    assert changed.student("critics/dqn_critic.py") == "pass\n"
    assert "class DQNAgent" in str(changed.student("agents/dqn_agent.py"))
