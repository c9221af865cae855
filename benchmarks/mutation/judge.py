"""Judges mutants: by the grader's own checks, and by what short trainings make of them.

Each is judged in a child of this process, which has everything imported, and has a limited time.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

from autograder.base.checks import Check, names
from autograder.base.checks import checks as checks_of
from autograder.misconceptions.wording import in_words
from autograder.running.children import Child, write_all
from autograder.running.compiling import compile_files
from autograder.running.see import see
from autograder.running.worker import warm_up
from autograder.source import ROOT
from autograder.source.importing import Tree
from benchmarks.mutation import oracle
from benchmarks.mutation.exercise import changed_lines, reached, runs
from benchmarks.mutation.points import BLANK, Mutant, MutationPoint
from benchmarks.mutation.scenarios import scenarios as scenarios_of
from tests.autograder.judging import SEED, judge_tree

CHECK_SECONDS, TRAIN_SECONDS = 15.0, 25.0
MEMORY = 12 << 30
HANGS, DIFFERS = "hangs", "differs"


class MutatedTree(Tree):
    """The solved package with one file changed."""

    def __init__(self, codes: dict[tuple[str, str, str], CodeType], path: str, text: str) -> None:
        """Takes what is compiled already, and the changed file."""
        super().__init__(None)
        self.codes = codes
        self.path, self.text = path, text

    def student(self, path: str) -> str | None:
        """Returns the text of a file, the changed one included."""
        return self.text if path == self.path else super().student(path)


class NothingJudgedError(Exception):
    """There is nothing to judge a mutant by, or no mutant: a result would say nothing."""


class Judge:
    """This process, warm, for the mutants of one homework."""

    def __init__(
        self,
        homework: str,
        formula: Sequence[Check] | None = None,
        scenarios: Sequence[str] | None = None,
    ) -> None:
        """Judges the reference once, so that children find all modules and answers there.

        Args:
            homework: Its name.
            formula: The checks; by default the homework's own.
            scenarios: Names of trainings; by default all of the homework.

        Raises:
            NothingJudgedError: If there is no check, or no training; or if one fails with our own
                source.
        """
        import torch

        torch.set_num_threads(1)
        self.tree = Tree(None)
        self.formula = checks_of_blanks(homework) if formula is None else list(formula)
        trainings = scenarios_of(homework) if scenarios is None else scenarios
        if not self.formula:
            raise NothingJudgedError(f"{homework} has no check, so no mutant can be judged")
        if not trainings:
            raise NothingJudgedError(f"{homework} has no training: see benchmarks/mutation")
        warm_up(self.tree)
        compile_files(self.tree)
        judgements = judge_tree(self.tree, self.formula)
        assert all(judgement.passed for judgement in judgements.values()), judgements
        self.reads = {check.id: _files_read(self.tree, check) for check in self.formula}
        self.reference = {name: self._train(None, name, None) for name in trainings}
        for name, left in self.reference.items():
            if "digest" not in left:
                why = left.get("crash") or left["died"]
                raise NothingJudgedError(f"the training {name!r} fails with our own source: {why}")

    def require_trainings(self, points: Iterable[MutationPoint]) -> None:
        """Makes sure that every blank among some sites runs in some training.

        Raises:
            NothingJudgedError: If one does not: all of its mutants would seem to be equivalent.
        """
        unreached = {
            point.name
            for point in points
            if point.kind == BLANK
            and not any(reached(point, left["lines"]) for left in self.reference.values())
        }
        if unreached:
            raise NothingJudgedError(f"no training runs {', '.join(sorted(unreached))}")

    def mutated(self, mutant: Mutant) -> MutatedTree:
        """Returns the tree of a mutant."""
        return MutatedTree(self.tree.codes, mutant.point.path, mutant.text)

    def check(self, mutant: Mutant, all_checks: bool = False) -> dict[str, Any]:
        """Lets the checks of a mutant's own place judge it, or all others that import its file.

        Returns:
            failed: Ids of checks that it does not pass. named: Ids of mistakes. unknown: what was
            said that has no name. Or `died`, why there is no answer.
        """
        own = mutant.point.own_checks
        checks = [check for check in self.formula if (check.id in own) != all_checks]
        checks = [check for check in checks if mutant.point.path in self.reads[check.id]]
        return in_child(lambda: _described(self.mutated(mutant), checks), CHECK_SECONDS)

    def train(self, mutant: Mutant) -> dict[str, Any]:
        """Lets a mutant train.

        Returns:
            differing: The scenarios that it ends otherwise than the reference, and how; the first
            that crashes is the last. exercised: Those that ran what it changes, and ended with the
            same weights and log.
        """
        differing: dict[str, str] = {}
        exercised: list[str] = []
        path, (removed, _) = mutant.point.path, changed_lines(mutant)
        watched = () if removed else (path,)  # else the reference's own lines answer
        for name, right in self.reference.items():
            if path not in right["files"]:
                continue
            found = self._train(mutant, name, watched)
            if "digest" not in found:
                differing[name] = found.get("crash") or found["died"]
                break
            if found["digest"] != right["digest"]:
                differing[name] = DIFFERS
            elif runs(mutant, right["lines"], found["lines"].get(path, ())):
                exercised.append(name)
        return {"differing": differing, "exercised": exercised}

    def _train(
        self, mutant: Mutant | None, name: str, watched: Collection[str] | None
    ) -> dict[str, Any]:
        """Returns what a scenario leaves, as `oracle.Trained` has it; or why there is nothing."""
        tree = self.tree if mutant is None else self.mutated(mutant)
        with tempfile.TemporaryDirectory() as folder:
            return in_child(lambda: _trained(tree, name, Path(folder), watched), TRAIN_SECONDS)


def checks_of_blanks(homework: str) -> list[Check]:
    """Returns the checks; none if the homework has no checks yet."""
    return checks_of(homework) if homework in names() else []


def _files_read(tree: Tree, check: Check) -> frozenset[str]:
    """Returns the files within cs285 that a check depends on."""
    return see(tree, check, SEED).files or frozenset()


def _described(tree: Tree, checks: Sequence[Check]) -> dict[str, Any]:
    """Returns what checks say."""
    message = {i: j for i, j in judge_tree(tree, checks).items() if not j.passed}
    return {
        "failed": sorted(message),
        "named": sorted({misconception for j in message.values() for misconception in j.ids}),
        "unknown": [in_words(found)[:200] for j in message.values() for found in j.unknown],
    }


def _trained(
    tree: Tree, name: str, folder: Path, watched: Collection[str] | None
) -> dict[str, Any]:
    """Runs a scenario; returns what it left, or the exception that ended it."""
    try:
        return vars(oracle.train(tree, name, folder, watched))
    except BaseException as error:  # noqa: BLE001  (mutants may raise anything)
        return {"crash": f"{type(error).__name__}: {error}"[:300]}


def in_child(work: Callable[[], dict[str, Any]], seconds: float) -> dict[str, Any]:
    """Returns what work returns in a forked child; or {"died": why}."""
    child = Child(lambda writing: _do(work, writing, seconds))
    data = _read(child.reading, time.monotonic() + 4 * seconds)  # a machine may be busy with others
    status = child.end()
    try:
        answer: dict[str, Any] = json.loads(data)
    except ValueError:
        late = data == b"" and status in (signal.SIGXCPU, signal.SIGKILL)
        return {"died": HANGS if late else f"ended with {status}"}
    return answer


def _do(work: Callable[[], dict[str, Any]], writing: int, seconds: float) -> None:
    """Does the work, within limits."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    sys.stdout = sys.stderr = io.StringIO()
    write_all(writing, json.dumps(work()).encode())


def _read(reading: int, deadline: float) -> bytes:
    """Reads until the child closes its end, or time is out."""
    data = b""
    while (left := deadline - time.monotonic()) > 0 and select.select([reading], [], [], left)[0]:
        part = os.read(reading, 1 << 16)
        if not part:
            break
        data += part
    return data


def digest_of(*patterns: str) -> str:
    """Returns a digest of the files that patterns find below the repository's root."""
    found = hashlib.sha256()
    for file in sorted(file for pattern in patterns for file in ROOT.glob(pattern)):
        found.update(file.read_bytes())
    return found.hexdigest()[:16]
