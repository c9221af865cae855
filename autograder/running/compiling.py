"""Compiles files before a probe is forked, so that no probe's time is spent on it."""

from __future__ import annotations

import os
import signal

from autograder.running.children import Child
from autograder.source.importing import Tree

SECONDS = 2.0  # of processor for a file; a thousand lines take a twentieth of one
SECONDS_OF_ALL = 8.0


def compile_files(tree: Tree) -> None:
    """Compiles a submission's files; refuses those that a child did not survive trying.

    Some files cost the compiler the square of their length, and it hears nothing meanwhile.
    """
    waiting = tree.to_compile()
    end = _children_took() + SECONDS_OF_ALL
    while waiting:
        left = end - _children_took()
        number = _survived(tree, waiting, min(SECONDS, left)) if left > 0 else 0
        for file, text in waiting[:number]:
            _try(tree, file, text)
        tree.refused |= set(waiting[number : number + 1])
        waiting = waiting[number + 1 :]


def _children_took() -> float:
    """Returns the seconds of processor of all children that have ended."""
    return os.times().children_user


def _survived(tree: Tree, files: list[tuple[str, str]], seconds: float) -> int:
    """Returns how many files a child compiled, one after the other."""

    def compile_all(progress: int) -> None:
        for file, text in files:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            _try(tree, file, text)
            os.write(progress, b".")

    child = Child(compile_all)
    number = len(child.read())
    child.wait()
    return number


def _try(tree: Tree, file: str, text: str) -> None:
    """Compiles a file; its import reports what is wrong with it."""
    try:
        tree.compiled(text, file)
    except Exception:  # noqa: BLE001  (a student's text may break the compiler in many ways)
        pass
