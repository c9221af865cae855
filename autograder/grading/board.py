"""What a student sees: a table of blanks, and below it each failure explained.

Plain ASCII in 80 columns: it reads the same everywhere. Colour comes on top, on a terminal alone,
and tells nothing that the words do not.
"""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from autograder.base.results import (
    BLANK,
    FAILED,
    GRADER_ERROR,
    PASSED,
    SKIPPED,
    STOPPED,
    Report,
    Verdict,
)

WIDTH = 80
WORDS = {
    PASSED: "passed",
    BLANK: "not filled yet",
    SKIPPED: "not run",
    GRADER_ERROR: "grader error",
}
BETTER, WORSE, OTHER = "+", "-", "~"
COLOURS = {PASSED: 32, FAILED: 31, GRADER_ERROR: 31, BLANK: 33, SKIPPED: 33}
COLOURS |= {BETTER: 32, WORSE: 31, OTHER: 33}  # green, red, yellow
RANKS = {PASSED: 2, FAILED: 1}  # what is filled in is better than what is not
NO_NAME = "A mistake that has no name here. What is first wrong:"


def shown(verdict: Verdict) -> bool:
    """Tells whether a verdict has a line: parts that were given out only if they are broken."""
    return verdict.max_points > 0 or verdict.verdict != PASSED or ".given." not in verdict.id


def has_colour(stream: TextIO) -> bool:
    """Tells whether a stream is a terminal whose user wants colour, see https://no-color.org."""
    known = os.name != "nt" or "WT_SESSION" in os.environ  # older consoles show the codes
    unwanted = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and known and not unwanted


def painted(text: str, kind: str, colour: bool) -> str:
    """Returns a text in the colour of a verdict or of a mark, if there is to be any."""
    return f"\033[{COLOURS[kind]}m{text}\033[0m" if colour else text


def row(verdict: Verdict, colour: bool = False) -> str:
    """Returns the table's line of a verdict."""
    points = f"{verdict.points:2d} /{verdict.max_points:3d}" if verdict.max_points else ""
    name = verdict.id.partition(".")[2]
    left = f"{name:<29.29} {verdict.title:<26.26} {points:<7}"
    return f"{left}  {painted(result_word(verdict), verdict.verdict, colour)}"


def result_word(verdict: Verdict) -> str:
    """Returns a word or two for a verdict."""
    if verdict.verdict == BLANK and ".runs." in verdict.id:
        return "not handed in"
    if verdict.verdict != FAILED:
        return WORDS[verdict.verdict]
    number = len(verdict.misconceptions)
    return "wrong" if number < 2 else f"{number} mistakes"


def head(homework: str, level: str, seed: int) -> str:
    """Returns the lines above the table."""
    title = f"Homework {homework.removeprefix('hw')}, level {level}, seed {seed}"
    columns = f"{'blank':<29} {'what it is for':<26} points"
    return f"{title}\n\n{columns}\n{'-' * WIDTH}"


def lines(report: Report, verdicts: Iterable[Verdict], began: float) -> Iterator[str]:
    """Yields the table's lines and the one below, as verdicts come; the report gets them too."""
    colour = has_colour(sys.stdout)
    for verdict in verdicts:
        report.verdicts.append(verdict)
        if shown(verdict):
            yield row(verdict, colour)
    report.seconds = time.monotonic() - began
    yield foot(report)


def foot(report: Report) -> str:
    """Returns the line below the table."""
    total = f"{report.score:3d} /{report.max_score:3d}"
    return f"{'-' * WIDTH}\n{'total':<55} {total}  in {report.seconds:.1f} s"


def changes(
    before: Sequence[Verdict], after: Sequence[Verdict], colour: bool = False
) -> Iterator[str]:
    """Yields a line for each verdict that is not as it was before: what it was, and what it is."""
    known = {verdict.id: verdict for verdict in before}
    for new in after:
        old = known.get(new.id, new)
        was, now = result_word(old), result_word(new)
        if (was, old.misconceptions) == (now, new.misconceptions):
            continue
        mark = OTHER if rank(new) == rank(old) else BETTER if rank(new) > rank(old) else WORSE
        words = f"{was} -> {now}" if was != now else f"{now}, but not as before"
        yield painted(f"{mark} {new.id.partition('.')[2]:<29} {words}", mark, colour)


def rank(verdict: Verdict) -> tuple[int, int]:
    """Returns what is larger for the better of two verdicts."""
    return RANKS.get(verdict.verdict, 0), -max(1, len(verdict.misconceptions))


def explanations(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yields a paragraph for each verdict that needs one; one for all that have the same reason."""
    reasons: dict[tuple[object, ...], list[Verdict]] = {}
    for verdict in verdicts:
        with_message = verdict.verdict in (FAILED, GRADER_ERROR, SKIPPED)
        if (with_message or (verdict.verdict == PASSED and verdict.message)) and shown(verdict):
            reason = verdict.verdict, verdict.misconceptions, verdict.message
            reasons.setdefault(reason, []).append(verdict)
    for same in reasons.values():
        yield explain(*same)


def explain(verdict: Verdict, *others: Verdict) -> str:
    """Returns what a student is told about a check, and about others with the same reason."""
    lines = [f"{verdict.id}: {verdict.title}"]
    if others:
        ids = ", ".join(each.id for each in (verdict, *others))
        lines = textwrap.wrap(f"{ids}: one reason for all", WIDTH)
    for misconception in verdict.misconceptions:
        lines += [
            "",
            *_wrapped(f"* {misconception.title}", "  "),
            *_wrapped(misconception.explanation, "    "),
        ]
        lines += [
            *_wrapped(f"Read: {misconception.reference}", "    "),
            f"    ({misconception.id})",
        ]
    if verdict.message:
        clear = verdict.misconceptions or verdict.message.startswith(STOPPED)
        nameless = verdict.verdict == FAILED and not clear
        lines += ["", f"  {NO_NAME}"] if nameless else [""]
        lines += ["  Passed, and good to know:"] if verdict.verdict == PASSED else []
        for line in verdict.message.splitlines():
            lines += _wrapped(line, "    ")
    return "\n".join(lines)


def remark(note: str) -> str:
    """Returns a note on the whole submission."""
    return "\n".join(textwrap.wrap(f"Note: {note}", WIDTH, subsequent_indent="  "))


def not_judged(blanks: Sequence[str]) -> str:
    """Returns the line that names the blanks without a check."""
    return "\n".join(textwrap.wrap(f"Not judged here: {', '.join(blanks)}", WIDTH))


def _wrapped(text: str, indent: str) -> list[str]:
    later = indent + ("  " if text.startswith("* ") else "")
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=later)
