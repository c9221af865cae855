"""Submissions with the verdicts that a commit gave them: what later grading is compared with.

A file of rows is gzipped JSON lines. The first line says what made it: `commit`, `seed`, `rows`
(how many follow). Each other line is one submission, and needs nothing but the solved `cs285/`:

    id         a name, unique in its file
    judged     the id of the check that judges it, or a homework, of which all checks do
    bodies     id of a blank -> its whole body, in place of our solution
    changes    path within cs285 -> pairs of old and new text; each old text gives way once
    outcomes   id of a check -> what it said; of a whole homework only the checks that fail

An outcome has `verdict` ("passed", "failed", "blank"), `misconceptions` (ids, sorted) and `unknown`
(whether something was reported that has no name).
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gzip
import io
import json
import random
import shutil
import tempfile
import textwrap
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.base.results import Judgement
from autograder.base.seen import Seen
from autograder.grading.grader import lacks_name
from autograder.grading.judging import judged
from autograder.misconceptions.mutants import filled
from autograder.running.see import see
from autograder.running.worker import warm_up
from autograder.source import reference
from autograder.source.blanks import find_regions
from autograder.source.importing import Tree
from autograder.source.reference import fill

SEED = 0  # of the probes
SOURCE = Path(__file__).parent / "baseline/source.zip"
PASSED, FAILED, BLANK, ERROR = "passed", "failed", "blank", "error"
Outcomes = dict[str, dict[str, Any]]


class BaselineError(Exception):
    """A file of rows is missing, empty or cut short."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One submission; see the top of this file."""

    id: str
    judged: str
    bodies: Mapping[str, str]
    changes: Mapping[str, Sequence[Sequence[str]]]
    outcomes: Outcomes = dataclasses.field(default_factory=dict)

    @property
    def homework(self) -> str:
        """The homework whose checks judge it."""
        return self.judged.partition(".")[0]

    def files(self) -> dict[str, str]:
        """Returns the files that differ from our solution, by path within `cs285`.

        Changes are pieces of the source at the time of freezing: a submission with changes is a
        hand-in of a handout of that time, with all its files.

        Raises:
            ValueError: If a text that is to be replaced is not there.
            KeyError: If there is no such blank.
        """
        if not self.changes:
            return filled(self.bodies)
        files = dict(source_then())
        for id, body in self.bodies.items():
            path, region = next(
                (path, region)
                for path, text in files.items()
                for region in find_regions(text, path)
                if region.id == id
            )
            new = textwrap.indent(textwrap.dedent(body).strip("\n"), " " * region.indent)
            files[path] = fill(files[path], {id: new}, path)
        for path, pairs in self.changes.items():
            text = files[path]
            for old, new in pairs:
                if old not in text:
                    raise ValueError(f"{path} does not contain {old!r}")
                text = text.replace(old, new, 1)
            files[path] = text
        return files


@functools.cache
def source_then() -> Mapping[str, str]:
    """Returns the solved files of `cs285` at the time of freezing, by path within it."""
    with zipfile.ZipFile(SOURCE) as archive:
        return {name: archive.read(name).decode("utf-8") for name in sorted(archive.namelist())}


def read(file: Path) -> list[Row]:
    """Reads a file of rows.

    Raises:
        BaselineError: If it is missing, or has fewer rows than its first line says, or none.
    """
    if not file.is_file():
        raise BaselineError(f"{file} is missing")
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    if len(lines) < 2:
        raise BaselineError(f"{file} has no rows")
    rows = [Row(**json.loads(line)) for line in lines[1:]]
    wanted = json.loads(lines[0])["rows"]
    if len(rows) != wanted:
        raise BaselineError(f"{file} has {len(rows)} rows, and its first line says {wanted}")
    return rows


def write(file: Path, rows: Sequence[Row], commit: str) -> None:
    """Writes a file of rows."""
    head = {"commit": commit, "seed": SEED, "rows": len(rows)}
    lines = [head, *map(dataclasses.asdict, rows)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    file.write_bytes(gzip.compress(text.encode(), mtime=0))


class Judge:
    """Judges row after row in this process, in which everything is imported once."""

    def __init__(self, folder: Path) -> None:
        """Copies the solved source into a folder, where each row's files take their places."""
        self.package = folder / "cs285"
        self._write(reference.texts())
        self.tree = Tree(self.package)
        warm_up(self.tree)
        self.dependencies: dict[str, frozenset[str]] = {}

    def judge(self, row: Row) -> Outcomes:
        """Returns what the checks say of a row's submission today."""
        files = row.files()
        alone = [c for c in homeworks.checks(row.homework) if not c.parts]
        whole = row.judged == row.homework
        changed = row.changes or files
        asked = [c for c in alone if c.id == row.judged or (whole and self._reads(c, changed))]
        if not whole and not asked:
            raise KeyError(row.judged)
        with self._written(files, bool(row.changes)), contextlib.redirect_stdout(io.StringIO()):
            judgements = {c.id: judged(c, self._see(c), SEED) for c in asked}
            if whole and all(judgement.passed for judgement in judgements.values()):
                judgements |= self._together(row.homework, files)
        outcomes = {check: outcome_of(judgement) for check, judgement in judgements.items()}
        return {i: o for i, o in outcomes.items() if not whole or o["verdict"] != PASSED}

    def _together(self, of: str, files: Mapping[str, str]) -> dict[str, Judgement]:
        """Returns what is wrong where parts that are right alone run together, by part."""
        found: dict[str, Judgement] = {}
        for check in homeworks.checks(of):
            if check.parts and self._reads(check, files):
                blamed = judged(check, self._see(check), SEED).blamed
                found |= {part or check.id: judgement for part, judgement in blamed.items()}
        return found

    def _see(self, check: Check) -> Seen:
        """Runs a check's probe; once more with the handout's other files if a name is missing."""
        forget_randomness()
        tree = Tree(self.package)
        tree.codes = self.tree.codes  # most files are the same in every row
        seen = see(tree, check, SEED)
        return see(tree, check, SEED, alone=True) if lacks_name(seen) else seen

    def _reads(self, check: Check, files: Mapping[str, str]) -> bool:
        """Tells whether a check depends on one of some files: else it says what it always says."""
        if check.id not in self.dependencies:
            read = see(self.tree, check, SEED).files or frozenset()
            self.dependencies[check.id] = read.union(check.owners)
        return not self.dependencies[check.id].isdisjoint(files)

    @contextlib.contextmanager
    def _written(self, files: Mapping[str, str], whole: bool) -> Iterator[None]:
        """Lets files have other texts for a while; if `whole`, they are all that is there."""
        try:
            self._write(files, keep=not whole)
            yield
        finally:
            if whole:
                self._write(reference.texts(), keep=False)
            else:
                self._write({path: reference.texts()[path] for path in files})

    def _write(self, files: Mapping[str, str], keep: bool = True) -> None:
        """Writes files into the package; others stay there if `keep`."""
        if not keep:
            shutil.rmtree(self.package)
        for path, text in files.items():
            (self.package / path).parent.mkdir(parents=True, exist_ok=True)
            (self.package / path).write_text(text, encoding="utf-8")


def forget_randomness() -> None:
    """Puts back what a submission may have changed in this process, so that order is nothing."""
    random.seed(SEED)
    np.random.seed(SEED)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)


def outcome_of(judgement: Judgement) -> dict[str, Any]:
    """Returns what is kept of a judgement."""
    verdict = PASSED if judgement.passed else BLANK if judgement.blank else FAILED
    return {
        "verdict": verdict,
        "misconceptions": sorted(judgement.ids),
        "unknown": bool(judgement.unknown),
    }


@contextlib.contextmanager
def warm_judge() -> Iterator[Judge]:
    """Gives a judge, whose folder is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        yield Judge(Path(folder))


def judge_or_error(judge: Judge, row: Row) -> Outcomes:
    """Judges a row; what cannot be judged any more has an outcome of its own, "error"."""
    try:
        return judge.judge(row)
    except Exception as error:  # noqa: BLE001  (whatever it is, the row's verdict is lost)
        return {row.judged: {"verdict": ERROR, "why": f"{type(error).__name__}: {error}"[:300]}}
