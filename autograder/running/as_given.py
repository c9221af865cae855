"""A student's files with the given code around the blanks as it was given out."""

from __future__ import annotations

import ast
import difflib
import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from autograder.running.blank_lines import TODO, lines
from autograder.source.importing import Tree

COMMENT = re.compile(r"\s*#")
BLANKS = "infrastructure.blanks"  # the module that has `TODO`


def restored(tree: Tree, paths: Iterable[str]) -> dict[str, str]:
    """Returns, of the files whose given code was altered, what they would be without that.

    What stands in a blank's place stays the student's, and so does whatever was added.
    """
    found = {}
    for path in sorted(paths):
        given, own = tree.handout(path), tree.student(path)
        if given is None or own is None or given == own:
            continue
        text = rebuilt(given, own)
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
    return any(
        block.blank and block.given != block.own and any(map(is_code, block.given))
        for block in compared(given, own)
    )


def is_code(line: str) -> bool:
    """Returns whether a given line is neither empty, nor a comment, nor a blank."""
    return bool(line.strip()) and not COMMENT.match(line) and not TODO.match(line)


def rebuilt(given: str, own: str) -> str:
    """Returns the given file with the student's lines in the places of blanks, and added ones."""
    text = list[str]()
    for block in compared(given, own):
        text += block.own if block.blank or not block.given else block.given
    return "\n".join(text) + "\n"


class Block(NamedTuple):
    """Lines of a file as it was given out, and what a student has in their place."""

    given: list[str]
    own: list[str]

    @property
    def blank(self) -> bool:
        """Whether a blank is among them."""
        return any(TODO.match(line) for line in self.given)


@functools.cache
def compared(given: str, own: str) -> list[Block]:
    """Returns two files side by side, block for block: equal lines, or different ones."""
    before, after = lines(given), lines(own)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [
        Block(before[first:last], after[start:end])
        for _, first, last, start, end in matcher.get_opcodes()
    ]


def same_code(one: str, other: str) -> bool:
    """Returns whether two files have the same code, whatever their comments are.

    A file that is not Python is taken for the same: nothing is known about it. Who has filled all
    blanks may delete the import of `TODO`.
    """
    try:
        return _code(one) == _code(other)
    except (SyntaxError, ValueError, RecursionError):
        return True


def _code(text: str) -> str:
    """Returns what a file does, as text."""
    tree = ast.parse(text)
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.ImportFrom) and (node.module or "").endswith(BLANKS))
    ]
    return ast.dump(tree)
