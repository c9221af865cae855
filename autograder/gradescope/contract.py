"""The file that Gradescope reads: results.json, always whole, with every check from the start.

https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.base.checks import Check
from autograder.base.files import write_whole
from autograder.base.results import BLANK, PASSED, Verdict
from autograder.base.text import plain_text
from autograder.gradescope.settings import MOMENTS
from autograder.grading import board
from autograder.grading.explained import Context
from autograder.grading.next_step import in_handout

MOST_CHARACTERS = 100_000  # of any output; Gradescope cuts there
CUT = "\n... (cut here)"
WAITING = "Not judged: the grader was stopped before it came to this check."


class Results:
    """The results of one submission, written anew whenever something is added."""

    def __init__(
        self, file: Path, homework: str, checks: Sequence[Check], explain: str = MOMENTS[0]
    ) -> None:
        """Takes all checks, none of them judged yet; writes nothing.

        Args:
            file: Where Gradescope looks for it.
            homework: Such as "hw3".
            checks: All of them.
            explain: From when on students read explanations: one of `MOMENTS`.
        """
        self.explain = explain
        self.file = file
        self.homework = homework
        self.checks = list(checks)
        self.verdicts: dict[str, Verdict] = {}
        self.lines: list[str] = []
        """Messages about the submission as a whole."""
        self.instead = WAITING
        """The message of checks that have not been judged."""
        self.extra: dict[str, Any] = {}
        self.began = time.monotonic()

    def add(self, verdict: Verdict) -> None:
        """Adds what became of one check, and writes.

        Raises:
            OSError: If it cannot be written.
        """
        self.verdicts[verdict.id] = verdict
        self.write()

    def write(self) -> None:
        """Writes everything: beside the file, then in its place.

        Raises:
            OSError: If it cannot be written.
        """
        text = json.dumps(self.as_dict(), indent=1, allow_nan=False, ensure_ascii=False)
        write_whole(self.file, text + "\n")

    def as_dict(self) -> dict[str, Any]:
        """Returns the results as Gradescope documents them; the score is the sum of the tests'."""
        return {
            "execution_time": round(time.monotonic() - self.began, 3),
            "output": clean("\n".join(filter(None, self.lines))),
            "output_format": "text",
            "test_output_format": "text",
            "test_name_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "tests": [*self._tests()],
            "extra_data": {"homework": self.homework, **self.extra},
        }

    def _tests(self) -> Iterator[dict[str, Any]]:
        """Yields the entries; an explanation that waits has one of its own, without points."""
        for number, check in enumerate(self.checks, 1):
            test = self._test(number, check)
            if self.explain == MOMENTS[0]:
                yield test
                continue
            verdict = self.verdicts.get(check.id)
            word = board.WORDS.get(verdict.verdict, "wrong") if verdict else self.instead
            yield test | {"output": clean(word)}
            yield {
                "number": f"{number}.1",
                "name": f"{test['name']}: explanation",
                "output": test["output"],
                "visibility": self.explain,
            }

    def _test(self, number: int, check: Check) -> dict[str, Any]:
        """Returns one entry: its place, name and points never depend on the submission."""
        verdict = self.verdicts.get(check.id)
        return {
            "number": str(number),
            "name": f"{check.id.partition('.')[2]}: {check.title}",
            "score": verdict.points if verdict else 0,
            "max_score": check.points,
            "status": "passed" if verdict and verdict.verdict == PASSED else "failed",
            "output": clean(in_words(verdict) if verdict else self.instead),
            "visibility": "visible",
            "extra_data": _extra(check, verdict),
        }


def _extra(check: Check, verdict: Verdict | None) -> Mapping[str, Any]:
    """Returns what programs want to know about a check; misconceptions by their ids."""
    return {
        "id": check.id,
        "verdict": verdict.verdict if verdict else "not judged",
        "mistakes": [one.id for one in verdict.misconceptions] if verdict else [],
        "seconds": round(verdict.seconds, 3) if verdict else 0,
    }


def in_words(verdict: Verdict) -> str:
    """Returns what a student reads about a check: the words of `check`."""
    if verdict.verdict in (PASSED, BLANK):
        return board.WORDS[verdict.verdict]
    text = board.explain(verdict, context=Context(page_of=in_handout))
    return f"{board.result_word(verdict)}\n\n{text}"


def clean(text: str) -> str:
    """Returns text that any reader of JSON takes, and Gradescope does not cut."""
    return plain_text(text, MOST_CHARACTERS, CUT)
