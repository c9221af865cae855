"""Machine-made mistakes: enough of them, and what tells them from what is no mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from autograder.source.importing import Tree
from benchmarks.mutants import Answers, drawn, next_stage
from benchmarks.mutation import oracle
from benchmarks.mutation.judge import MutatedTree, in_child
from benchmarks.mutation.operators import OPERATORS, Mutation
from benchmarks.mutation.points import BLANK, Mutant, MutationPoint, points
from benchmarks.mutation.report import (
    CRASHES,
    DIFFERING,
    EQUIVALENT,
    NAMED,
    NOT_EXERCISED,
    UNKNOWN,
    fate,
    page,
)
from tests.autograder.judging import CHECKS, judge_tree

BY_ID = {check.id: check for check in CHECKS}
PLACES = {point.name: point for point in points("hw3")}
ADVANTAGE, TARGETS = PLACES["hw3.ac.advantage"], PLACES["hw3.dqn.targets"]


@pytest.fixture(scope="module")
def of_blanks() -> list[Mutant]:
    return [Mutant(s, m) for s in PLACES.values() if s.kind == BLANK for m in s.mutations()]


def changed(point: MutationPoint, operator: str, new: str) -> Mutant:
    """The first mutant of a place by one operator that has some text."""
    made = (mutation for mutation in point.mutations() if mutation.operator == operator)
    return Mutant(point, next(mutation for mutation in made if new in mutation.text))


def judged(mutant: Mutant) -> bool:
    """Whether its own check passes it."""
    tree = MutatedTree({}, mutant.point.path, mutant.text)
    message = judge_tree(tree, [BY_ID[check] for check in mutant.point.own_checks])
    return all(judgement.passed for judgement in message.values())


def test_there_are_thousands_by_many_operators(of_blanks: list[Mutant]) -> None:
    counts = Counter(mutant.mutation.operator for mutant in of_blanks)
    assert len(of_blanks) >= 3000
    assert set(counts) == set(OPERATORS) and len(OPERATORS) >= 25
    assert len({mutant.id for mutant in of_blanks}) == len(of_blanks)


def test_every_one_is_another_file_that_compiles(of_blanks: list[Mutant]) -> None:
    for mutant in of_blanks[::50]:
        compile(mutant.text, mutant.point.path, "exec")
    texts = {(mutant.point.path, mutant.text) for mutant in of_blanks[::50]}
    assert len(texts) == len(of_blanks[::50])


def test_a_place_with_nothing_changed_is_the_reference() -> None:
    for point in PLACES.values():
        assert point.file_with(point.code) == (Tree().student(point.path) or "")


def test_a_mistake_is_caught() -> None:
    assert not judged(changed(ADVANTAGE, "arithmetic", "q_n + self"))


def test_what_is_no_mistake_survives_checks_and_trainings(tmp_path: Path) -> None:
    mutant = changed(ADVANTAGE, "abs", "abs(1.0 - terminal_n)")
    assert judged(mutant)
    name = "actor-critic, one-hot"
    runs = {"right": Tree(), "mutant": MutatedTree({}, mutant.point.path, mutant.text)}
    left = []
    for kind, tree in runs.items():
        (tmp_path / kind).mkdir()
        left.append(in_child(lambda: vars(oracle.train(tree, name, tmp_path / kind, ())), 30.0))  # noqa: B023
    assert left[0] == left[1] and mutant.point.path in left[0]["files"]


def trained(differing: dict[str, str], exercised: Sequence[str] = ()) -> dict[str, object]:
    return {"differing": differing, "exercised": list(exercised)}


@pytest.fixture(scope="module")
def a_mutant() -> Mutant:
    return changed(TARGETS, "call", "min(dim=1)")


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ({"check": {"failed": ["x"], "named": ["y"], "unknown": []}}, NAMED),
        ({"check": {"failed": ["x"], "named": [], "unknown": ["?"]}}, UNKNOWN),
        ({"check": {"failed": []}, "train": trained({}, ["dqn"])}, EQUIVALENT),
        ({"check": {"failed": []}, "train": trained({}, [])}, NOT_EXERCISED),
        ({"check": {"failed": []}, "train": trained({"dqn": "differs"}), "others": {}}, DIFFERING),
        ({"check": {"failed": []}, "train": trained({"dqn": "TypeError"}), "others": {}}, CRASHES),
    ],
)
def test_answers_decide_what_became_of_it(
    a_mutant: Mutant, answers: dict[str, dict[str, object]], kind: str
) -> None:
    assert next_stage(answers) == ""
    one = fate(a_mutant, answers, {})
    assert one.kind == kind
    shown = one.survives or kind == NOT_EXERCISED
    assert ("min(dim=1)" in page([one], 1, "mutants.py")) == shown


def test_what_never_ends_is_ended() -> None:
    def work() -> dict[str, object]:
        while True:
            pass

    assert in_child(work, 1.0) == {"died": "hangs"}


def test_answers_are_kept_for_the_same_source_alone(tmp_path: Path, a_mutant: Mutant) -> None:
    file = tmp_path / "answers.jsonl"
    answer = trained({"dqn": "differs"})
    Answers(file).add(a_mutant, "train", answer)
    assert Answers(file).of(a_mutant) == {"train": answer}
    file.write_text(file.read_text().replace(Answers(file).keys["train"], "older"))
    assert Answers(file).of(a_mutant) == {}


def test_a_sample_is_the_same_again() -> None:
    every = [Mutant(ADVANTAGE, Mutation("sign", str(number))) for number in range(30)]
    assert drawn(every, 5, 0) == drawn(every, 5, 0) != drawn(every, 5, 1)
    assert len(drawn(every, None, 0)) == 30
