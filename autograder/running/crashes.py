"""Describes what a student's code raised, and on which of its lines."""

from __future__ import annotations

import linecache
import re
import sys
import traceback
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

from autograder.base.seen import MAX_NAMES, MAX_TEXT, MODULE, Crash
from autograder.source.submission import AS_GIVEN, BrokenFileError

IN_MESSAGES = r"\b(?:\w+\.)*<locals>\.|\b([A-Z]\w*)\.(?=\w+\()|'([A-Z]\w*)' (?=object)"
OURS = ("autograder.", "unittest.mock")


def describe(
    error: BaseException, package: str, is_given: Callable[[str], bool] = lambda _: False
) -> Crash:
    """Describes an exception, with the innermost line that the student wrote in their `package`.

    `is_given`: whether a file, by its path there, is as it was given out, without blanks. Its lines
    are quoted only if no other file's line led there.
    """
    if isinstance(error, BrokenFileError) and error.__cause__ is not None:
        return _describe_broken(error, error.__cause__, package)
    kind, text = type(error).__name__, _text_of(error)
    frames = list(traceback.walk_tb(error.__traceback__))[::-1]  # the innermost first
    blank = getattr(error, "blank", None) if kind == "BlankError" else None
    lines = [line for frame in frames if (line := students_line([frame], package))]
    own = [line for line in lines if not is_given(line["file"])]
    return Crash(kind, text, blank=blank, **next(iter(own or lines), {}))


def students_line(frames: Iterable[tuple[FrameType, int]], package: str) -> dict[str, Any]:
    """Returns the fields of a `Crash` that locate it; none if nowhere in `package`.

    Frames come with line numbers, the innermost first: the first that a student wrote is meant.
    """
    for frame, number in frames:
        name, function = frame.f_code.co_filename, frame.f_code.co_name
        own = name.startswith(package) and not name.endswith(AS_GIVEN)
        if own and function not in ("TODO", "check_shape"):
            source = linecache.getline(name, number).strip()
            short = name[len(package) :].lstrip("/\\").replace("\\", "/")
            names = tuple(name for name in frame.f_locals if name.isidentifier())[:MAX_NAMES]
            place = {"file": short, "line": number, "function": function, "names": names}
            return place | {"source": source[:MAX_TEXT]}
    return {}


def _describe_broken(error: BrokenFileError, cause: BaseException, package: str) -> Crash:
    """Describes why a file could not be imported."""
    if isinstance(cause, SyntaxError):
        source = (cause.text or "").strip()[:MAX_TEXT]
        return Crash("SyntaxError", _text_of(cause), error.path, cause.lineno or 0, source, MODULE)
    inner = describe(cause, package)
    place = inner.file or error.path  # of several that import each other, the one that fails
    return Crash(inner.kind, inner.text, place, inner.line, inner.source, MODULE)


def _text_of(error: BaseException) -> str:
    """Returns an exception's message, which may be a student's own code too."""
    try:
        text = str(error.args[0] if isinstance(error, SyntaxError) else error)
        if isinstance(error, ImportError):  # where the tree lies differs from machine to machine
            text = text.removesuffix(f" ({error.path})")
        return re.sub(IN_MESSAGES, _without_ours, text[:MAX_TEXT])
    except BaseException:  # noqa: BLE001
        return ""


def _without_ours(match: re.Match[str]) -> str:
    """Removes the name of a stand-in's class from a message: a student does not know it."""
    name = match[1] or match[2]
    return match[0] if name and not _is_ours(name) else ""


def _is_ours(name: str) -> bool:
    """Returns whether one of the grader's modules has a class of this name, and not a student's."""
    ours = [module for place, module in list(sys.modules.items()) if place.startswith(OURS[0])]
    places = (str(getattr(getattr(one, name, None), "__module__", "")) for one in ours)
    return any(place.startswith(OURS) for place in places)
