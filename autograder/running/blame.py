"""Whose fault it is if a student's own parts, each right alone, crash together.

This runs where the student's code runs, and knows no answer. It goes by evidence: the crash is gone
once a value has the form that its docstring promises, or it was raised on a blank's line.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from autograder.base.record import Crash
from autograder.running.blank_lines import TODO, Frames, blank_at, owner_of
from autograder.running.crashes import students_line
from autograder.running.guard import guarded
from autograder.running.probing import Student
from autograder.source.submission import Tree, forget_package

MOST_SECONDS = 4.0  # of the processor, for a trial; it takes tenths
BECAUSE = " because of "
"""Stands between the name of a trial that crashed and the blank whose fault it is."""
MEET = 2  # of a call: who makes it, and who is called
MEETING = " and "
"""Stands between blanks in a trial's name: nothing shows which of them is to blame."""
Experiment = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Contract:
    """The form, but not the value, of what a function returns, or of its arguments."""

    blank: str  # whose fault another form is; empty if it is the caller's
    place: str  # of the function: "module:name", or "module:class.name"
    # From what was returned, and all arguments, to the same in the right form; or a list of them
    # from all arguments.
    keep: Callable[..., Any]
    of_arguments: bool = False
    reason: str = ""  # what is wrong, after the function's name, where forms would be long


def culprit(
    student: Student,
    experiment: Experiment,
    contracts: Sequence[Contract],
    crash: Crash,
    error: BaseException,
) -> tuple[str, dict[str, Any], str]:
    """Returns the blank whose fault a crash is, its line, and what is wrong if known.

    Where nothing shows which of several it is, these are all that meet there, joined by `MEETING`.
    The blank is "" if a given file is at fault, which the student has changed, or nobody's line.
    """
    frames = list(traceback.walk_tb(error.__traceback__))[::-1]
    blank, line = owner_of(student.finder.tree, frames)
    # A number that is none may come from anywhere, if it is a library that complains of it.
    from_anywhere = re.search(r"\bnan\b", crash.text) and not is_own(
        student.finder.tree, frames[:1]
    )
    if from_anywhere:
        blank = ""
    if crash.never_ends:
        return blank, line, ""
    broken = broken_contract(student, experiment, contracts, crash)
    if broken:
        blank, why = broken
    else:
        why = ""
    if given_is_at_fault(student, experiment):
        return "", line, why
    if not blank and not from_anywhere:
        together = meeting(student.finder.tree, frames)
        if len(together) > 1:  # one alone only called what was changed
            blank = MEETING.join(together)
            why += f" ({' and '.join(together)} meet here, and nothing shows which of them it is)"
    return blank, line, why


def is_own(tree: Tree, frames: Frames) -> bool:
    """Returns whether a frame is one of the student's files."""
    return any(frame.f_code.co_filename.startswith(str(tree.package)) for frame, _ in frames)


def meeting(tree: Tree, frames: Frames) -> list[str]:
    """Returns the blanks whose lines meet where something was raised: the innermost two."""
    found = []
    for frame, number in frames:
        line = students_line([(frame, number)], str(tree.package))
        if line and (blank := blank_at(tree, line["file"], frame, number)):
            found.append(blank)
    return list(dict.fromkeys(found))[:MEET]


def broken_contract(
    student: Student, experiment: Experiment, contracts: Sequence[Contract], before: Crash
) -> tuple[str, str] | None:
    """Finds a contract that was broken, and without which there is no such crash.

    Returns:
        The blank whose fault it is, and what is wrong.
    """
    for contract in contracts:
        with kept(student.finder.tree, contract) as broken:
            crash = try_again(student, experiment)
        elsewhere = contract.of_arguments and crash and crash.text != before.text
        if broken and (crash is None or elsewhere):
            return broken[0]
    return None


def given_is_at_fault(student: Student, experiment: Experiment) -> bool:
    """Returns whether there is no crash with the handout's files where these have no blank."""
    finder = student.finder
    before = finder.owners, finder.alone
    blanks = [path for path in finder.touched if TODO.search(finder.tree.handout(path) or "")]
    finder.owners, finder.alone = tuple(blanks), True
    forget_package()
    crash = try_again(student, experiment)
    finder.owners, finder.alone = before
    forget_package()
    return crash is None


def try_again(student: Student, experiment: Experiment) -> Crash | None:
    """Runs an experiment and keeps nothing of it; returns what it raised."""
    importlib.import_module("torch").set_grad_enabled(True)  # the first try may have left it off
    with guarded(MOST_SECONDS):
        crash = student.try_out("again", experiment).crash
    del student.trials["again"]
    student.errors.pop("again", None)
    return crash


@contextlib.contextmanager
def kept(tree: Tree, contract: Contract) -> Iterator[list[tuple[str, str]]]:
    """Keeps a contract for a while; yields a list that fills with each time that it was broken."""
    broken: list[tuple[str, str]] = []
    module, _, path = contract.place.partition(":")
    *above, name = path.split(".")
    try:
        owner: Any = importlib.import_module(module)
        for part in above:
            owner = getattr(owner, part)
        original = getattr(owner, name)
    except Exception:  # noqa: BLE001  (another check reports what is wrong with the file)
        yield broken
        return

    def note(came: Any, right: Any, frame: FrameType) -> None:
        if form(came) != form(right):
            blank = contract.blank or owner_of(tree, list(traceback.walk_stack(frame)))[0]
            verb = "was called with" if contract.of_arguments else "returned"
            forms = f"{verb} {form(came)}, where {form(right)} is asked for"
            broken.append((blank, f" ({path} {contract.reason or forms})"))

    def keeping(*args: Any, **kwargs: Any) -> Any:
        if contract.of_arguments:
            came, args = args, tuple(contract.keep(*args, **kwargs))
            note(came[1], args[1], sys._getframe(1))
            return original(*args)
        value = original(*args, **kwargs)
        right = contract.keep(value, *args, **kwargs)
        note(value, right, sys._getframe(1))
        return right

    own = name in vars(owner)
    setattr(owner, name, keeping)
    try:
        yield broken
    finally:
        setattr(owner, name, original) if own else delattr(owner, name)


def form(value: Any) -> str:
    """Describes the type of a value, and its shape."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        kind = type(value).__name__ if hasattr(value, "detach") else "array"
        return f"{kind} of shape {tuple(value.shape)}, {value.dtype}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {form(part)}' for key, part in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__} of {', '.join(map(form, value[:3]))}"
    return type(value).__name__
