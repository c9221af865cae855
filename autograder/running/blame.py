"""Whose fault it is if a student's own parts, each right alone, crash together.

This runs where the student's code runs, and knows no answer. What it goes by is evidence: the crash
is gone once a value has the form that its docstring promises, or it was raised on a blank's line.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import importlib
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from autograder.base.record import Crash, Trial
from autograder.running.crashes import students_line
from autograder.running.probing import Student, guarded
from autograder.source.submission import Tree, forget_package

MOST_SECONDS = 4.0  # of the processor, for a trial; it takes tenths
BECAUSE = " because of "
TODO = re.compile(r"^\s*(?:(?:return )|(\w[\w, ]*) = )?TODO\(\"([\w.]+)\"\)", re.MULTILINE)
Frames = Sequence[tuple[FrameType, int]]
Experiment = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Contract:
    """The form, but not the worth, of what a function returns, or of what it is called with."""

    blank: str  # whose fault another form is; empty if it is the caller's
    place: str  # of the function: "module:name", or "module:class.name"
    # From what was returned, and all arguments, to the same in the right form; or a list of them
    # from all arguments.
    keep: Callable[..., Any]
    of_arguments: bool = False


def run_together(
    student: Student, trials: Mapping[str, Experiment], contracts: Sequence[Contract]
) -> None:
    """Runs trials; of one that crashes, notes what was raised and because of which blank.

    Where a part is empty, or its file broken, nothing can be said, and nothing is noted.
    """
    for name, experiment in trials.items():
        with guarded(MOST_SECONDS):
            crash = student.try_out(name, experiment).crash
        if crash is None:
            continue
        del student.trials[name]
        error = student.errors.pop(name)
        if crash.blank or crash.on_import or not crash.file:
            continue
        frames = list(traceback.walk_tb(error.__traceback__))[::-1]
        blank, line = owner_of(student.finder.tree, frames)
        if re.search(r"\bnan\b", crash.text):  # which may come from anywhere
            blank = ""
        if crash.never_ends and not blank:  # perhaps the machine has no time for us
            break
        text = ""
        if not crash.never_ends:
            found = broken_contract(student, experiment, contracts, crash)
            blank, text = found or (blank, text)
            blank = "" if given_is_at_fault(student, experiment) else blank
        crash = Crash(**{**vars(crash), **line, "text": crash.text + text})
        student.trials[f"{name}{BECAUSE}{blank}"] = Trial({}, crash)
        student.errors[f"{name}{BECAUSE}{blank}"] = error
        if crash.never_ends:
            break


def broken_contract(
    student: Student, experiment: Experiment, contracts: Sequence[Contract], before: Crash
) -> tuple[str, str] | None:
    """Finds a contract that was broken, and with which kept there is no such crash.

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
    """Tells whether there is no crash once all files without a blank are as they were given out."""
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
    """Runs an experiment of which nothing is kept; returns what it raised."""
    with guarded(MOST_SECONDS):
        crash = student.try_out("again", experiment).crash
    del student.trials["again"]
    student.errors.pop("again", None)
    return crash


@contextlib.contextmanager
def kept(tree: Tree, contract: Contract) -> Iterator[list[tuple[str, str]]]:
    """Keeps a contract for a while; yields what will tell of each time that it was broken."""
    broken: list[tuple[str, str]] = []
    module, _, path = contract.place.partition(":")
    *above, name = path.split(".")
    try:
        owner: Any = importlib.import_module(module)
        for part in above:
            owner = getattr(owner, part)
        original = getattr(owner, name)
    except Exception:  # noqa: BLE001  (whatever is wrong with that file is told elsewhere)
        yield broken
        return

    def note(came: Any, right: Any, frame: FrameType) -> None:
        if form(came) != form(right):
            blank = contract.blank or owner_of(tree, list(traceback.walk_stack(frame)))[0]
            verb = "was called with" if contract.of_arguments else "returned"
            text = f" ({path} {verb} {form(came)}, where {form(right)} is asked for)"
            broken.append((blank, text))

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
    """Says what kind of thing a value is, and of which shape."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        kind = type(value).__name__ if hasattr(value, "detach") else "array"
        return f"{kind} of shape {tuple(value.shape)}, {value.dtype}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {form(part)}' for key, part in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__} of {', '.join(map(form, value[:3]))}"
    return type(value).__name__


def owner_of(tree: Tree, frames: Frames) -> tuple[str, dict[str, Any]]:
    """Returns the blank to which the innermost line belongs that is anybody's; and that line.

    The blank is "" if the line is the student's own in a given function, or none is anybody's.
    """
    lines = [students_line([place], str(tree.package)) for place in frames]
    known = [(line, *place) for line, place in zip(lines, frames, strict=True) if line]
    if any(has_other_parameters(tree, line["file"], line["function"]) for line, _, _ in known):
        return "", known[0][0]
    for line, frame, number in known:
        blank = blank_at(tree, line["file"], frame, number)
        if blank is not None:
            return blank, line
    return "", known[0][0] if known else {}


def has_other_parameters(tree: Tree, path: str, name: str) -> bool:
    """Tells whether the student gave a function other parameters: whoever calls it is no judge."""
    found = [
        {ast.unparse(node.args) for node in functions(text or "") if node.name == name}
        for text in (tree.handout(path), tree.student(path))
    ]
    return bool(found[0]) and found[0] != found[1]


def functions(text: str) -> list[ast.FunctionDef]:
    """Returns the functions and methods of a file."""
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]


def blank_at(tree: Tree, path: str, frame: FrameType, number: int) -> str | None:
    """Returns the blank that a line of a student's file belongs to.

    Lines of the student's are found in what was given out by comparing the two files; what has no
    counterpart there is in a blank's place, or given code that was changed: then "" is returned,
    as for given lines above a method's first blank, which complain about what they are called with.
    None: of a function that was given, or that the student added, for the sake of who calls it.
    """
    given, own = tree.handout(path) or "", tree.student(path) or ""
    name = frame.f_code.co_name
    spans = [(n.lineno, n.end_lineno or 0) for n in functions(given) if n.name == name]
    old, new = ([line.rstrip() for line in text.splitlines()] for text in (given, own))
    todos = [
        (at, found[2], re.findall(r"\w+", found[1] or ""))
        for at, line in enumerate(old, 1)
        if (found := TODO.match(line)) and any(first <= at <= last for first, last in spans)
    ]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if spans and start < number <= end:
            if tag == "equal":
                first, last = first + number - 1 - start, first + number - start
            here = [todo for todo in todos if first < todo[0] <= last]
            if here:
                return _choose(here, new[number - 1], frame.f_locals)
            above = [blank for at, blank, _ in todos if at <= first]
            return above[-1] if above else None if tag == "equal" and not todos else ""
    return None


def _choose(todos: list[tuple[int, str, list[str]]], source: str, known: Any) -> str:
    """Returns the one of several blanks, with nothing given left between them, for a line."""
    for _, blank, names in todos:
        assigned = re.match(r"[\w, ]+", source.strip())
        if assigned and set(names) & set(re.findall(r"\w+", assigned[0])):
            return blank
    for _, blank, names in todos:
        if not all(name in known for name in names):
            return blank
    return todos[-1][1]
