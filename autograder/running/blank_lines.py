"""Which blank a line of a student's file belongs to.

Lines of the file are found in the handout's by comparing the two. A line that has no counterpart
there is in a blank's place, or in given code that was changed.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any, NamedTuple

from autograder.running.crashes import students_line
from autograder.source.importing import Tree

TODO = re.compile(r"^\s*(?:(?:return )|(\w[\w, ]*) = )?TODO\(\"([\w.]+)\"\)", re.MULTILINE)
Frames = Sequence[tuple[FrameType, int]]


class EmptyBlank(NamedTuple):
    """A blank as it was given out."""

    line: int
    id: str
    names: frozenset[str]  # the variables that it assigns


def owner_of(tree: Tree, frames: Frames) -> tuple[str, dict[str, Any]]:
    """Returns the blank that the innermost line of any blank belongs to, and that line.

    The blank is "" if that line is the student's own in a given function, or there is none.
    """
    known = []
    for frame, number in frames:
        line = students_line([(frame, number)], str(tree.package))
        if line:
            known.append((line, frame, number))
    if not known:
        return "", {}
    innermost = known[0][0]
    if any(has_other_parameters(tree, line["file"], line["function"]) for line, _, _ in known):
        return "", innermost
    for line, frame, number in known:
        blank = blank_at(tree, line["file"], frame, number)
        if blank is not None:
            return blank, line
    return "", innermost


def is_given(tree: Tree, path: str) -> bool:
    """Returns whether a file has no blank, and is as it was given out."""
    text = tree.handout(path)
    return text is not None and not TODO.search(text) and tree.student(path) == text


def has_other_parameters(tree: Tree, path: str, name: str) -> bool:
    """Returns whether the student changed a function's parameters: its callers may be right."""
    given = parameters(tree.handout(path), name)
    return bool(given) and given != parameters(tree.student(path), name)


def parameters(text: str | None, name: str) -> set[str]:
    """Returns the parameters of all functions of a name in a file, as source."""
    return {ast.unparse(function.args) for function in functions(text, name)}


def functions(text: str | None, name: str) -> list[ast.FunctionDef]:
    """Returns the functions and methods of a name in a file."""
    nodes = ast.walk(ast.parse(text or ""))
    return [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == name]


def blank_at(tree: Tree, path: str, frame: FrameType, number: int) -> str | None:
    """Returns the blank that a line of a student's file belongs to.

    It is "" for a changed line of given code, and for a given line above a method's first blank:
    such a line complains about the method's arguments. It is None in a function without blanks and
    in one that the student added: then the line that calls it counts.
    """
    # A function within a method, such as a lambda, belongs to the method.
    method = frame.f_code.co_qualname.partition(".<locals>")[0].rpartition(".")[2]
    blanks = empty_blanks(tree.handout(path), method)
    given, own = lines(tree.handout(path)), lines(tree.student(path))
    place = counterpart(given, own, number)
    if blanks is None or place is None:
        return None
    if not blanks and own[number - 1] in given[slice(*place)]:
        return None
    first, last = place
    here = [blank for blank in blanks if first < blank.line <= last]
    above = [blank for blank in blanks if blank.line <= first]
    return _choose(here or above[-1:], own[number - 1], frame.f_locals)


def lines(text: str | None) -> list[str]:
    """Returns the lines of a file without what ends them."""
    return [line.rstrip() for line in (text or "").splitlines()]


def counterpart(given: Sequence[str], own: Sequence[str], number: int) -> tuple[int, int] | None:
    """Returns the slice of given lines that a student's line is in the place of.

    It has one line if the student's is a given one. It is None if there is no line of this number.
    """
    matcher = difflib.SequenceMatcher(None, given, own, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if start < number <= end:
            if tag != "equal":
                return first, last
            offset = number - 1 - start
            return first + offset, first + offset + 1
    return None


def empty_blanks(text: str | None, name: str) -> list[EmptyBlank] | None:
    """Returns the blanks in the functions of a name, from the top; None without such a function."""
    spans = [range(node.lineno, (node.end_lineno or 0) + 1) for node in functions(text, name)]
    found = []
    for number, line in enumerate(lines(text), 1):
        match = TODO.match(line)
        if match and any(number in span for span in spans):
            found.append(EmptyBlank(number, match[2], _words(match[1] or "")))
    return found if spans else None


def _choose(blanks: Sequence[EmptyBlank], line: str, known: Mapping[str, Any]) -> str:
    """Returns which of some blanks a line belongs to, where no given line separates them.

    It is the blank whose variable the line assigns, else the first whose variables are not all
    `known` yet, else the last; "" if there are none.
    """
    target = re.match(r"[\w, ]+", line.strip())
    for blank in blanks:
        if target and blank.names & _words(target[0]):
            return blank.id
    for blank in blanks:
        if not blank.names <= set(known):
            return blank.id
    return blanks[-1].id if blanks else ""


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))
