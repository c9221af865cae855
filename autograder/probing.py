"""What a probe works with: the student's modules, and a record of what they did.

This runs where the student's code runs. Nothing here, and nothing in a probe, knows an answer.
"""

from __future__ import annotations

import importlib
import linecache
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from types import ModuleType, TracebackType
from typing import Any

import numpy as np

from autograder.submission import BrokenFileError, PackageFinder, forget_package

MOST_SKIPS = 4  # lines of a neighbour that may crash one after the other
MAX_TEXT = 500  # characters of a message that are kept


@dataclass(frozen=True)
class Crash:
    """An exception that a student's code raised."""

    kind: str
    """The exception's class name."""
    text: str
    file: str = ""
    """The student's file it came from, within the submission; empty if none of theirs."""
    line: int = 0
    source: str = ""
    """The student's own line."""
    function: str = ""
    blank: str | None = None
    """The id of the blank that was reached, if that is what happened."""


@dataclass
class Trial:
    """What one experiment of a probe saw: arrays by name, a crash, or some arrays and a crash."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    crash: Crash | None = None

    def as_plain(self) -> dict[str, Any]:
        """Returns the crash as plain values."""
        return {"crash": asdict(self.crash) if self.crash else None}


Observation = dict[str, Trial]
StandIn = Callable[[Mapping[str, Any]], Any]


class Student:
    """The student's code, as a probe reaches it."""

    def __init__(self, finder: PackageFinder) -> None:
        """Imports through `finder`."""
        self.finder = finder
        self.trials: Observation = {}
        self.errors: dict[str, BaseException] = {}
        """What each crashed trial raised, for a debugger at home."""
        self.stand_ins: Mapping[str, StandIn] = {}
        self._raise_blank: Callable[[str], Any] | None = None

    def try_alone(
        self,
        name: str,
        experiment: Callable[[dict[str, Any]], None],
        blank: str,
        neighbours: Mapping[str, StandIn],
        owner: Callable[[Trial], str],
    ) -> Trial:
        """Runs an experiment for the sake of one blank of a method that has several.

        Where a neighbour is empty, or the line that crashes is a neighbour's, its stand-in works
        in its place. It is given the local variables; what it returns is assigned to the names
        that the blank, or that line, defines.

        Args:
            name: Of the trial.
            experiment: As of `try_out`.
            blank: The blank that is to be judged.
            neighbours: The stand-ins of the others.
            owner: Tells to which blank the crash of a trial belongs.
        """
        self._replace(neighbours)
        for _ in range(MOST_SKIPS):
            trial = self.try_out(name, experiment)
            crash = trial.crash
            if crash is None or crash.blank or not crash.file or owner(trial) == blank:
                break
            self.finder.skipped.setdefault(crash.file, {})[crash.line] = owner(trial)
            forget_package(keep="infrastructure.blanks")
        self._replace({})
        return trial

    def _replace(self, stand_ins: Mapping[str, StandIn]) -> None:
        """Lets stand-ins work for empty blanks from now on, and skips no line."""
        self.stand_ins = stand_ins
        if self.finder.skipped:
            self.finder.skipped.clear()
            forget_package(keep="infrastructure.blanks")
        blanks = self.module("infrastructure.blanks")
        if self._raise_blank is None:
            self._raise_blank = blanks.TODO
            blanks.TODO = self._todo  # type: ignore[attr-defined]
            forget_package(keep="infrastructure.blanks")

    def _todo(self, blank: str) -> Any:
        """Stands for `TODO` in the student's files."""
        do = self.stand_ins.get(blank)
        if do is None:
            assert self._raise_blank is not None
            return self._raise_blank(blank)
        return do(sys._getframe(1).f_locals)

    def module(self, *names: str) -> ModuleType:
        """Imports the first of some modules that exists, such as "critics.dqn_critic"."""
        for name in names[:-1]:
            if self.finder.find_spec(f"cs285.{name}"):
                return importlib.import_module(f"cs285.{name}")
        return importlib.import_module(f"cs285.{names[-1]}")

    def try_out(self, name: str, experiment: Callable[[dict[str, Any]], None]) -> Trial:
        """Runs an experiment, which puts what it sees into the dict it is given.

        Whatever the student's code raises becomes part of the record.
        """
        seen: dict[str, Any] = {}
        trial = Trial()
        try:
            experiment(seen)
        except BaseException as error:  # noqa: BLE001  (a student may raise SystemExit too)
            trial.crash = describe(error, str(self.finder.tree.package))
            self.errors[name] = error
        trial.arrays = {key: plain_array(value) for key, value in seen.items()}
        self.trials[name] = trial
        return trial


def plain_array(value: Any) -> np.ndarray:
    """Returns numbers as an array that owns its memory, whatever kind of tensor they came in.

    What is not numbers becomes an empty array of booleans, which equals no answer.
    """
    nothing = np.empty(0, np.bool_)
    try:
        if hasattr(value, "detach"):
            value = value.detach().cpu().numpy()
        array = np.array(value)
    except Exception:  # noqa: BLE001  (a student's object may raise anything)
        return nothing
    if array.dtype.kind not in "biuf":
        return nothing
    return array if array.dtype != np.float16 else array.astype(np.float32)


def describe(error: BaseException, package: str) -> Crash:
    """Describes an exception, with the innermost line that the student wrote."""
    if isinstance(error, BrokenFileError) and error.__cause__ is not None:
        return _describe_broken(error, package)
    kind, text = type(error).__name__, _text_of(error)
    blank = getattr(error, "blank", None) if kind == "BlankError" else None
    for frame, number in _frames(error.__traceback__):
        name = frame.f_code.co_filename
        if name.startswith(package) and not name.endswith("(as given out)"):
            function = frame.f_code.co_name
            if function == "TODO" or function == "check_shape":
                continue
            source = linecache.getline(name, number).strip()
            short = name[len(package) :].lstrip("/\\").replace("\\", "/")
            return Crash(kind, text, short, number, source[:MAX_TEXT], function, blank)
    return Crash(kind, text, blank=blank)


def _describe_broken(error: BrokenFileError, package: str) -> Crash:
    """Describes why a file could not be imported."""
    cause = error.__cause__
    assert cause is not None
    if isinstance(cause, SyntaxError):
        source = (cause.text or "").strip()[:MAX_TEXT]
        return Crash("SyntaxError", _text_of(cause), error.path, cause.lineno or 0, source)
    inner = describe(cause, package)
    return Crash(inner.kind, inner.text, error.path, inner.line, inner.source, "<module>")


def _text_of(error: BaseException) -> str:
    """Returns an exception's message, which may be a student's own code too."""
    try:
        return str(error.args[0] if isinstance(error, SyntaxError) else error)[:MAX_TEXT]
    except BaseException:  # noqa: BLE001
        return ""


def _frames(tb: TracebackType | None) -> list[tuple[Any, int]]:
    """Returns frames and line numbers, the innermost first."""
    return list(traceback.walk_tb(tb))[::-1]
