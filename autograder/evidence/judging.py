"""Judges the runs that a student handed in: a verdict for each question about them."""

from __future__ import annotations

import fnmatch
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from autograder.base.results import (
    BLANK,
    FAILED,
    GRADER_ERROR,
    PASSED,
    Verdict,
    read_misconceptions,
)
from autograder.base.text import one_line
from autograder.evidence.claims import Claim, claim_faults, judge_claims, read_weights
from autograder.evidence.files import UnreadableError, entries
from autograder.evidence.play import TooSlowError
from autograder.evidence.policies import Weights
from autograder.evidence.rules import RunQuestion, questions
from autograder.evidence.run_folder import Run, read_run
from autograder.evidence.run_sketch import copies, sketch
from autograder.evidence.settings import Fault, setting_faults, sweep_faults
from cs285.infrastructure.base.errors import UserError

MISCONCEPTIONS = read_misconceptions("evidence/misconceptions.json")
STUDY = "study.toml"  # lies in the folder of a study, beside its runs
MOST_RUNS = 12  # of a question, which asks for three at most
MORE_PLAYED = 3  # beyond those that the question needs
MOST_LINES = 8  # about one run
NOT_PLAYED = "no fault found; its weights were not played"
BELOW = "evidence.weights_below_claim"


@dataclass
class JudgedRun:
    """A run that was handed in, and what is known about it so far."""

    name: str
    run: Run | None = None
    weights: Weights | None = None
    faults: list[Fault] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether its weights have played, and nothing is wrong with it."""
        return bool(self.claims) and not self.faults

    def lines(self) -> list[str]:
        """Returns the lines of a report about it."""
        message = [line for _, line in self.faults[:MOST_LINES] if line]
        if (more := len(self.faults) - MOST_LINES) > 0:
            message.append(f"and {more} more")
        message += [claim.message for claim in self.claims]
        return [f"{self.name}: {line}" for line in message or [NOT_PLAYED]]


@dataclass(frozen=True)
class RunFolder:
    """All runs in a folder, read once, whatever is made of them."""

    asked: tuple[RunQuestion, ...]
    runs: Mapping[str, Sequence[JudgedRun]]  # question id -> its runs, by name
    problem: str = ""  # why the folder cannot be listed; then there are no runs


def read_folder(homework: str, data: Path) -> RunFolder:
    """Reads the runs that a homework asks for, once; errors as of `questions`.

    They lie in `data`, or in a folder within it that is called so.
    """
    asked = questions(homework)
    try:
        found = find_runs(asked, data)
    except UnreadableError as error:
        return RunFolder(asked, {question.id: [] for question in asked}, str(error))
    return RunFolder(asked, {question.id: _read_all(found[question.id]) for question in asked})


def judge_each(run_folder: RunFolder, seed: int) -> Iterator[Verdict]:
    """Yields the verdict on each question as soon as it is there: always the same for a seed."""
    _mark_copies(run_folder)
    for question in run_folder.asked:
        began = time.monotonic()
        verdict = _verdict(question, FAILED, [("evidence.unreadable", "")], run_folder.problem)
        if not run_folder.problem:
            verdict = _judge(question, run_folder.runs[question.id], seed)
        yield Verdict(**{**vars(verdict), "seconds": time.monotonic() - began})


def find_runs(asked: Sequence[RunQuestion], data: Path) -> dict[str, list[Path]]:
    """Returns question id -> its run folders, by name.

    Raises:
        UnreadableError: If there is no such folder, or it cannot be listed.
    """
    inner = data / "data"
    for folder in (inner, data) if inner.is_dir() and not inner.is_symlink() else (data,):
        there = runs_in(folder)
        found = {
            question.id: [
                path
                for path in there
                if any(fnmatch.fnmatchcase(path.name, pattern) for pattern in question.folders)
            ]
            for question in asked
        }
        if any(found.values()):
            break
    return found


def runs_in(folder: Path) -> list[Path]:
    """Returns what lies in a folder, by name; of a study what lies in it, in the study's place.

    Raises:
        UnreadableError: If the folder, or a study in it, cannot be listed.
    """
    found: list[Path] = []
    for entry in entries(folder):
        path = folder / entry.name
        if entry.is_dir(follow_symlinks=False) and (path / STUDY).is_file():
            found += [path / inner.name for inner in entries(path)]
        else:
            found.append(path)
    return found


def _read_all(folders: Sequence[Path]) -> list[JudgedRun]:
    """Reads the runs of a question."""
    found = []
    for folder in folders[:MOST_RUNS]:
        judged_run = JudgedRun(one_line(folder.name))
        found.append(judged_run)
        try:
            judged_run.run = read_run(folder)
        except UnreadableError as error:
            gone = "evidence.missing" if "not there" in str(error) else "evidence.unreadable"
            judged_run.faults.append((gone, str(error)))
    return found


def _mark_copies(run_folder: RunFolder) -> None:
    """Marks runs that are copies of others. Which of two is the copy, nobody can tell."""
    by_folder = {
        one.run.folder: (one, sketch(question, one.run))
        for question in run_folder.asked
        for one in run_folder.runs[question.id]
        if one.run
    }
    runs = [one for one, _ in by_folder.values()]
    for left, right, what in copies([drawn for _, drawn in by_folder.values()]):
        for one, other in ((runs[left], runs[right]), (runs[right], runs[left])):
            one.faults.append(("evidence.duplicate", f"{what} as {other.name}"))


def _judge(question: RunQuestion, judged_runs: Sequence[JudgedRun], seed: int) -> Verdict:
    """Judges one question; whatever goes wrong on our side is a grader error."""
    if not judged_runs:
        wanted = " or ".join(question.folders)
        return _verdict(question, BLANK, [], f"not handed in: no folder {wanted}")
    try:
        for one in judged_runs:
            _read_closely(question, one)
        if _count(question, judged_runs) >= question.runs:  # else playing could not save it
            _play_enough(question, judged_runs, seed)
        return _judge_group(question, judged_runs)
    except UserError as error:  # a package is missing here
        return _verdict(question, GRADER_ERROR, [], str(error))
    except Exception as error:  # noqa: BLE001  (our fault, whatever it is)
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        text = f"{type(error).__name__} at {place}: {one_line(str(error))}"
        return _verdict(question, GRADER_ERROR, [], text)


def _read_closely(question: RunQuestion, one: JudgedRun) -> None:
    """Judges a run by itself, all but what its weights can do."""
    if not one.run:
        return
    one.faults += setting_faults(question, one.run)
    one.faults += claim_faults(question, one.run)
    if not one.faults:
        one.faults += _curve_faults(question, one.run)
    one.weights, faults = read_weights(question, one.run)
    one.faults += faults


def _play_enough(question: RunQuestion, judged_runs: Sequence[JudgedRun], seed: int) -> None:
    """Lets the weights of right runs play until there are as many as the question needs."""
    for one in _in_turn(question, judged_runs)[: question.runs + MORE_PLAYED]:
        assert one.run is not None and one.weights is not None
        try:
            one.claims = judge_claims(question, one.run, one.weights, seed)
        except TooSlowError as error:
            one.faults.append(("evidence.weights_do_not_fit", str(error)))
        one.faults += [(BELOW, "") for claim in one.claims if claim.certain and not claim.holds]
        good = [one for one in judged_runs if one.good]
        if _count(question, good) >= question.runs and not list(_group_faults(question, good)):
            return


def _in_turn(question: RunQuestion, judged_runs: Sequence[JudgedRun]) -> list[JudgedRun]:
    """Returns the right runs in the order to play them: those of a seed not yet seen first."""
    right = [(one.run.seed, one) for one in judged_runs if one.run and not one.faults]
    first = dict(reversed(right))
    if not question.sweep:
        right.sort(key=lambda pair: first[pair[0]] is not pair[1])
    return [one for _, one in right]


def _curve_faults(question: RunQuestion, run: Run) -> Iterator[Fault]:
    """Compares a curve with what the question promises."""
    curve = run.log[question.column]
    best, last = float(np.fmax.reduce(curve)), float(curve[-1])
    for asked, got, how in ((question.reach, best, "is at most"), (question.hold, last, "ends at")):
        if asked is not None and not got >= asked:
            line = f"{question.column} {how} {got:.1f}, and {asked:g} is asked for"
            yield "evidence.below_threshold", line


def _judge_group(question: RunQuestion, judged_runs: Sequence[JudgedRun]) -> Verdict:
    """Judges a question by all its runs."""
    good = [one for one in judged_runs if one.good]
    faults: list[Fault] = []
    enough = _count(question, good) >= question.runs
    if enough:
        faults += _group_faults(question, good)
    faults += _too_few(question, judged_runs)
    lines = [line for _, line in faults]
    for one in judged_runs:
        lines += one.lines()
    if len(judged_runs) == MOST_RUNS:
        lines.append(f"no more than {MOST_RUNS} folders of a question are looked at")
    if enough and not faults:
        return _verdict(question, PASSED, [], "\n".join(lines))
    for one in judged_runs:
        faults += one.faults
    return _verdict(question, FAILED, faults, "\n".join(lines))


def _too_few(question: RunQuestion, judged_runs: Sequence[JudgedRun]) -> Iterator[Fault]:
    """Yields a fault if runs are missing, even if all those with faults were right."""
    count = _count(question, judged_runs)
    if count + sum(bool(one.faults) for one in judged_runs) < question.runs:
        yield "evidence.too_few", f"{count} of {question.runs} right {question.kinds}"


def _count(question: RunQuestion, judged_runs: Sequence[JudgedRun]) -> int:
    """Returns how many runs without a fault count."""
    return question.count([one.run.seed for one in judged_runs if one.run and not one.faults])


def _group_faults(question: RunQuestion, good: Sequence[JudgedRun]) -> Iterator[Fault]:
    """Yields faults that the right runs of a question have together."""
    runs = [one.run for one in good if one.run]
    if question.sweep:
        yield from sweep_faults(question, runs)
    peak = max(float(np.fmax.reduce(run.log[question.column])) for run in runs)
    if question.peak is not None and peak < question.peak:
        line = f"no curve reaches {question.peak:g}, at best {question.column} is {peak:.1f}"
        yield "evidence.below_threshold", line
    yield from _weight_faults(question, good)


def _weight_faults(question: RunQuestion, good: Sequence[JudgedRun]) -> Iterator[Fault]:
    """Yields where the weights of all runs together reach less than the question asks for."""
    held = sum(all(claim.holds for claim in one.claims) for one in good)
    if question.dqn and held < question.holds:
        line = f"the weights of {held} runs reach what their logs claim, and {question.holds} must"
        yield BELOW, line
    best = max(claim.reached for one in good for claim in one.claims)
    if question.proof is not None and best < question.proof:
        yield BELOW, f"no weights reach {question.proof:g}, at best {best:.1f}"


def _verdict(
    question: RunQuestion, verdict: str, faults: Sequence[Fault], message: str = ""
) -> Verdict:
    ids = list(dict.fromkeys(name for name, _ in faults))
    named = tuple(MISCONCEPTIONS[name] for name in ids)
    points = question.points if verdict == PASSED else 0
    return Verdict(question.id, question.title, points, question.points, verdict, named, message)
