"""The measuring tools never certify what they did not run.

A blind check, which passes everything, is planted in each homework: a real mistake that it passes
must be reported as a hole, and a rewrite that changes nothing as equivalent.
"""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

import pytest

from autograder.base.checks import Check
from autograder.base.results import Judgement
from autograder.grading import judging
from autograder.running.probing import Student
from benchmarks import diagnosis, mutants
from benchmarks.mutation.exercise import changed_lines, reached, recorded, source_lines
from benchmarks.mutation.judge import Judge, NothingJudgedError
from benchmarks.mutation.operators import Mutation
from benchmarks.mutation.points import BLANK, Mutant, MutationPoint, homeworks, points
from benchmarks.mutation.report import (
    DIFFERING,
    EQUIVALENT,
    NOT_EXERCISED,
    Fate,
    explanations,
    fate,
    page,
)
from benchmarks.mutation.scenarios import SCENARIOS, scenarios
from tests.running import ROOT

SLOW = pytest.mark.slow
TO_GO = "hw2.returns.reward_to_go"


class Blind(Check):
    """A check that runs nothing, and passes everything by `blind_judge`."""

    @property
    def full_probe(self) -> str:
        return f"{__name__}:look"


@pytest.fixture(autouse=True)
def blind_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a blind check pass everything: in children of this process too."""
    judge_of = judging.judge_of

    def judge_or_pass(check: Check) -> judging.Judge:
        if isinstance(check, Blind):
            return lambda record, seed: Judgement()
        return judge_of(check)

    monkeypatch.setattr(judging, "judge_of", judge_or_pass)


def look(student: Student, seed: int) -> None:
    """A probe that only imports the file that the check is of."""
    for path in student.finder.owners:
        importlib.import_module(f"cs285.{path.removesuffix('.py').replace('/', '.')}")


PLANTED = {  # a blank, a training that runs it, a real mistake, and a rewrite: new and old text
    "hw2": ("hw2.pg.standardize", "policy gradient", "- -np.mean(adv_n)", "abs(np.std(adv_n))"),
    "hw3": ("hw3.ac.advantage", "actor-critic, one-hot", "- -self.critic", "abs(1.0 - terminal_n)"),
    "hw4": ("hw4.td3.targets", "td3", ".max(dim=0)", "abs(1.0 - terminal_n)"),
    "hw5": ("hw5.ppo.standardize", "ppo", "- -adv_n.mean()", "abs(adv_n.std(correction=0))"),
    "hw6": ("hw6.portfolio.scale", "ucb1", "score - high", "abs(high - low)"),
}


def place(blank: str) -> MutationPoint:
    (found,) = [point for point in points(blank.partition(".")[0]) if point.name == blank]
    return found


def mutant(blank: str, new: str) -> Mutant:
    """The first mutant of a blank that has some text."""
    point = place(blank)
    return Mutant(point, next(m for m in point.mutations() if new in m.text))


def fates(judge: Judge, folder: Path, *judged: Mutant) -> list[Fate]:
    answers = mutants.Answers(folder / "answers.jsonl")
    mutants.judge_all(judged, answers, judge)
    return [fate(one, answers.of(one), {}) for one in judged]


def blind(homework: str, *trainings: str) -> Judge:
    blank = PLANTED[homework][0]
    return Judge(homework, [Blind(blank, "", 1, (place(blank).path,), "")], trainings)


@pytest.mark.parametrize(
    "homework", [h if h == "hw4" else pytest.param(h, marks=SLOW) for h in PLANTED]
)
@pytest.mark.slow
def test_what_a_blind_check_passes_is_a_hole(tmp_path: Path, homework: str) -> None:
    blank, training, misconception, rewrite = PLANTED[homework]
    judge = blind(homework, training)
    judge.require_trainings([place(blank)])
    hole, same = fates(judge, tmp_path, mutant(blank, misconception), mutant(blank, rewrite))
    assert hole.kind == DIFFERING and hole.survives and training in hole.detail
    assert same.kind == EQUIVALENT and not same.survives and training in same.detail


def test_every_homework_has_a_planted_hole() -> None:
    assert list(PLANTED) == list(homeworks())


@pytest.mark.slow
def test_what_is_explained_is_a_mutant_of_the_present_solution() -> None:
    """An explanation of an older solution's mutant would excuse nothing, and nobody would see."""
    explained = set(explanations())
    blanks = {id.partition("/")[0] for id in explained}
    every = [point for homework in homeworks() for point in points(homework)]
    found = mutants.chosen([point for point in every if point.name in blanks], None)
    assert explained - {mutant.id for mutant in found} == set()


@pytest.mark.slow
def test_what_no_training_runs_is_not_called_equivalent(tmp_path: Path) -> None:
    judge = blind("hw4", "sac")  # which never comes to the line for "double"
    moved = mutant("hw4.sac.backup", "q_kn.flip(0)[None]")
    (one,) = fates(judge, tmp_path, moved)
    assert one.kind == NOT_EXERCISED and not one.survives
    text = page([one], 1, "mutants.py")
    assert "run by no training" in text and "flip(0)[None]" in text
    assert "Not exercised, so not counted there: 1." in text


@pytest.mark.slow
def test_a_blank_that_no_training_runs_is_an_error() -> None:
    with pytest.raises(NothingJudgedError, match=r"no training runs hw4\.td3\.targets"):
        blind("hw4", "sac").require_trainings([place("hw4.sac.backup"), place("hw4.td3.targets")])


@pytest.mark.parametrize(("checks", "trainings"), [([], None), (None, [])])
def test_a_homework_without_checks_or_trainings_is_an_error(
    checks: list[Check] | None, trainings: list[str] | None
) -> None:
    with pytest.raises(NothingJudgedError, match="hw6 has no "):
        Judge("hw6", checks, trainings)


@pytest.mark.slow
def test_a_training_that_fails_with_our_source_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = SCENARIOS["ddpg"].__class__("run_hw4_ddpg", "--no_such_flag")
    monkeypatch.setitem(SCENARIOS, "ddpg", broken)
    with pytest.raises(NothingJudgedError, match="'ddpg' fails with our own source"):
        blind("hw4", "ddpg")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--blanks", "hw3.no.such"], "there is no place hw3.no.such"),
        (["--blanks", "hw2.returns.gae", "hw6.exp3.probs"], "one homework at a time, not hw2, hw6"),
        (["--blanks", "hw6.exp3.probs", "--homework", "hw3"], "one homework at a time"),
        (["--blanks", "hw6.exp3.probs", "--operators", "detach added"], "there is no such mutant"),
    ],
)
def test_nothing_to_judge_is_one_line_and_status_2(
    words: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["mutants.py", *words])
    assert mutants.main() == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith(message) and printed.err.count("\n") == 1


@pytest.mark.parametrize("words", [["--homework", "hw4"], ["--blanks", "hw4.td3.targets"]])
def test_a_blank_without_a_check_is_one_line_and_status_2(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.mutation.points.all_checks", list)
    monkeypatch.setattr(sys, "argv", ["mutants.py", *words])
    assert mutants.main() == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("no check judges hw4.") and printed.err.count("\n") == 1


def test_blanks_without_a_check_are_left_out_and_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checks = [Blind("hw4.td3.targets", "", 1, (), "")]
    monkeypatch.setattr("benchmarks.mutation.points.all_checks", lambda: checks)
    assert [point.name for point in mutants.places("hw4", [BLANK], [])] == ["hw4.td3.targets"]
    assert "no check judges them: hw4." in capsys.readouterr().err


def test_a_place_says_which_homework_it_is_of() -> None:
    assert mutants.homework_of(None, ["hw6.exp3.probs"]) == "hw6"
    assert mutants.homework_of(None, []) == "hw3"
    assert mutants.homework_of("hw2", []) == "hw2"


def test_a_process_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Failing:
        def __init__(self, homework: str) -> None: ...

        def require_trainings(self, places: object) -> None: ...

        def check(self, mutant: Mutant, all_checks: bool = False) -> None:
            raise OSError("no space left")

    monkeypatch.setattr(mutants, "Judge", Failing)
    monkeypatch.setattr(mutants, "ANSWERS", tmp_path / "answers.jsonl")
    with pytest.raises(NothingJudgedError, match="not all are judged"):
        mutants.in_processes([mutant("hw6.exp3.probs", "abs(w_k.sum())")], 1, "hw6")


def test_changed_lines_are_those_of_our_file_and_of_the_mutants() -> None:
    point = place("hw4.sac.backup")
    lines = (ROOT / "cs285" / point.path).read_text().splitlines()
    dropped = Mutant(point, Mutation("x", "v_kn = next_q_kn"))
    removed, added = changed_lines(dropped)
    assert [lines[n - 1].strip()[:22] for n in sorted(removed)] == [
        'if q_backup == "double',
        "v_kn = next_q_kn.flip(",
        'if q_backup == "clippe',
        "v_kn = next_q_kn.min(d",
    ]  # fmt: skip
    assert added == set()
    doubled = Mutant(
        point, Mutation("x", "v_kn = next_q_kn\n" + ast.unparse(ast.parse(point.code)))
    )
    removed, added = changed_lines(doubled)
    assert removed == set() and len(added) == 1
    (line,) = added
    assert doubled.text.splitlines()[line - 1].strip() == "v_kn = next_q_kn"


def test_each_statement_as_unparsed_is_found_in_every_file() -> None:
    for homework in homeworks():
        for point in points(homework):
            found = source_lines(point)
            first = min((lines.start for lines in found.values()), default=point.first)
            last = max((lines.stop for lines in found.values()), default=point.last + 1)
            assert point.first <= first and last <= point.last + 1


def test_lines_that_run_are_recorded(tmp_path: Path) -> None:
    file = tmp_path / "agents" / "some.py"
    file.parent.mkdir()
    file.write_text("def f(x):\n    if x:\n        return 1\n    return 2\n")
    code = compile(file.read_text(), str(file), "exec")
    before = sys.gettrace()
    with recorded(tmp_path) as lines:
        names: dict[str, object] = {}
        exec(code, names)
        names["f"](0)  # type: ignore[operator]
    assert lines == {"agents/some.py": {1, 2, 4}}
    assert sys.gettrace() is before
    with recorded(tmp_path, ["agents/other.py"]) as lines:
        names["f"](0)  # type: ignore[operator]
    assert lines == {}


@pytest.mark.slow
@pytest.mark.parametrize("homework", homeworks())
def test_every_blank_of_every_homework_is_run_by_a_training(homework: str) -> None:
    judge = Judge(homework, [Blind("", "", 1, (), "")])
    blanks = [point for point in points(homework) if point.kind == BLANK]
    judge.require_trainings(blanks)
    for point in blanks:  # and every statement in it
        ran = {n for left in judge.reference.values() for n in left["lines"].get(point.path, ())}
        missed = [lines.start for lines in source_lines(point).values() if ran.isdisjoint(lines)]
        assert not missed, point.name
    assert set(judge.reference) == set(scenarios(homework))
    assert not any(reached(blanks[0], {}) for _ in blanks)


@pytest.fixture
def seven() -> list[diagnosis.Entry]:
    single = [entry for entry in diagnosis.all_entries("hw2") if len(entry.misconceptions) == 1]
    by_blank = [[e for e in single if e.blank == blank] for blank in ("hw2.returns.gae", TO_GO)]
    return [*by_blank[0][:4], *by_blank[1][:3]]


def test_no_group_is_drawn_twice_and_drawing_ends() -> None:
    pairs = list(diagnosis.some_groups(7, 2, 0))
    assert len(pairs) == len(set(pairs)) == 21
    assert list(diagnosis.some_groups(2, 3, 0)) == []
    assert pairs == list(diagnosis.some_groups(7, 2, 0)) != list(diagnosis.some_groups(7, 2, 1))


def test_of_many_groups_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "FEW", 5)
    triples = list(diagnosis.some_groups(6, 3, 0))
    assert len(triples) == len(set(triples)) == 20


def test_no_more_pairs_than_there_are(seven: list[diagnosis.Entry]) -> None:
    drawn = list(diagnosis.draw(seven, 2, 300, 0))
    assert 0 < len(drawn) <= 21 - 3  # two whole bodies of one blank are no pair
    assert len(list(diagnosis.draw(seven, 2, 3, 0))) == 3


def test_no_mistake_or_no_pair_is_one_line_and_status_2(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    seven: list[diagnosis.Entry],
) -> None:
    monkeypatch.setattr(sys, "argv", ["diagnosis.py", "--homework", "hw2"])
    for entries, message in (([], "the corpus has no mistake"), (seven[:1], "no mistakes of hw2")):
        monkeypatch.setattr(diagnosis, "all_entries", lambda homework, found=entries: found)
        assert diagnosis.main() == 2
        printed = capsys.readouterr()
        assert message in printed.err and printed.err.count("\n") == 1 and printed.out == ""
