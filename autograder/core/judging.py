"""Says what is wrong with a record: the mistakes that lead there, or how it differs."""

from __future__ import annotations

from autograder.core.fingerprint import told
from autograder.core.known import Known
from autograder.core.outcomes import Outcome, outcome_of
from autograder.core.question import Question
from autograder.core.search import search
from autograder.judge import Judgement, difference, judge_crash, tell
from autograder.probing import Observation
from autograder.relations import relation


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
    known = Known(question, seed)
    for fact in question.facts:
        fact(seen, verdict)
    if not verdict.passed:
        return verdict
    found = search(known, seen, observed)
    if found is not None:
        verdict.name(*found.mistakes)
        verdict.notes += list(dict.fromkeys(tell(crash) for crash in crashes.values()))
        return verdict
    unexplained(known, observed, verdict)
    for crash in crashes.values() if verdict.passed else ():
        return judge_crash(crash, None, verdict)
    if verdict.passed:
        verdict.unknown += told(observed.fingerprint, known.right.fingerprint)
        verdict.unknown.append(how_it_differs(observed, known.right))
    return verdict


def unexplained(known: Known, observed: Outcome, verdict: Judgement) -> None:
    """Names what the probe saw by itself, or what a rule tells."""
    up = {name.rpartition("/")[2] for name, array in observed.arrays.items() if array.any()}
    verdict.name(*(mistake for flag, mistake in known.flags.items() if flag in up))
    for rule in known.question.otherwise if verdict.passed and not observed.crashes else ():
        rule(observed.arrays, known.right.arrays, verdict)


def how_it_differs(observed: Outcome, expected: Outcome) -> str:
    """Says where a record first differs from that of our solution."""
    for name, array in expected.arrays.items():
        what = name.rpartition("/")[2]
        if name not in observed.arrays:
            return f"nothing was seen of {what}"
        text = difference(what, observed.arrays[name], array)
        if not text.endswith(" agrees"):
            known = relation(observed.arrays[name], array)
            return f"{text}; yours is {known}" if known else text
    return "more was done than should be: " + ", ".join(
        sorted(observed.arrays.keys() - expected.arrays.keys())
    )
