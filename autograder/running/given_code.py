"""Compares a student's file with the handout's: in whose place a line is, and what is as given.

A line that has no counterpart in the handout is in a blank's place, or in given code that was
changed.
"""

from __future__ import annotations

import ast
import difflib
import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from types import FrameType
from typing import Any, NamedTuple

from autograder.running.crashes import students_line
from autograder.source.submission import Tree

TODO = re.compile(r"^\s*(?:(?:return )|(\w[\w, ]*) = )?TODO\(\"([\w.]+)\"\)", re.MULTILINE)
NO_CODE = re.compile(rf"\s*(#|$)|{TODO.pattern}")
BLANKS = "infrastructure.blanks"  # the module that has `TODO`
Frames = Sequence[tuple[FrameType, int]]


class EmptyBlank(NamedTuple):
    """A blank as it was given out, and the variables that it assigns."""

    line: int
    id: str
    names: set[str]


class Block(NamedTuple):
    """Lines of a file as it was given out, and what a student has in their place."""

    first: int  # how many lines are above it
    given: list[str]
    start: int  # the same of the student's file
    own: list[str]

    @property
    def blank(self) -> bool:
        """Whether a blank is among them."""
        return any(map(TODO.match, self.given))


@functools.cache
def compared(given: str, own: str) -> list[Block]:
    """Returns two files side by side, block for block: equal lines, or different ones."""
    before, after = lines(given), lines(own)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [
        Block(first, before[first:last], start, after[start:end])
        for _, first, last, start, end in matcher.get_opcodes()
    ]


def lines(text: str | None) -> list[str]:
    """Returns the lines of a file without what ends them."""
    return [line.rstrip() for line in (text or "").splitlines()]


def owner_of(tree: Tree, frames: Frames) -> tuple[str, dict[str, Any]]:
    """Returns the blank that the innermost line of any blank belongs to, and that line.

    The blank is "" if that line is the student's own in a given function, or there is none. It is
    "" as well where the student changed a function's parameters: its callers may be right.
    """
    located = [(students_line([each], str(tree.package)), *each) for each in frames]
    known = [each for each in located if each[0]]
    if not known:
        return "", {}
    changed = any(has_other_parameters(tree, line["file"], line["function"]) for line, *_ in known)
    for line, frame, number in known if not changed else ():
        blank = blank_at(tree, line["file"], frame, number)
        if blank is not None:
            return blank, line
    return "", known[0][0]


def is_given(tree: Tree, path: str) -> bool:
    """Returns whether a file has no blank, and is as it was given out."""
    text = tree.handout(path)
    return text is not None and not TODO.search(text) and tree.student(path) == text


def has_other_parameters(tree: Tree, path: str, name: str) -> bool:
    """Returns whether the student's functions of a name have other parameters than given ones."""
    given, own = (
        {ast.unparse(function.args) for function in functions(text, name)}
        for text in (tree.handout(path), tree.student(path))
    )
    return bool(given) and given != own


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
    given, own = tree.handout(path) or "", tree.student(path) or ""
    blanks = empty_blanks(given, method)
    blocks = compared(given, own)
    block = next((b for b in blocks if b.start < number <= b.start + len(b.own)), None)
    if blanks is None or block is None:
        return None
    line = block.own[number - 1 - block.start]
    if not blanks and line in block.given:
        return None
    first, last = block.first, block.first + len(block.given)
    if block.given == block.own:
        first += number - 1 - block.start
        last = first + 1
    here = [blank for blank in blanks if first < blank.line <= last]
    above = [blank for blank in blanks if blank.line <= first]
    return _choose(here or above[-1:], line, frame.f_locals)


def empty_blanks(text: str, name: str) -> list[EmptyBlank] | None:
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
    assigned = [blank for blank in blanks if target and blank.names & _words(target[0])]
    unknown = [blank for blank in blanks if not blank.names <= known.keys()]
    return next((blank.id for blank in (*assigned, *unknown, *blanks[-1:])), "")


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def restored(tree: Tree, paths: Iterable[str]) -> dict[str, str]:
    """Returns, of the files whose given code was altered, what they would be without that.

    What stands in a blank's place stays the student's, and so does whatever was added.
    """
    found = {}
    for path in sorted(paths):
        given, own = tree.handout(path), tree.student(path)
        if given and own and given != own:
            blocks = compared(given, own)
            rebuilt = [b.own if b.blank or not b.given else b.given for b in blocks]
            text = "\n".join(line for block in rebuilt for line in block) + "\n"
            if not same_code(text, own):
                found[path] = text
    return found


def rewritten(tree: Tree, paths: Iterable[str]) -> bool:
    """Returns whether given code went together with a blank, so that nothing can restore it.

    That is so in files of an older handout, whose methods had other lines around the blanks.
    """
    texts = ((tree.handout(path), tree.student(path)) for path in paths)
    return any(given and own and loses_code(given, own) for given, own in texts)


def loses_code(given: str, own: str) -> bool:
    """Returns whether lines of given code are missing where a blank was filled."""
    changed = [block for block in compared(given, own) if block.blank and block.given != block.own]
    return any(not NO_CODE.match(line) for block in changed for line in block.given)


def same_code(one: str, other: str) -> bool:
    """Returns whether two files have the same code, whatever their comments are.

    A file that is not Python is taken for the same: nothing is known about it. Who has filled all
    blanks may delete the import of `TODO`.
    """
    try:
        return _code(one) == _code(other)
    except (SyntaxError, ValueError, RecursionError):
        return True


def _code(text: str) -> list[str]:
    """Returns what a file does, as text, statement for statement."""
    return [
        ast.dump(node)
        for node in ast.parse(text).body
        if not (isinstance(node, ast.ImportFrom) and (node.module or "").endswith(BLANKS))
    ]
