"""A check: one blank of a homework, the probe that watches it and the answer that judges it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from autograder.judge import Judgement
from autograder.probing import Observation
from autograder.records import malformed, missing, strange

LEVELS = ("formula", "probe", "learn")
Judge = Callable[[Observation, int], Judgement]


@dataclass(frozen=True)
class Check:
    """One line of the score board.

    Attributes:
        id: The blank's id, such as "hw3.dqn.targets"; for other checks, one in the same style.
        title: What the blank is for, in a few words.
        points: What it counts; 0 for parts that were given to students: shown only if they fail.
        owners: Files that must be the student's own, as paths within `cs285`.
        probe: "module:function" below `autograder`, called with a `Student` and a seed.
        answer: "module:function" below `autograder`, a `Judge`.
        level: One of `LEVELS`.
        needs: Blanks that must be right for this check to mean anything.
        seconds: Most time that the probe may take.
        parts: Blanks whose bodies this check runs together: it may fail them once all have passed.
    """

    id: str
    title: str
    points: int
    owners: tuple[str, ...]
    probe: str
    answer: str
    level: str = "formula"
    needs: tuple[str, ...] = ()
    seconds: float = 10.0
    parts: tuple[str, ...] = ()

    @property
    def full_probe(self) -> str:
        """The probe's place, from the top."""
        return f"autograder.{self.probe}"

    def judge(self, seen: Observation, seed: int) -> Judgement:
        """Judges what the probe saw; nothing passes without the evidence of it."""
        module, function = self.answer.split(":")
        judge: Judge = getattr(importlib.import_module(f"autograder.{module}"), function)
        try:
            judgement = judge(seen, seed)
        except Exception as error:
            what = missing(self.id, seen) or malformed(self.id, seen) or strange(seen, error)
            if what is None:
                raise  # the record is as it should be, so the fault is ours
            return Judgement(unknown=[what])
        if judgement.passed and (what := missing(self.id, seen)):
            judgement.unknown.append(what)
        return judgement


def formula(blank: str, title: str, points: int, owners: tuple[str, ...], name: str) -> Check:
    """Returns the check of a blank whose probe and answer are in two files of one name."""
    homework = blank.partition(".")[0]
    places = f"{homework}.probes.{name}:probe", f"{homework}.answers.{name}:QUESTION"
    return Check(blank, title, points, owners, *places)
