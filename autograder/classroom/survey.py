"""Looks at what was handed in before anything is judged: whose it is, and what is odd about it."""

from __future__ import annotations

import functools
import io
import tokenize
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from autograder.base import checks as homeworks
from autograder.base.text import counted, folded, one_line
from autograder.classroom.code import EMPTY, plainly_decoded
from autograder.classroom.policy import Policy, clock
from autograder.classroom.reader import Found
from autograder.classroom.roster import Student, match
from autograder.source import PACKAGE
from autograder.source.altered import another_years
from autograder.source.handout_files import given_files
from autograder.source.submission import given_texts

MOST_NAMED = 4  # files of one kind
UNKNOWN = "unknown, so the student's own"
NOT_MATCHED = "NOT MATCHED"
SHOWN_AS_RUN = ("utf-8", "utf-8-sig", "ascii", "us-ascii", "iso-8859-1", "cp1252", "latin-1")
EMPTIED = "the handout's takes its place, with its blanks empty"


@dataclass(frozen=True)
class Surveyed:
    """One submission, as `grade --dry-run` prints it."""

    student: str
    name: str
    source: str
    how: str
    """By what it was matched to a student."""
    received: datetime | None
    late: int | None
    """Late days; None if nobody knows."""
    remarks: tuple[str, ...]
    marked: bool = False
    """Whether the platform marks it as late, and nobody knows by how much."""


def survey(
    homework: str, found: Sequence[Found], roster: Sequence[Student], policy: Policy
) -> list[Surveyed]:
    """Returns what there is to know about each submission, by student."""
    rows = []
    for one in found:
        known, doubt = match(one.sender.student, one.sender.email, roster)
        student = known.id if known else one.sender.student
        name = (known and known.name) or one.sender.name or ""
        received = _moment(one.sender.received)
        late = None if received is None else policy.days_late(student, received)
        odd = [doubt, one.needs or "", *remarks_on(homework, one)]
        remarks = tuple(dict.fromkeys(remark for remark in odd if remark))
        how = _how(one, known, roster)
        marked = one.sender.late and received is None
        rows.append(Surveyed(student, name, one.source, how, received, late, remarks, marked))
    return sorted(rows, key=lambda row: (row.student.casefold(), row.source))


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def _how(one: Found, known: Student | None, roster: Sequence[Student]) -> str:
    """Returns by what a submission was matched to its student."""
    if known is None:
        return NOT_MATCHED if roster else "no roster"
    sender = folded(one.sender.student)
    if sender in map(folded, (known.id, *known.others)):
        return "by id"
    email = folded(known.email or "")
    if email and email in (sender, folded(one.sender.email or "")):
        return "by email"
    return "by the email's name" if email.partition("@")[0] == sender else "by name"


def absent(rows: Sequence[Surveyed], roster: Sequence[Student]) -> list[Student]:
    """Returns the students of whom nothing was found."""
    there = {row.student for row in rows}
    return [student for student in roster if student.id not in there]


def remarks_on(homework: str, one: Found) -> Iterator[str]:
    """Yields what is odd about a submission, a line each."""
    if one.problem:
        yield one.problem
        return
    yield from remarks_on_files(homework, one.files)
    yield from one.remarks


def remarks_on_files(homework: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yields what is odd about the files that are judged: first what somebody has to look at."""
    yield from to_look_at(homework, files)
    if not any(what_is_missing(homework, files)):
        # Those of other homeworks are no news then: a learner's tree has them all.
        yield from _others(files, given_texts(""))


def to_look_at(homework: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yields what somebody has to look at before points are given, a line each."""
    if line := another_years(homework, files):
        yield line
        return
    yield from what_is_missing(homework, files)
    yield from odd_encodings(files)
    if line := solved_by_us(homework, files):
        yield line


def what_is_missing(homework: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yields a line on files with blanks that are not there, and one for each kind of others.

    One of these may be the missing file, by another name.
    """
    given = given_texts(homework)
    wanted = [path for path, text in given.items() if f'TODO("{homework}.' in text]
    missing = [path for path in wanted if path not in files]
    if files and missing:
        yield f"missing: {_named(missing)} ({EMPTIED})"
        yield from _others(files, given_files(homework))


def _others(files: Mapping[str, bytes], here: Collection[str]) -> Iterator[str]:
    """Yields a line for each kind of Python files that are not among those of the homework."""
    other: dict[str, list[str]] = {}
    for path in files:
        if path.endswith(".py") and path not in here:
            other.setdefault(home_of(path), []).append(path)
    for home, paths in sorted(other.items()):
        yield f"{home}: {_named(sorted(paths))}"


def odd_encodings(files: Mapping[str, bytes]) -> Iterator[str]:
    """Yields a line for each file that Python reads otherwise than it is shown and compared.

    Both are done by UTF-8. An encoding such as UTF-7 makes code out of what looks like none.
    """
    for path, data in files.items():
        if not path.endswith(".py"):
            continue
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        except SyntaxError:
            continue  # it does not run, and the board reports why
        if encoding not in SHOWN_AS_RUN:
            yield (
                f"{PACKAGE}/{path} declares the encoding {one_line(encoding)}: it is shown and "
                "compared as UTF-8, so read what it runs"
            )


def _named(paths: Sequence[str]) -> str:
    rest = [f"{len(paths) - MOST_NAMED} more"] if len(paths) > MOST_NAMED else []
    return ", ".join([*(f"{PACKAGE}/{path}" for path in paths[:MOST_NAMED]), *rest])


@functools.cache
def home_of(path: str) -> str:
    """Returns to what a file belongs that this homework does not have."""
    text = given_texts("").get(path)
    if text is None:
        return UNKNOWN
    homes = sorted({id.partition(".")[0] for id in EMPTY.findall(text)})
    return f"of another homework ({', '.join(homes)})" if homes else "of another homework"


def solved_by_us(homework: str, files: Mapping[str, bytes]) -> str:
    """Returns a line where files are those of another homework's handout, with our solutions.

    A later handout contains the solutions of earlier homeworks. Whole files are compared: a short
    blank may be filled by anybody as we fill it. So it takes two, and half of those handed in.
    """
    from autograder.source import reference  # an instructor's copy has one

    if not reference.ARCHIVE.is_file():
        return ""
    ours, handed_in, every, sources = list[str](), list[str](), list[str](), set[str]()
    for path, text in given_texts(homework).items():
        ids = [id for id in EMPTY.findall(text) if id.startswith(f"{homework}.")]
        every += ids
        data = files.get(path, b"")
        handed_in += ids if data else []
        if ids and (found := solved_files(homework, path).get(_plain(data))):
            ours += ids
            sources |= {found}
    if len(ours) < 2 or 2 * len(ours) < len(handed_in):
        return ""
    where = ", ".join(sorted(sources))
    return f"{len(ours)} of {len(every)} blanks are our own solutions, file and all, as in {where}"


def _plain(data: bytes) -> str:
    return "\n".join(line.rstrip() for line in plainly_decoded(data).split("\n")).strip()


@functools.cache
def solved_files(homework: str, path: str) -> Mapping[str, str]:
    """Returns the texts of a file in which a homework's blanks are solved, and where they stand."""
    from autograder.source import reference
    from autograder.source.blanks import find_regions
    from autograder.source.reference import is_earlier, without_markers

    text = reference.texts()[path]
    found = {text.strip(): "the repository"}
    for other in homeworks.names():
        if other == homework:
            continue
        empty = {r.id for r in find_regions(text, path) if r.homework == other}
        found.setdefault(without_markers(text, empty, path).strip(), f"the tree of `start {other}`")
        if is_earlier(homework, other) and path in given_texts(other):
            found[given_texts(other)[path].strip()] = f"{other}'s handout"
    return {_plain(one.encode()): where for one, where in found.items()}


def lines(rows: Sequence[Surveyed], roster: Sequence[Student], policy: Policy) -> Iterator[str]:
    """Yields what `grade --dry-run` prints."""
    for row in rows:
        who = f"{row.student} ({row.name})" if row.name else row.student
        yield f"{who}, {row.how}: {row.source}, {lateness_of(row, policy)}"
        yield from (f"    {remark}" for remark in row.remarks)
    for student in absent(rows, roster):
        yield f"{student.id} ({student.name or 'no name'}): not handed in"
    times = Counter(row.student for row in rows)
    for who, number in sorted(times.items()):
        if number > 1:
            yield f"{who}: {number} submissions, of which the latest counts"
    odd = sum(bool(row.remarks) or row.how == NOT_MATCHED for row in rows)
    late = sum(bool(row.late) or row.marked for row in rows)
    yield (
        f"{counted(len(rows), 'submission')} of {counted(len(times), 'student')}; "
        f"{odd} to look at, {late} late, {len(absent(rows, roster))} not handed in; "
        "nothing was judged"
    )


def lateness_of(row: Surveyed, policy: Policy) -> str:
    """Returns how late a submission is, in a few words."""
    if row.received is None:
        return "marked as late, time unknown" if row.marked else "time unknown"
    moment = row.received if row.received.tzinfo else row.received.replace(tzinfo=policy.zone)
    when = clock(moment.astimezone(policy.zone), policy.deadline_of(row.student))
    if policy.deadline is None:
        return when
    days = f"{row.late} day{'s' if row.late != 1 else ''} late" if row.late else "on time"
    return f"{when}, {days}"
