"""Answers about parts that run together: nothing may be raised that is raised in no part alone."""

from __future__ import annotations

from autograder.base.judgement import Judgement
from autograder.base.record import Record
from autograder.misconceptions.crash_names import judge_crash
from autograder.misconceptions.wording import in_words
from autograder.running.blame import BECAUSE, MEETING


def judge_together(record: Record, seed: int) -> Judgement:
    """Judges the student's own parts: of each that is to blame, the first crash is reported."""
    verdict = Judgement()
    for name, trial in record.items():
        game, _, blanks = name.partition(BECAUSE)
        for blank in blanks.split(MEETING):
            if not trial.crash or blank in verdict.blamed:
                continue
            verdict.blamed[blank] = found = judge_crash(trial.crash, None, Judgement())
            found.notes.append(f"It was raised where your own parts ran together: {game}.")
            verdict.name(*found.misconceptions)
            for text in (*map(in_words, found.unknown), *found.notes):
                verdict.remark(f"{blank}: {text}")
    return verdict
