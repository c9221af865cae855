"""What a student sees: a table of blanks, and below it each failure explained.

Plain ASCII in 80 columns, without colour: it reads the same everywhere.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from autograder.results import BLANK, FAILED, GRADER_ERROR, PASSED, SKIPPED, Report, Verdict

WIDTH = 80
WORDS = {
    PASSED: "passed",
    BLANK: "not filled yet",
    SKIPPED: "not run",
    GRADER_ERROR: "grader error",
}
NO_NAME = "A mistake that has no name here. What is first wrong:"


def shown(verdict: Verdict) -> bool:
    """Tells whether a verdict has a line: parts that were given out only if they are broken."""
    return verdict.max_points > 0 or verdict.verdict != PASSED or ".given." not in verdict.id


def row(verdict: Verdict) -> str:
    """Returns the table's line of a verdict."""
    points = f"{verdict.points:2d} /{verdict.max_points:3d}" if verdict.max_points else ""
    name = verdict.id.partition(".")[2]
    left = f"{name:<29.29} {verdict.title:<26.26} {points:<7}"
    return f"{left}  {result_word(verdict)}"[:WIDTH].rstrip()


def result_word(verdict: Verdict) -> str:
    """Returns a word or two for a verdict."""
    if verdict.verdict == BLANK and ".runs." in verdict.id:
        return "not handed in"
    if verdict.verdict != FAILED:
        return WORDS[verdict.verdict]
    number = len(verdict.mistakes)
    return "wrong" if number < 2 else f"{number} mistakes"


def head(homework: str, level: str, seed: int) -> str:
    """Returns the lines above the table."""
    title = f"Homework {homework.removeprefix('hw')}, level {level}, seed {seed}"
    columns = f"{'blank':<29} {'what it is for':<26} points"
    return f"{title}\n\n{columns}\n{'-' * WIDTH}"


def foot(report: Report) -> str:
    """Returns the line below the table."""
    total = f"{report.score:3d} /{report.max_score:3d}"
    return f"{'-' * WIDTH}\n{'total':<55} {total}  in {report.seconds:.1f} s"


def explanations(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yields a paragraph for each verdict that needs one."""
    for verdict in verdicts:
        told = verdict.verdict in (FAILED, GRADER_ERROR, SKIPPED)
        if (told or (verdict.verdict == PASSED and verdict.message)) and shown(verdict):
            yield explain(verdict)


def explain(verdict: Verdict) -> str:
    """Returns what a student is told about a check."""
    lines = [f"{verdict.id}: {verdict.title}"]
    for mistake in verdict.mistakes:
        lines += ["", *_wrapped(f"* {mistake.title}", "  "), *_wrapped(mistake.explanation, "    ")]
        lines += [*_wrapped(f"Read: {mistake.reference}", "    "), f"    ({mistake.id})"]
    if verdict.message:
        nameless = verdict.verdict == FAILED and not verdict.mistakes
        lines += ["", f"  {NO_NAME}"] if nameless else [""]
        lines += ["  Passed, and good to know:"] if verdict.verdict == PASSED else []
        for line in verdict.message.splitlines():
            lines += _wrapped(line, "    ")
    return "\n".join(lines)


def remark(note: str) -> str:
    """Returns a note on the whole submission."""
    return "\n".join(textwrap.wrap(f"Note: {note}", WIDTH, subsequent_indent="  "))


def _wrapped(text: str, indent: str) -> list[str]:
    later = indent + ("  " if text.startswith("* ") else "")
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=later)
