"""What was found in one record, as data; what became of each check, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

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


class Relation(NamedTuple):
    """How wrong numbers come from the right ones."""

    text: str
    without_numbers: str  # the same for whoever must not learn the right ones


class Response(NamedTuple):
    """How a result changes when one input does: in the row in which two codes differ most."""

    place: str  # the input, and the row
    yours: str
    right: str
    differs: bool


@dataclass(frozen=True)
class Difference:
    """One thing that is wrong and has no name.

    Attributes:
        quantity: What is compared, such as "target_n[3]"; "" where a remark says it all.
        yours: Its value, as text.
        right: What it should be.
        secret: Whether the right value may be collected by asking again and again.
        remark: What else there is to say; it holds no right number.
        relation: How all of the student's numbers come from the right ones, if they do.
        wrong_in: Trials in which it is seen.
        right_in: Trials in which all is right.
        sizes: How large numbers are where all is right, and where it is not, if that matters.
        responses: How the results change with their inputs; `remark` says it in words then, for
            whoever must not see how ours change.
        results: What these results are called, in the plural.
    """

    quantity: str = ""
    yours: str = ""
    right: str = ""
    secret: bool = True
    remark: str = ""
    relation: Relation | None = None
    wrong_in: tuple[str, ...] = ()
    right_in: tuple[str, ...] = ()
    sizes: tuple[str, str] | None = None
    responses: tuple[Response, ...] = ()
    results: str = ""


@dataclass
class Judgement:
    """What the judge has to say about one check."""

    misconceptions: list[Misconception] = field(default_factory=list)
    unknown: list[Difference] = field(default_factory=list)  # what is wrong and has no name
    notes: list[str] = field(default_factory=list)  # worth a line, and no fault
    blank: bool = False  # the blank is not filled
    # Of a check with parts: what is wrong, by the part that it is because of; "" if none is.
    blamed: dict[str, Judgement] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """The ids of the misconceptions. With nothing unknown either, the check is passed."""
        return [misconception.id for misconception in self.misconceptions]

    def name(self, *misconceptions: Misconception) -> None:
        """Adds misconceptions, each once."""
        for one in misconceptions:
            if one not in self.misconceptions:
                self.misconceptions.append(one)

    def remark(self, text: str) -> None:
        """Adds something that is wrong and has no name, in words without a right number."""
        self.unknown.append(Difference(remark=text))

    @property
    def passed(self) -> bool:
        """Whether there is nothing to complain about."""
        return not (self.misconceptions or self.unknown or self.blank)


def judgement_of(plain: Mapping[str, Any]) -> Judgement:
    """Returns the judgement that was turned into plain values by `dataclasses.asdict`."""
    unknown = [_difference_of(one) for one in plain["unknown"]]
    return Judgement(
        [Misconception(**one) for one in plain["misconceptions"]],
        unknown,
        plain["notes"],
        plain["blank"],
        {part: judgement_of(one) for part, one in plain["blamed"].items()},
    )


def _difference_of(plain: Mapping[str, Any]) -> Difference:
    relation = plain["relation"] and Relation(*plain["relation"])
    responses = tuple(Response(*one) for one in plain["responses"])
    return Difference(**{**plain, "relation": relation, "responses": responses})


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
