"""Says what is wrong with a record: the mistakes that lead there, or how it differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autograder.core.fingerprint import told
from autograder.core.known import known_of
from autograder.core.outcomes import Outcome, outcome_of
from autograder.core.question import Question
from autograder.core.search import search
from autograder.judge import Judgement, difference, judge_crash, left_empty, tell
from autograder.numbers import close
from autograder.probing import Observation
from autograder.relations import relation

FEW = 3  # trials that are listed


def judge(question: Question, seen: Observation, seed: int) -> Judgement:
    """Judges a record.

    Only what equals the outcome of a right form passes, so a record in which something is missing
    never does.
    """
    verdict = Judgement()
    crashes = {name: trial.crash for name, trial in seen.items() if trial.crash}
    if left_empty(seen, question.blank):
        verdict.blank = True
        return verdict
    observed = outcome_of(seen)
    up = {name.rpartition("/")[2] for name, array in observed.arrays.items() if array.any()}
    known = known_of(question, seed)
    verdict.name(*[known.flags[flag] for flag in known.drawn if flag in up][:1])
    if not verdict.passed:
        return verdict
    found = search(known, seen, observed)
    if found is not None:
        verdict.name(*found.mistakes)
        verdict.notes += list(dict.fromkeys(tell(crash) for crash in crashes.values()))
        return verdict
    verdict.name(*(mistake for flag, mistake in known.flags.items() if flag in up))
    if verdict.passed and not observed.crashes and (rule := question.otherwise):
        rule(observed.arrays, known.right.arrays, verdict)
    for crash in crashes.values() if verdict.passed else ():
        return judge_crash(crash, None, verdict)
    if verdict.passed:
        verdict.unknown += told(observed.fingerprint, known.right.fingerprint)
        verdict.unknown.append(how_it_differs(observed, known.right))
    return verdict


def how_it_differs(observed: Outcome, expected: Outcome) -> str:
    """Says where a record differs from that of our solution: first where nothing should be."""
    yours, right = observed.arrays, expected.arrays
    names = [n for n, array in right.items() if n not in yours or not close(yours[n], array)]
    if not names:
        return "more was done than should be: " + ", ".join(sorted(yours.keys() - right.keys()))
    name = min(names, key=lambda name: name not in yours or right[name].any())
    what = name.rpartition("/")[2]
    if name not in yours:
        return f"nothing was seen of {what}"
    known = relation(yours[name], right[name])
    text = difference(what, yours[name], right[name])
    return text + (f"; yours is {known}" if known else "") + _where(names, right)


def _where(names: Iterable[str], right: Iterable[str]) -> str:
    """Says in which trials all is as it should be, if in any."""
    wrong = dict.fromkeys(name.partition("/")[0] for name in names)
    well = dict.fromkeys(t for name in right if (t := name.partition("/")[0]) not in wrong)
    if not well:
        return ""
    return f"; seen in {_listed(list(wrong))}; all is right in {_listed(list(well))}"


def _listed(trials: Sequence[str]) -> str:
    """Returns a few names in quotes."""
    names = [f'"{trial.replace("_", " ")}"' for trial in trials[:FEW]]
    return ", ".join(names + ["..."] * (len(trials) > FEW))
