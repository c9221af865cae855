"""The paragraphs below the table: what is wrong with a blank, and what it printed."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.base.checks import Check
from autograder.base.results import FAILED, GRADER_ERROR, PASSED, STOPPED, Verdict
from autograder.running.prints import Printed
from autograder.source import PACKAGE
from autograder.source.blanks import Place

WIDTH = 80
CRASH = "crash."  # exceptions of any blank, which a page about one does not have
NO_NAME = "A mistake that has no name here. What is first wrong:"


@dataclass(frozen=True)
class Context:
    """What is known about blanks beside their verdicts.

    Attributes:
        homework: Such as "hw3"; "" where nobody knows.
        numbers: Of each blank in the handout's table, by id.
        places: Of each blank in the student's files.
        prints: What the student's code printed, by the check under which it is shown.
        page_of: Returns where the page about a blank's mistakes is; "" where there is none.
        width: Columns of the screen.
        colour: Whether the screen shows bold letters and colours.
    """

    homework: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    prints: Mapping[str, Sequence[Printed]] = field(default_factory=dict)
    page_of: Callable[[str], str] = lambda _: ""
    width: int = WIDTH
    colour: bool = False


NOTHING_KNOWN = Context()


def explanations(verdicts: Sequence[Verdict], context: Context = NOTHING_KNOWN) -> Iterator[str]:
    """Yields a paragraph for each verdict that needs one; one for all that have the same reason."""
    reasons: dict[tuple[object, ...], list[Verdict]] = {}
    for verdict in verdicts:
        if has_explanation(verdict):
            reason = verdict.verdict, verdict.misconceptions, verdict.message
            reasons.setdefault(reason, []).append(verdict)
        elif context.prints.get(verdict.id):
            reasons[verdict.id,] = [verdict]
    for same in reasons.values():
        yield explain(*same, context=context)


def has_explanation(verdict: Verdict) -> bool:
    """Returns whether there is more to say about a verdict than its word."""
    if verdict.verdict in (FAILED, GRADER_ERROR):
        return True
    shown = verdict.max_points > 0 or ".given." not in verdict.id
    return verdict.verdict == PASSED and bool(verdict.message) and shown


def explain(verdict: Verdict, *others: Verdict, context: Context = NOTHING_KNOWN) -> str:
    """Returns what a student is told about a check, and about others with the same reason."""
    every = (verdict, *others)
    title = f"{verdict.id}: {verdict.title}"
    if others:
        title = f"{', '.join(each.id for each in every)}: one reason for all"
    heading = wrapped(title, "", context.width, "  ")
    lines = [f"\033[1m{line}\033[0m" for line in heading] if context.colour else heading
    for each in every:
        lines += _where(each, context)
    if has_explanation(verdict):
        lines += _what_is_wrong(verdict, context)
    for each in every:
        for printed in context.prints.get(each.id, ()):
            lines += _printed(printed, context.width)
    return "\n".join(lines)


def _where(verdict: Verdict, context: Context) -> list[str]:
    """Returns the line with the number of a blank and its place."""
    place = context.places.get(verdict.id)
    if place is None:
        return []
    number = context.numbers.get(verdict.id)
    return wrapped(f"{place}, blank {number}" if number else str(place), "  ", context.width)


def _what_is_wrong(verdict: Verdict, context: Context) -> list[str]:
    """Returns the misconceptions of a verdict, with what to read, and its message."""
    lines, width = [], context.width
    for misconception in verdict.misconceptions:
        lines += ["", *wrapped(f"* {misconception.title}", "  ", width, "    ")]
        lines += wrapped(misconception.explanation, "    ", width)
        lines += wrapped(f"Read: {misconception.reference}", "    ", width)
        lines += [f"    ({misconception.id})"]
    named = any(not one.id.startswith(CRASH) for one in verdict.misconceptions)
    if named and (page := context.page_of(verdict.id)):
        lines += ["", *wrapped(f"See it: {page}", "    ", width)]
    if not verdict.message:
        return lines
    unnamed = verdict.verdict == FAILED and not verdict.misconceptions
    nameless = unnamed and not verdict.message.startswith(STOPPED)
    lines += ["", *wrapped(NO_NAME, "  ", width)] if nameless else [""]
    lines += ["  Passed, and good to know:"] if verdict.verdict == PASSED else []
    for line in verdict.message.splitlines():
        lines += wrapped(line, "    ", width, "      ")
    if unnamed and context.numbers.get(verdict.id):
        number = context.numbers[verdict.id]
        text = f"Read: docs/{context.homework}/blanks.md, number {number}"
        lines += wrapped(f"{text}, and the comment above the blank", "    ", width)
    return lines


def prints_by_check(
    checks: Sequence[Check],
    printed_for: Callable[[Check], Sequence[Printed]],
    places: Mapping[str, Place],
) -> dict[str, list[Printed]]:
    """Returns what is shown under each check, by its id; each line's prints are shown once.

    Args:
        checks: Those that were judged, in the order of the board.
        printed_for: Returns what was printed while a check's probe ran.
        places: Of the homework's blanks.
    """
    judged = {check.id for check in checks}
    found: dict[str, list[Printed]] = {}
    shown = set[object]()
    for check in checks:
        for one in printed_for(check):
            owners = {id for id, place in places.items() if place.has(one.file, one.line)} & judged
            key = (one.file, one.line) if one.file else one.texts
            if key in shown or (owners and check.id not in owners):
                continue
            shown.add(key)
            found.setdefault(check.id, []).append(one)
    return found


def _printed(printed: Printed, width: int) -> list[str]:
    """Returns what a line printed, each text on lines of its own."""
    where = f" at {PACKAGE}/{printed.file}:{printed.line}" if printed.file else ""
    lines = ["", *wrapped(f"Printed{where}:", "  ", width)]
    for text in printed.texts:
        lines += [f"    | {part}" for part in _cut_up(text, width - 6)]
    more = f"... and {printed.more:,} more line{'s' if printed.more > 1 else ''}"
    return lines + ([f"    | {more}"] if printed.more else [])


def _cut_up(text: str, width: int) -> list[str]:
    """Returns a text in pieces, with all its spaces: numbers may be in columns."""
    return [text[n : n + width] for n in range(0, len(text), width)] or [""]


def wrapped(text: str, indent: str, width: int, later: str | None = None) -> list[str]:
    """Returns a text as lines. A longer word, such as a path, stays whole: it can be copied."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent if later is None else later,
        break_long_words=False,
        break_on_hyphens=False,
    )
