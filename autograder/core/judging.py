"""Finds the fewest mistakes that lead to what a probe saw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from autograder.core.fingerprint import told
from autograder.core.outcomes import (
    Entry,
    Outcome,
    Outcomes,
    calls_of,
    flags_of,
    outcome_of,
    with_one_more,
)
from autograder.core.question import Question
from autograder.judge import Judgement, difference, judge_crash, tell
from autograder.probing import Observation

NEAR = 3  # pairs of mistakes that are tried with a third: those that explain most


def judge(question: Question, seen: Observation, seed: int) -> Judgement:
    """Judges a record.

    Only what equals the outcome of a right form passes, so a record in which something is missing
    never does.
    """
    verdict = Judgement()
    crashes = {name: trial.crash for name, trial in seen.items() if trial.crash}
    if any(crash.blank == question.blank for crash in crashes.values()):
        verdict.blank = True
        return verdict
    observed = outcome_of(seen)
    known = Outcomes(question, seed)
    for fact in question.facts:
        fact(seen, verdict)
    if not verdict.passed:
        return verdict
    found = search(question, seen, observed, known)
    if found is not None:
        verdict.name(*found.mistakes)
        verdict.notes += list(dict.fromkeys(tell(crash) for crash in crashes.values()))
        return verdict
    unexplained(question, observed, known, verdict)
    for crash in crashes.values() if verdict.passed else ():
        return judge_crash(crash, None, verdict)
    if verdict.passed:
        right = known.with_mistakes(0)[0].outcome
        verdict.unknown += told(observed.fingerprint, right.fingerprint)
        verdict.unknown.append(how_it_differs(observed, right))
    return verdict


def unexplained(question: Question, observed: Outcome, known: Outcomes, verdict: Judgement) -> None:
    """Names what the probe saw by itself, or what a rule tells."""
    up = {name.rpartition("/")[2] for name, array in observed.arrays.items() if array.any()}
    verdict.name(*(mistake for flag, mistake in flags_of(question).items() if flag in up))
    for rule in question.otherwise if verdict.passed and not observed.crashes else ():
        rule(observed.arrays, known.with_mistakes(0)[0].outcome.arrays, verdict)


def search(
    question: Question, seen: Observation, observed: Outcome, known: Outcomes
) -> Entry | None:
    """Returns the fewest mistakes that lead to what was observed; None if nothing does."""
    # What crashes everywhere hides all else; and no mistakes lead to a record with trials missing.
    trials = known.with_mistakes(0)[0].outcome.trials
    most = 1 if observed.crashes.keys() >= trials or observed.trials != trials else question.most
    calls = calls_of(question)
    for loosely in (False, True) if observed.crashes else (False,):
        for number in range(1 if loosely else 0, most + 1):
            entries = [e for e in known.with_mistakes(number) if fits_lines(e, calls, seen)]
            found = explaining(observed, entries, loosely)
            if found is not None:
                return found
    if most < 2:
        return None
    alone, pairs = known.with_mistakes(1), known.with_mistakes(2)
    shared = max((entry.outcome.shared(observed) for entry in alone), default=0)
    near = [pair for pair in pairs if pair.outcome.shared(observed) > shared]
    near.sort(key=lambda pair: -pair.outcome.shared(observed))
    for pair in near[:NEAR]:
        found = explaining(observed, with_one_more(question, known.seed, pair), loosely=False)
        if found is not None:
            return found
    return None


def explaining(observed: Outcome, entries: Iterable[Entry], loosely: bool) -> Entry | None:
    """Returns the first of the outcomes that is what was observed."""
    return next((entry for entry in entries if entry.outcome.agrees(observed, loosely)), None)


def fits_lines(entry: Entry, calls: Mapping[str, str], seen: Observation) -> bool:
    """Tells whether lines that raised something have the names that an entry's mistakes want."""
    names = [calls[mistake] for mistake in entry.mistakes if mistake in calls]
    lines = [trial.crash.source for trial in seen.values() if trial.crash]
    return not lines or all(any(name in line for line in lines) for name in names)


def how_it_differs(observed: Outcome, expected: Outcome) -> str:
    """Says where a record first differs from that of our solution."""
    for name, array in expected.arrays.items():
        what = name.rpartition("/")[2]
        if name not in observed.arrays:
            return f"nothing was seen of {what}"
        text = difference(what, observed.arrays[name], array)
        if not text.endswith(" agrees"):
            return text
    return "more was done than should be: " + ", ".join(
        sorted(observed.arrays.keys() - expected.arrays.keys())
    )
