"""Whether a line that does not parse is one of a newer Python than the grader's."""

from __future__ import annotations

import re
import sys

from autograder.base.seen import Crash

# (version, in a student's line, in what Python says of it)
NEWER = (
    ((3, 12), r"^type\s+\w+\s*(\[.*\]\s*)?=", ""),
    ((3, 12), r"^(async\s+)?(def|class)\s+\w+\s*\[", ""),
    ((3, 12), r"\b[fF][rR]?[\"']|\b[rR][fF][\"']", r"f-string|unterminated string|invalid syntax"),
    ((3, 14), r"\bt[\"']", ""),
    ((3, 14), r"^except\s+\w+\s*,", ""),
)


def newer_syntax(crash: Crash, runs: tuple[int, int] = sys.version_info[:2]) -> str:
    """Returns a sentence where a newer Python than the grader's may understand a line; else ""."""
    if crash.kind != "SyntaxError":
        return ""
    for version, line, text in NEWER:
        if version > runs and re.search(line, crash.source) and re.search(text, crash.text):
            mine, theirs = (f"{major}.{minor}" for major, minor in (runs, version))
            return (
                f"Python {theirs} may understand this line, and the grader runs Python {mine}: "
                f"write it so that {mine} does."
            )
    return ""
