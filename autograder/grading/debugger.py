"""The checks under pytest: `pytest autograder/homeworks/hw3 -k double_q --pdb`, for every homework.

They run in this very process, so that a debugger stops on the student's own line. A traceback
begins there, too: frames of the grader are hidden or cut off.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import pytest

from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.base.results import BLANK, PASSED
from autograder.grading.explained import explain
from autograder.grading.judging import judged, worded
from autograder.running.see import see, student_of
from autograder.source.altered import every_definition, first_line
from autograder.source.importing import Tree
from autograder.source.submission import find_package

TestOfBlank = Callable[[Check, pytest.FixtureRequest], None]


def blank_test(name: str) -> TestOfBlank:
    """Returns the test of a homework's blanks, which pytest runs for each check.

    Args:
        name: The homework, such as "hw3".
    """

    @pytest.mark.parametrize("check", homeworks.checks(name), ids=lambda check: check.id)
    def test_blank(check: Check, request: pytest.FixtureRequest) -> None:
        __tracebackhide__ = True
        judge(check, name, request.config)

    return test_blank


def judge(check: Check, name: str, config: pytest.Config) -> None:
    """Returns if the check passes; raises what the student's code raised, else says what is wrong.

    Raises:
        BaseException: What the student's code raised; its traceback begins in the student's files.
    """
    __tracebackhide__ = True
    folder, seed = config.getoption("--submission"), config.getoption("--seed")
    tree = Tree(find_package(Path(folder)) if folder else None)
    student = student_of(tree, check, seed)
    verdict = worded(check, judged(check, student.seen, seed))
    if verdict.verdict == PASSED:
        return
    text = explain(verdict)
    crashes = {case: student.seen.crashes.get(case) for case in student.errors}
    if any(crash and crash.on_import for crash in crashes.values()):  # nothing to debug yet
        pytest.fail(text, pytrace=False)
    for name, crash in crashes.items():
        if crash and crash.file and not crash.blank:
            print(text)
            error = student.errors[name]
            raise error.with_traceback(students_part(error.__traceback__, tree.package))
    if config.getoption("usepdb") and verdict.verdict != BLANK:
        stop_in_blank(tree, check, seed, text)
    pytest.fail(text, pytrace=False)


def students_part(trace: TracebackType | None, package: Path) -> TracebackType | None:
    """Returns a traceback from the first of the student's lines on; all of it if there is none."""
    part = trace
    while part and not part.tb_frame.f_code.co_filename.startswith(str(package)):
        part = part.tb_next
    return part or trace


class WrongValueError(BaseException):
    """A blank that raised nothing left something wrong; raised where its method returns."""


def stop_in_blank(tree: Tree, check: Check, seed: int, text: str) -> None:
    """Runs a probe again, and raises where the method with the check's blank first returns.

    A debugger stops there as it does where a student's code raises: all variables have their
    values. Returns if there is no such method, or if it never returns.

    Raises:
        WrongValueError: With `text`.
    """
    __tracebackhide__ = True
    method = method_of(tree, check)
    stopped: list[tuple[WrongValueError, TracebackType]] = []

    def at_return(frame: FrameType, event: str, _: Any) -> Any:
        if event != "return" or stopped:
            return at_return
        error = WrongValueError(text)
        stopped.append((error, TracebackType(None, frame, frame.f_lasti, frame.f_lineno)))
        raise error

    def at_call(frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        found = not stopped and (code.co_filename, code.co_name, code.co_firstlineno) == method
        return at_return if found else None

    before = sys.gettrace()
    sys.settrace(at_call)
    try:
        see(tree, check, seed)
    finally:
        sys.settrace(before)
    for error, place in stopped:
        raise error.with_traceback(place)


def method_of(tree: Tree, check: Check) -> tuple[str, str, int] | None:
    """Returns the student's file, and the name and first line there of the method with a blank."""
    todo = f'TODO("{check.id}")'
    for path in check.owners:
        given, own = tree.handout(path) or "", tree.student(path) or ""
        there = dict(every_definition(ast.parse(own)))
        for name, node in every_definition(ast.parse(given)):
            lines = ast.get_source_segment(given, node) or ""
            if isinstance(node, ast.FunctionDef) and todo in lines and name in there:
                return str(tree.package / path), there[name].name, first_line(there[name])
    return None
