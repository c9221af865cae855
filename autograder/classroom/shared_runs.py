"""Training runs that several students handed in: the first who held one keeps it."""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.notes import Copy, Held, Need
from autograder.classroom.policy import in_utc
from autograder.classroom.read_submission import unpack_runs
from autograder.classroom.reader import Found
from autograder.evidence.judging import MISCONCEPTIONS, RunFolder, read_folder
from autograder.evidence.run_sketch import Sketch, copies, is_one_run, sketch
from autograder.running.limits import ExceededError, Limited, OurError

COPIED = MISCONCEPTIONS["evidence.duplicate"]
MESSAGE = "{name} shares {what} with a run that somebody else handed in before"
UNDECIDED = "{message}; who was first is not known, and nobody has lost points for it"


@dataclass(frozen=True)
class Holding:
    """A run that a student held at some time, in a submission that counts or in an earlier one."""

    held: Held
    run: Sketch


def sketches(run_folder: RunFolder) -> list[Sketch]:
    """Returns sketches, by which runs are compared with those of a whole class."""
    runs = [
        (question, one.run) for question in run_folder.asked for one in run_folder.runs[question.id]
    ]
    return [sketch(question, run) for question, run in runs if run]


def sketch_earlier(book: Gradebook, homework: str, found: Sequence[Found]) -> None:
    """Keeps the sketches of runs in submissions that do not count: their owners had them early."""
    with contextlib.closing(Limited()) as limited:
        for one in found:
            if one.digest and one.places and not book.sketches(one.digest):
                with contextlib.suppress(ExceededError, OurError):  # nothing is known of its runs
                    made = limited.do(plainly_sketched, homework, one.places, str(book.folder))
                    book.set_sketches(one.digest, made)


def plainly_sketched(homework: str, places: Sequence[Path], folder: str) -> list[dict[str, object]]:
    """Returns the sketches of a submission's runs as JSON has them; unpacks below a folder."""
    with tempfile.TemporaryDirectory(prefix=".earlier-", dir=folder) as data:
        unpack_runs(places, Path(data))
        return [asdict(one) for one in sketches(read_folder(homework, Path(data)))]


def compare(book: Gradebook) -> list[str]:
    """Compares the runs of a whole class, and writes down which are copies.

    Whoever held a run first keeps its points, whatever submission it was in. Where it is unknown
    who that is, nobody loses points: it needs the instructor.

    Returns:
        A line for the instructor about each run that several hold.
    """
    counting = {s.student: s for s in book.submissions() if s.counts and s.digest}
    holdings = list(_holdings(book))
    marked, needs, lines = list[Copy](), list[Need](), list[str]()
    for group, what in _shared(holdings):
        ours = [one for one in group if _counts(one, counting)]
        owners = {one.held.student: owner for owner, one in _by_owner(group)}
        if len({owners[one.held.student] for one in ours}) < 2:
            continue  # the others have replaced it
        message = _message(ours, what)
        lines.append(message)
        first, later = _first_and_later(group, owners)
        for one in ours:
            student, run = one.held.student, one.run
            if owners[student] in later:
                line = MESSAGE.format(name=run.name, what=what)
                marked.append(Copy(one.held.digest, run.question, COPIED, line, message, student))
            elif len(first) > 1:
                reason = UNDECIDED.format(message=message)
                needs.append(Need(student, reason, run.question, "copy"))
    book.set_copies(marked)
    book.set_needs("copy", needs)
    return lines


def _holdings(book: Gradebook) -> Iterator[Holding]:
    """Yields every run that anybody ever handed in."""
    known: dict[str, list[Sketch]] = {}
    for held in book.held():
        if held.digest not in known:
            known[held.digest] = [Sketch(**one) for one in book.sketches(held.digest)]
        for run in known[held.digest]:
            yield Holding(held, run)


def _counts(one: Holding, counting: Mapping[str, Submission]) -> bool:
    submission = counting.get(one.held.student)
    return submission is not None and submission.digest == one.held.digest


def _shared(holdings: Sequence[Holding]) -> Iterator[tuple[list[Holding], str]]:
    """Yields the holdings of each run that several students hold, and what these share."""
    own = [Sketch(**asdict(one.run) | {"owner": one.held.student}) for one in holdings]
    groups, shares = Groups(len(holdings)), dict[int, str]()
    for left, right, what in copies(own):
        if holdings[left].held.student != holdings[right].held.student:
            groups.join(left, right)
            shares.setdefault(left, what)
    for left, right in _handed_in_again(holdings):
        groups.join(left, right)
    for group in groups.all():
        if what := next((shares[place] for place in group if place in shares), ""):
            yield [holdings[place] for place in group], what


def _handed_in_again(holdings: Sequence[Holding]) -> Iterator[tuple[int, int]]:
    """Yields the places of one student's runs that are the same, in two submissions."""
    by_student: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(holdings):
        by_student[one.held.student].append(place)
    for places in by_student.values():
        for left, right in itertools.combinations(places, 2):
            if is_one_run(holdings[left].run, holdings[right].run):
                yield left, right


def _by_owner(group: Iterable[Holding]) -> Iterator[tuple[str, Holding]]:
    """Yields the holdings with the name of their owner: partners who handed in as one are one."""
    group = list(group)
    partners = Groups(len(group))
    origins: dict[tuple[str, str], int] = {}
    students: dict[str, int] = {}
    for place, one in enumerate(group):
        origin = one.held.origin, one.held.digest
        partners.join(place, origins.setdefault(origin, place))
        partners.join(place, students.setdefault(one.held.student, place))
    for places in partners.all():
        name = min(group[place].held.student for place in places)
        yield from ((name, group[place]) for place in places)


def _first_and_later(
    group: Sequence[Holding], owners: Mapping[str, str]
) -> tuple[set[str], set[str]]:
    """Returns the owners who may have been first, and those who certainly were not."""
    times: dict[str, list[float | None]] = defaultdict(list)
    for one in group:
        times[owners[one.held.student]].append(moment(one.held.received))
    known = [when for whens in times.values() for when in whens if when is not None]
    later = {
        who
        for who, whens in times.items()
        if all(when is not None and when > min(known) for when in whens)
    }
    return set(times) - later, later


def moment(received: str) -> float | None:
    """Returns a time of receipt as a number, times without a zone as UTC; None if it is unknown."""
    try:
        when = datetime.fromisoformat(received)
    except ValueError:
        return None
    return in_utc(when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _message(ours: Sequence[Holding], what: str) -> str:
    """Returns the line for the instructor."""
    runs: dict[str, dict[str, None]] = {}
    for one in sorted(ours, key=lambda one: one.held.student):
        runs.setdefault(one.held.student, {})[one.run.name] = None
    names = [", ".join(own) for own in runs.values()]
    return f"{' and '.join(runs)} handed in runs with {what}: {', '.join(names)}"


class Groups:
    """Numbers that are joined, one by one, into groups."""

    def __init__(self, count: int) -> None:
        """Begins with each alone."""
        self.above = list(range(count))

    def top(self, number: int) -> int:
        """Returns the number that stands for a group."""
        while self.above[number] != number:
            self.above[number] = number = self.above[self.above[number]]
        return number

    def join(self, one: int, two: int) -> None:
        """Joins the groups of two numbers."""
        self.above[self.top(one)] = self.top(two)

    def all(self) -> Iterator[list[int]]:
        """Yields the groups."""
        groups: dict[int, list[int]] = defaultdict(list)
        for number in range(len(self.above)):
            groups[self.top(number)].append(number)
        yield from groups.values()
