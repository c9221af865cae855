"""A student's files with the given code around the blanks as it was given out."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable

from autograder.running.blank_lines import TODO, lines
from autograder.source.submission import Tree

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
    before = lines(given)
    matcher = difflib.SequenceMatcher(None, before, lines(own), autojunk=False)
    blocks = (
        before[first:last] for tag, first, last, _, _ in matcher.get_opcodes() if tag != "equal"
    )
    return any(
        any(TODO.match(line) for line in block)
        and any(line.strip() and not COMMENT.match(line) and not TODO.match(line) for line in block)
        for block in blocks
    )


def rebuilt(given: str, own: str) -> str:
    """Returns the given file with the student's lines in the places of blanks, and added ones."""
    before, after, text = lines(given), lines(own), list[str]()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        theirs = tag == "insert" or any(TODO.match(line) for line in before[first:last])
        text += after[start:end] if theirs else before[first:last]
    return "\n".join(text) + "\n"


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
