"""Verdicts, and the layout that they are written in as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

PASSED, FAILED, BLANK = "passed", "failed", "blank"
SKIPPED, GRADER_ERROR = "skipped", "grader_error"
STOPPED = "stopped: "  # how the message begins where a probe was ended early


@dataclass(frozen=True)
class NamedMistake:
    """A mistake as a report shows it."""

    id: str
    title: str
    explanation: str
    reference: str


@dataclass(frozen=True)
class Verdict:
    """What became of one check."""

    id: str
    title: str
    points: int
    max_points: int
    verdict: str  # one of "passed", "failed", "blank", "skipped" and "grader_error"
    mistakes: tuple[NamedMistake, ...] = ()
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
            "results": [{**asdict(v), "seconds": round(v.seconds, 3)} for v in self.verdicts],
        }


def exit_status(verdicts: Sequence[Verdict]) -> int:
    """Returns 0 if all is well, 1 if something is to be mended, 3 if the grader itself failed."""
    found = {verdict.verdict for verdict in verdicts}
    return 3 if GRADER_ERROR in found else 1 if found & {FAILED, BLANK, SKIPPED} else 0
