"""Every question: its ways can be written, are told apart, and are told from a table as well."""

from __future__ import annotations

import pytest

from autograder.authoring import validate
from autograder.authoring.distinguish import alike
from autograder.base.checks import checks, names
from autograder.base.seen import Seen
from autograder.misconceptions import explain, lookup
from autograder.misconceptions.catalogue import questions
from autograder.misconceptions.live_oracle import cached, choices
from autograder.misconceptions.mutants import MutantTree, run, written
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.misconceptions.oracle import NotRecordedError
from autograder.misconceptions.question import Question
from autograder.misconceptions.tables import table_of
from autograder.source.handout_files import files_of, imported, knows_mutations
from tests.autograder.judging import PRIVATE, table_from
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
    right = cached(question, 0, 0)[0]
    assert right.numbers and not right.raised


@BY_BLANK
def test_pairs_that_can_be_written_are_those_that_interact(question: Question) -> None:
    mutation_set = mutation_set_of(question)
    pairs = [c for c in mutation_set.choices(1) if len(c) > 1 and list(written(question, c))]
    found = {frozenset(mutation_set.misconceptions_of(choice)) for choice in pairs}
    assert found == set(mutation_set.interacts)


@BY_BLANK
def test_who_does_nothing_passes_nowhere(question: Question) -> None:
    judgement = explain.judge(question, Seen(), 0)
    assert not judgement.passed
    assert not judgement.blank


@BY_SOME_BLANK
def test_what_another_seed_leads_to_is_worth_nothing(question: Question) -> None:
    """Else numbers made at home, with a public seed, would do for the class's."""
    made_at_home = cached(question, 0, 0)
    for right in cached(question, PRIVATE, 0) if question.blank not in COUNT_NOTHING else ():
        assert not any(map(right.agrees, made_at_home))


@BY_SOME_BLANK
@pytest.mark.parametrize("seed", [0, pytest.param(PRIVATE, marks=pytest.mark.slow)])
def test_no_mistake_is_taken_for_another(question: Question, seed: int) -> None:
    every = [*cached(question, seed, 0), *cached(question, seed, 1)]
    confused = [(a.mistakes, b.mistakes) for a, b in alike(question, every)]
    assert not confused


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS[:: 1 if ALL else 3], ids=lambda one: one.blank)
@pytest.mark.parametrize("seed", range(PRIVATE + 1, PRIVATE + (5 if ALL else 2)))
def test_no_mistake_is_taken_for_another_on_many_seeds(question: Question, seed: int) -> None:
    test_no_mistake_is_taken_for_another(question, seed)


@pytest.mark.slow
@BY_BLANK
def test_of_two_mistakes_one_is_told(question: Question) -> None:
    """What is told of a pair is the fewest mistakes that lead there: in effect, it is those."""
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
def test_a_table_tells_the_same(question: Question, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = 0
    table = table_from(table_of(question, {seed: 1}))
    mutation_set = mutation_set_of(question)
    mutants = [files for choice in mutation_set.choices(1) for files in written(question, choice)][
        ::7
    ]
    mutants = mutants or [*written(question, ())]  # flags alone, and no ways
    every = [run(question, files, seed) for files in mutants]
    message = [explain.judge(question, seen, seed) for seen in every]
    monkeypatch.setattr(lookup, "read_table", lambda blank: table)
    assert [explain.judge(question, seen, seed) for seen in every] == message
    assert all(judgement.ids or mutation_set.flags for judgement in message)
    with pytest.raises(NotRecordedError):
        for seen in every:  # a fact needs no table
            explain.judge(question, seen, 17)


def test_a_probe_that_imports_an_answer_would_be_seen() -> None:
    text = "from autograder.misconceptions import stories\n"
    (path,) = [p for name in imported(text) for p in files_of(name) if p.endswith("stories.py")]
    assert knows_mutations(path)


def test_variants_leave_the_source_alone() -> None:
    changed = MutantTree({"critics/dqn_critic.py": "pass\n"})
    assert changed.student("critics/dqn_critic.py") == "pass\n"
    assert "class DQNAgent" in str(changed.student("agents/dqn_agent.py"))
