"""Verdicts, the misconceptions that they name, and their layout as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from autograder.base.files import read_data

PASSED, FAILED, BLANK, GRADER_ERROR = "passed", "failed", "blank", "grader_error"
STOPPED = "stopped: "  # how the message begins where a probe was ended early


@dataclass(frozen=True)
class Misconception:
    """A mistake that the grader knows by name. None of its words is code that fixes it."""

    id: str
    title: str  # what is wrong, in one short sentence that a student understands
    explanation: str  # what it does to learning, and where to look
    # What to read: a paper's equation, a section of the handout, a page of a library.
    reference: str


@dataclass(frozen=True)
class Verdict:
    """What became of one check."""

    id: str
    title: str
    points: int
    max_points: int
    verdict: str  # one of "passed", "failed", "blank" and "grader_error"
    misconceptions: tuple[Misconception, ...] = ()
    message: str = ""  # what is to be said beyond the mistakes
    seconds: float = 0.0


@dataclass
class Report:
    """All verdicts about one submission."""

    homework: str
    # Of all checks that were asked for, whatever becomes of them: a total never shrinks.
    max_score: int
    seconds: float = 0.0
    verdicts: list[Verdict] = field(default_factory=list)
    # What is worth knowing about the submission as a whole, and costs nothing by itself.
    notes: list[str] = field(default_factory=list)

    @property
    def score(self) -> int:
        """The points that were earned."""
        return sum(verdict.points for verdict in self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        """Returns the documented layout, see docs/autograder.md."""
        return {
            "homework": self.homework,
            "score": self.score,
            "max_score": self.max_score,
            "seconds": round(self.seconds, 3),
            "notes": self.notes,
            "results": [_layout(v) for v in self.verdicts],
        }


def _layout(verdict: Verdict) -> dict[str, Any]:
    """Returns a verdict in the documented layout, which calls its misconceptions mistakes."""
    plain = {**asdict(verdict), "seconds": round(verdict.seconds, 3)}
    return {"mistakes" if key == "misconceptions" else key: value for key, value in plain.items()}


def exit_status(verdicts: Sequence[Verdict]) -> int:
    """Returns 0 if all is well, 1 if something is to be fixed, 3 if the grader itself failed."""
    found = {verdict.verdict for verdict in verdicts}
    return 3 if GRADER_ERROR in found else 1 if found & {FAILED, BLANK} else 0


def read_misconceptions(name: str) -> dict[str, Misconception]:
    """Returns the misconceptions of a JSON file of the grader's, by id."""
    return {id: Misconception(id, **words) for id, words in read_data(name).items()}
