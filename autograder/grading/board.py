"""What a student sees: a table of blanks, and below it each failure explained.

Plain ASCII in at most 80 columns: it reads the same everywhere. On a narrow terminal each blank
has two lines. Colour comes on top, on a terminal alone, and tells nothing that the words do not.
"""

from __future__ import annotations

import os
import shutil
import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from autograder.base.checks import Check
from autograder.base.results import BLANK, FAILED, GRADER_ERROR, PASSED, Report, Verdict
from autograder.grading.explained import NO_NAME, WIDTH, explain, explanations, wrapped

__all__ = ["NO_NAME", "WIDTH", "explain", "explanations"]
NARROWEST = 30
BESIDE = " beside ours"
"""How the title ends of a check that trains a whole agent beside ours."""
WORDS = {PASSED: "passed", BLANK: "not filled yet", GRADER_ERROR: "grader error"}
BETTER, WORSE, OTHER = "+", "-", "~"
CLEAR = "\033[H\033[2J"  # empties the screen of a terminal; what was scrolled away stays
GREEN, RED, YELLOW = 32, 31, 33
COLOURS = {PASSED: GREEN, FAILED: RED, GRADER_ERROR: RED, BLANK: YELLOW}
COLOURS |= {BETTER: GREEN, WORSE: RED, OTHER: YELLOW}
RANKS = {PASSED: 2, FAILED: 1}  # what is filled in is better than what is not
POINTS, RESULT = 7, 14  # columns: "10 / 10", and the longest word for a verdict
LEAST_TITLE = 18  # columns of a title; where there is room for fewer, it has a line of its own


@dataclass(frozen=True)
class Layout:
    """The columns of the table."""

    name: int = 29
    title: int = 26
    width: int = WIDTH
    numbers: Mapping[str, int] | None = None  # of the handout's table, by id; None: no such column
    colour: bool = False

    @property
    def narrow(self) -> bool:
        """Whether a blank has two lines."""
        return self.title < LEAST_TITLE

    @property
    def before(self) -> int:
        """The columns to the left of a name: a mark, a number, a space."""
        return 0 if self.numbers is None else 4


PLAIN = Layout()


def layout_for(checks: Sequence[Check], stream: TextIO) -> Layout:
    """Returns the columns that fit some checks, and where they are shown."""
    width = width_of(stream)
    rows = [check for check in checks if check.points or ".given." not in check.id]
    name = max((len(short(check.id)) for check in rows), default=0)
    title = max((len(check.title) for check in rows), default=0)
    room = width - 4 - (name + 1) - 1 - (POINTS + 1) - RESULT
    numbers = {check.id: check.number for check in checks}
    return Layout(name, min(title, room), width, numbers, has_colour(stream))


def width_of(stream: TextIO) -> int:
    """Returns how many columns there are: a terminal's own, but at most 80, and 80 in a file."""
    if not stream.isatty():
        return WIDTH
    return max(NARROWEST, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns))


def short(id: str) -> str:
    """Returns an id without its homework."""
    return id.partition(".")[2]


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


def row(verdict: Verdict, layout: Layout = PLAIN, mark: str = " ") -> str:
    """Returns the table's line of a verdict, or its lines: no title is cut.

    `mark`: whether it changed since the last save.
    """
    points = f"{verdict.points:2d} /{verdict.max_points:3d}" if verdict.max_points else ""
    word = painted(result_word(verdict), verdict.verdict, layout.colour)
    number = (layout.numbers or {}).get(verdict.id) or ""
    before = "" if layout.numbers is None else f"{mark}{number:>2} "
    name = short(verdict.id)
    if layout.narrow:
        return _two_lines(layout, before + name, points, word, verdict)
    first, *more = textwrap.wrap(verdict.title, layout.title) or [""]
    left = f"{before}{name:<{layout.name}} {first:<{layout.title}} {points:<{POINTS}}"
    indent = " " * (layout.before + layout.name + 1)
    lines = [f"{left} {word}" if layout.before else f"{left}  {word}"]
    return "\n".join([*lines, *(indent + line for line in more)])


def _two_lines(layout: Layout, name: str, points: str, word: str, verdict: Verdict) -> str:
    """Returns the lines of a verdict on a narrow terminal."""
    gap = layout.width - len(name) - len(points)
    first = f"{name}{' ' * gap}{points}" if gap > 0 else f"{name}\n{points:>{layout.width}}"
    plain = result_word(verdict)
    below = wrapped(f"{plain}: {verdict.title}", " " * layout.before, layout.width)
    return "\n".join([first, *below]).replace(plain, word, 1)


def result_word(verdict: Verdict) -> str:
    """Returns a word or two for a verdict."""
    if verdict.verdict == BLANK and ".runs." in verdict.id:
        return "not handed in"
    if verdict.verdict != FAILED:
        return WORDS[verdict.verdict]
    number = len(verdict.misconceptions)
    return "wrong" if number < 2 else f"{number} mistakes"


def head(homework: str, seed: int, layout: Layout = PLAIN) -> str:
    """Returns the lines above the table."""
    title = f"Homework {homework.removeprefix('hw')}, seed {seed}"
    before = "" if layout.numbers is None else f"{'#':>3} "
    if layout.narrow:
        columns = f"{before + 'blank':<{layout.width - POINTS}} points"
    else:
        columns = f"{before}{'blank':<{layout.name}} {'what it is for':<{layout.title}} points"
    return f"{title}\n\n{columns}\n{'-' * layout.width}"


def lines(
    report: Report,
    verdicts: Iterable[Verdict],
    began: float,
    layout: Layout = PLAIN,
    last: Sequence[Verdict] = (),
) -> Iterator[str]:
    """Yields the table's lines and the one below, as verdicts come; the report gets them too.

    A verdict that is not as it was in `last` has a mark.
    """
    for verdict in verdicts:
        report.verdicts.append(verdict)
        if shown(verdict):
            yield row(verdict, layout, marks(last, [verdict]).get(verdict.id, " "))
    report.seconds = time.monotonic() - began
    yield foot(report, layout)


def foot(report: Report, layout: Layout = PLAIN) -> str:
    """Returns the line below the table."""
    total = f"{report.score:3d} /{report.max_score:3d}"
    before = layout.before + layout.name + layout.title + 1
    if layout.narrow:
        before = layout.width - len(f"{total}  in {report.seconds:.1f} s")
    line = f"{'total':<{before}}{total}  in {report.seconds:.1f} s"
    return f"{'-' * layout.width}\n{line}"


def marks(before: Sequence[Verdict], after: Sequence[Verdict]) -> dict[str, str]:
    """Returns the mark of each verdict that is not as it was before, by check."""
    known = {verdict.id: verdict for verdict in before}
    found = {}
    for new in after:
        old = known.get(new.id, new)
        if (result_word(old), old.misconceptions) != (result_word(new), new.misconceptions):
            same = rank(new) == rank(old)
            found[new.id] = OTHER if same else BETTER if rank(new) > rank(old) else WORSE
    return found


def changes(
    before: Sequence[Verdict],
    after: Sequence[Verdict],
    colour: bool = False,
    width: int = WIDTH,
) -> Iterator[str]:
    """Yields a line for each verdict that is not as it was before: what it was, and what it is."""
    was = {verdict.id: result_word(verdict) for verdict in before}
    now = {verdict.id: result_word(verdict) for verdict in after}
    for id, mark in marks(before, after).items():
        same = was[id] == now[id]
        words = f"{now[id]}, but not as before" if same else f"{was[id]} -> {now[id]}"
        wide = f"{mark} {short(id):<29} {words}"
        line = wide if len(wide) <= width else f"{mark} {short(id)}\n{words}"
        yield painted(line, mark, colour)


def rank(verdict: Verdict) -> tuple[int, int]:
    """Returns what is larger for the better of two verdicts."""
    return RANKS.get(verdict.verdict, 0), -max(1, len(verdict.misconceptions))


def remark(note: str, width: int = WIDTH) -> str:
    """Returns a note on the whole submission."""
    return _sentence(f"Note: {note}", width)


def not_judged(blanks: Sequence[str], of: int, width: int = WIDTH) -> str:
    """Returns how many of a homework's blanks have no check, and which."""
    verb = "has" if len(blanks) == 1 else "have"
    return _sentence(
        f"{len(blanks)} of {of} blanks {verb} no check yet: {', '.join(blanks)}", width
    )


def _sentence(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(text, width, subsequent_indent="  "))


def trained_beside(titles: Sequence[str], width: int = WIDTH) -> str:
    """Returns the line that names the agents that trained beside ours, and were equal."""
    agents = ", ".join(title.removesuffix(BESIDE) for title in titles)
    return "\n".join(wrapped(f"trained beside ours, and equal: {agents}", "", width, "  "))


def next_line(step: str, width: int = WIDTH) -> str:
    """Returns the line that names the next step; a command stays whole: it can be copied."""
    words, python, rest = f"next: {step}".partition("python ")
    if words == "next: " or len(words + python + rest) <= width:
        return words + python + rest
    command = [f"  {python}{rest}"] if python else []
    return "\n".join([*wrapped(words.rstrip(), "", width, "  "), *command])
