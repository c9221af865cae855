"""The page of code that is alike: ranked pairs, with both texts side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.base.files import write_whole
from autograder.classroom.likeness import HandIn, Pair, alike, pieces
from autograder.reports.classroom import Classroom
from autograder.reports.pages import GENERATOR, INDEX, NotAReportError, environment

STANDS_OUT = 0.01  # such pairs that chance alone leads to expect, below which a pair stands out
PERHAPS = 0.5  # below which it is worth a look


def hand_ins(room: Classroom) -> list[HandIn]:
    """Returns what each student or group of a class handed in; partners have one source."""
    groups: dict[str, list[str]] = {}
    files = {}
    for student in room.students:
        if student.submission and student.files:
            source = student.submission.source.split(" [")[0]
            groups.setdefault(source, []).append(student.id)
            files[source] = student.files
    return [HandIn(tuple(who), pieces(room.homework, files[at])) for at, who in groups.items()]


def worth_a_look(room: Classroom, most: int) -> tuple[list[Pair], int]:
    """Returns the pairs that are alike beyond chance, and how many hand-ins were compared."""
    found = hand_ins(room)
    pairs = [pair for pair in alike(room.homework, found) if pair.expected < PERHAPS]
    return pairs[:most], len(found)


def in_words(pair: Pair) -> str:
    """Returns how likely a likeness is by chance."""
    if pair.expected < 1e-6:
        return "chance alone leads to expect fewer than one such pair in a million classes"
    classes = 1 / pair.expected
    if classes >= 2:
        return f"chance alone leads to one such pair in about {classes:,.0f} classes of this size"
    return "chance alone leads to such a pair in most classes of this size"


def write_page(room: Classroom, pairs: Sequence[Pair], number: int, out: Path) -> None:
    """Writes the page.

    Raises:
        NotAReportError: If another file is in its place.
        OSError: If it cannot be written.
    """
    file = out / INDEX
    if file.exists() and GENERATOR not in file.read_text(encoding="utf-8", errors="replace"):
        raise NotAReportError(None, f"{file} is no page of ours; choose another folder")
    out.mkdir(parents=True, exist_ok=True)
    labels = {student.id: student.label for student in room.students}
    text = (
        environment()
        .get_template("similar.html")
        .render(
            room=room,
            pairs=pairs,
            number=number,
            labels=labels,
            in_words=in_words,
            stands_out=STANDS_OUT,
        )
    )
    write_whole(file, text)
