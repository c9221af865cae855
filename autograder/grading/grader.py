"""Judges a submission, check by check."""

from __future__ import annotations

import ast
import builtins
import importlib
import textwrap
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.base.checks import Check
from autograder.base.results import (
    FAILED,
    GRADER_ERROR,
    STOPPED,
    Difference,
    Judgement,
    Verdict,
)
from autograder.base.seen import PROBE, Crash, Seen
from autograder.base.text import UsageError
from autograder.grading.judging import GraderError, judged, worded
from autograder.misconceptions import stories
from autograder.misconceptions.oracle import NotRecordedError, is_handout
from autograder.running.prints import Printed
from autograder.running.session import Worker, WorkerError
from autograder.source.blanks import lines_of
from autograder.source.submission import given_texts

PATIENCE, SHORT_LIMIT = 2, 2.0  # checks that ended early; seconds for those after them
TRAINS = 4  # times a class's limit, for whole agents: these train for seconds


@dataclass
class Grader:
    """Judges one submission with a warm worker; each probe runs once."""

    worker: Worker
    seed: int
    limit: float | None = None  # seconds, in the place of the checks' own
    answers: bool = True  # whether messages may hold right numbers
    judged: Callable[[Check, Seen, int], Judgement] = judged
    # Whether whole agents train beside ours, which takes seconds.
    beside: bool = True
    stopped: int = 0
    # Titles of whole agents that trained beside ours, and were equal.
    equal: list[str] = field(default_factory=list)
    # By the probe, its owners, and the blanks that have our bodies; and by the check and those.
    asked: dict[tuple[str, tuple[str, ...], tuple[str, ...]], Seen] = field(default_factory=dict)
    judgements: dict[tuple[str, tuple[str, ...]], tuple[Seen, Judgement]] = field(
        default_factory=dict
    )

    def forget(self, changed: Collection[str]) -> None:
        """Lets probes run again that depend on changed files, as paths within `cs285`."""
        for key, asked in list(self.asked.items()):
            if asked.files is None or not asked.files.isdisjoint(changed):
                del self.asked[key]

    def printed_for(self, check: Check) -> Sequence[Printed]:
        """Returns what the student's code printed while a check's probe ran, if that is known."""
        asked = self.asked.get((check.full_probe, check.owners, ()))
        return asked.prints if asked else ()

    def judge(
        self,
        checks: Sequence[Check],
        before: Mapping[str, Verdict] | None = None,
        starts: Callable[[str], object] = lambda _: None,
    ) -> Iterator[Verdict]:
        """Yields the verdict of each check as soon as it is there.

        Verdicts from an earlier run, by check, stand, but for our own errors. `starts` is called
        with the id of each check that starts.
        """
        found = {i: v for i, v in (before or {}).items() if v.verdict != GRADER_ERROR}
        self.equal = []
        self.stopped = sum(v.message.startswith(STOPPED) for v in found.values())
        for check in checks:
            if check.id in found:
                continue
            starts(check.id)
            began = time.monotonic()
            verdict = self._judge_one(check, checks)
            yield replace(verdict, seconds=time.monotonic() - began)

    def _judge_one(self, check: Check, checks: Sequence[Check]) -> Verdict:
        """Probes and judges; whatever goes wrong on our side is a grader error."""
        try:
            return self._probe_and_judge(check, checks)
        except UsageError:  # such as tables of another release: nothing can be judged
            raise
        except (WorkerError, GraderError, NotRecordedError) as error:
            return self._verdict(check, GRADER_ERROR, str(error))
        except Exception as error:  # noqa: BLE001  (our fault, whatever it is)
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{where.filename.rpartition('/')[2]}:{where.lineno}"
            text = f"{type(error).__name__} at {place}: {error}"
            return self._verdict(check, GRADER_ERROR, text)

    def _probe_and_judge(self, check: Check, checks: Sequence[Check]) -> Verdict:
        """Probes and judges."""
        if check.parts:
            for part in checks:
                if part.id in check.parts:  # what ours went wrong with there is reported here, too
                    self._judgement(part)
            judgement = self._whole(check, checks).get("", Judgement())
            return worded(check, judgement, self.answers)
        asked = self._ask(check)
        if asked.ended:
            self.stopped += 1
            return self._verdict(check, FAILED, f"{STOPPED}{why_ended(asked)}")
        judgement = self._judgement(check)
        if judgement.passed:
            judgement = self._blamed(check, checks) or judgement
        return worded(check, judgement, self.answers)

    def _blamed(self, check: Check, checks: Sequence[Check]) -> Judgement | None:
        """Returns what a blank that is right alone does wrong in one of its whole agents."""
        for whole in checks if self.beside else ():
            if check.id in whole.parts:
                if found := self._whole(whole, checks).get(check.id):
                    return found
        return None

    def _whole(self, whole: Check, checks: Sequence[Check]) -> Mapping[str, Judgement]:
        """Returns what is wrong with a whole agent, by the blank whose fault it is, or "".

        Where the solution is there, our bodies are in the places of blanks that are open or wrong.
        If the agent is wrong even so, each other blank is tried with ours around it. Elsewhere the
        agent waits until all its blanks are right.
        """
        parts = [check for check in checks if check.id in whole.parts]
        if not self.beside or len(parts) < len(whole.parts):
            return {}
        wrong = tuple(part.id for part in parts if not self._may_be_right(part))
        rest = [part.id for part in parts if part.id not in wrong]
        solved = has_solution(whole.homework)
        if not rest or (wrong and not solved):
            return {}
        together = self._judgement(whole, wrong)
        if together.passed and not wrong and whole.title not in self.equal:
            self.equal.append(whole.title)
        if together.passed or not solved or len(rest) == 1:
            return together.blamed
        return self._each(whole, rest) or {"": next(iter(together.blamed.values()), together)}

    def _may_be_right(self, part: Check) -> bool:
        """Returns whether a blank is right alone; after an error of ours it may still be."""
        try:
            return self._judgement(part).passed
        except Exception:  # noqa: BLE001  (its own line reports it)
            return True

    def _each(self, whole: Check, blanks: Sequence[str]) -> dict[str, Judgement]:
        """Returns which blanks make a whole agent wrong whose other blanks are ours."""
        found = {}
        for blank in blanks:
            alone = self._judgement(whole, tuple(one for one in whole.parts if one != blank))
            if not alone.passed:
                there = alone.blamed.get(blank) or next(iter(alone.blamed.values()), alone)
                if stories.BY_GIVEN not in there.notes:
                    found[blank] = there
        return found

    def _judgement(self, check: Check, ours: tuple[str, ...] = ()) -> Judgement:
        """Judges what the check's probe saw, once; what ended early is not right.

        `ours`: blanks that have our bodies.
        """
        asked, key = self._ask(check, ours), (check.id, ours)
        if asked.ended:
            return Judgement([], [Difference(remark=asked.ended)])
        if key not in self.judgements or self.judgements[key][0] is not asked:
            self.judgements[key] = asked, self.judged(check, asked, self.seed)
        return self.judgements[key][1]

    def _ask(self, check: Check, ours: tuple[str, ...] = ()) -> Seen:
        """Runs the check's probe, unless that has been done.

        What ended early, or could not import a name, is tried again without the student's other
        files: perhaps one of those is to blame, unless it says itself that it was in the blank's.
        """
        key = (check.full_probe, check.owners, ours)
        if key not in self.asked:
            texts = with_ours(check.homework, self.worker.text_of, ours) if ours else {}
            if texts is None:  # nobody knows what it does
                self.asked[key] = Seen()
                return self.asked[key]
            limit = check.seconds
            if self.limit:
                limit = self.limit * (TRAINS if check.parts else 1)
            if self.stopped >= PATIENCE:  # whoever hangs everywhere is not waited for everywhere
                limit = min(limit, SHORT_LIMIT)
            asked = self.worker.see(check, self.seed, limit, texts=texts)
            if (asked.ended and not was_in(asked, check.owners)) or lacks_name(asked):
                asked = self.worker.see(check, self.seed, limit, True, texts)
                asked.files = None
            self.asked[key] = without_words(asked, self.worker.text_of) if ours else asked
        return self.asked[key]

    def _verdict(self, check: Check, verdict: str, message: str = "") -> Verdict:
        return Verdict(check.id, check.title, 0, check.points, verdict, (), message)


def why_ended(seen: Seen) -> str:
    """Says why a probe ended early, and on which of the student's lines it was then, if known.

    The line is what the student's process says of itself: it is shown, and nothing follows from it.
    """
    crash = seen.crashes.get(PROBE)
    if crash is None or not crash.file:
        return seen.ended
    where = f'{crash.file}:{crash.line}: "{crash.source}"'
    return f"{seen.ended}; it was then at {' '.join(where.split())}"


def was_in(seen: Seen, files: Collection[str]) -> bool:
    """Tells whether a probe that ended early was on a line of these files then, if it said so."""
    return PROBE in seen.crashes and seen.crashes[PROBE].file in files


def lacks_name(seen: Seen) -> bool:
    """Tells whether a file did not find in another what it imports from it."""
    return any(crash.kind == "ImportError" for crash in seen.crashes.values())


def has_solution(homework: str) -> bool:
    """Returns whether our bodies are here: not in a handout, nor in Gradescope's container."""
    return not is_handout(homework)


def with_ours(
    homework: str, own: Callable[[str], str | None], blanks: Collection[str]
) -> dict[str, str] | None:
    """Returns the files in which these blanks have our bodies, by path; None if that is no code.

    Args:
        homework: Whose handout the files are compared with.
        own: Returns the text of a student's file; None if it is not there.
        blanks: Their ids.
    """
    # By its name, so that no import of it is seen: a copy does not have it.
    regions = importlib.import_module("autograder.misconceptions.mutants").regions()
    texts, given = dict[str, str](), given_texts(homework)
    for blank in blanks:
        path, region, body = regions[blank]
        lines = (texts.get(path) or own(path) or given[path]).splitlines()
        first, last = lines_of(blank, given[path].splitlines(), lines)
        ours = textwrap.indent(textwrap.dedent(body).strip("\n"), " " * region.indent)
        lines[first - 1 : last] = ours.splitlines()
        texts[path] = "\n".join(lines) + "\n"
    try:
        for text in texts.values():
            ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return texts


def without_words(seen: Seen, own: Callable[[str], str | None]) -> Seen:
    """Returns what was seen, without words that may be our bodies': its student reads them.

    Args:
        seen: In a process that had our bodies, and may have written anything.
        own: Returns the text of a student's file; None if it is not there.
    """
    crashes = {case: without_text(crash, own) for case, crash in seen.crashes.items()}
    ended = "it did not come to its end" if seen.ended else ""
    return Seen(seen.arrays, crashes, ended=ended, files=seen.files)


def without_text(crash: Crash, own: Callable[[str], str | None]) -> Crash:
    """Returns an exception with its kind, if it is one of Python's, and a line of the student's."""
    kind = crash.kind if hasattr(builtins, crash.kind) or crash.never_ends else "Exception"
    lines = [line.strip() for line in (own(crash.file) or "").splitlines()]
    places = [n for n, line in enumerate(lines, 1) if line and line == crash.source]
    if not places:
        return Crash(kind, "", crash.file if lines else "")
    nearest = min(places, key=lambda number: abs(number - crash.line))
    return Crash(kind, "", crash.file, nearest, crash.source)
