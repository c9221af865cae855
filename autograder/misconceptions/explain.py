"""Says what is wrong with a record: the mistakes that lead there, or how it differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autograder.base.close import close
from autograder.base.judgement import Judgement
from autograder.base.record import Record
from autograder.misconceptions.crash_names import judge_crash, left_empty
from autograder.misconceptions.lookup import oracle_for
from autograder.misconceptions.outcomes import Outcome, outcome_of
from autograder.misconceptions.question import Question
from autograder.misconceptions.search import search
from autograder.misconceptions.wording import crash_message, dependences, difference, relation

FEW = 3  # trials that are listed


def judge(question: Question, record: Record, seed: int) -> Judgement:
    """Judges a record.

    Only what equals the outcome of a right form passes, so a record in which something is missing
    never does.
    """
    verdict = Judgement()
    crashes = {name: trial.crash for name, trial in record.items() if trial.crash}
    if left_empty(record, question.blank):
        verdict.blank = True
        return verdict
    outcome = outcome_of(record)
    up = {name.rpartition("/")[2] for name, array in outcome.arrays.items() if array.any()}
    oracle = oracle_for(question, seed)
    verdict.name(*[oracle.flags[flag] for flag in oracle.flags_first if flag in up][:1])
    if not verdict.passed:
        return verdict
    found = search(oracle, record, outcome)
    if found is not None:
        verdict.name(*found.misconceptions)
        verdict.notes += list(dict.fromkeys(crash_message(crash) for crash in crashes.values()))
        return verdict
    verdict.name(*(misconception for flag, misconception in oracle.flags.items() if flag in up))
    if verdict.passed and not outcome.crashes and (rule := question.otherwise):
        rule(outcome.arrays, oracle.right.arrays, verdict)
    for crash in crashes.values() if verdict.passed else ():
        return judge_crash(crash, None, verdict)
    if verdict.passed:
        verdict.unknown += dependences(outcome.sensitivity, oracle.right.sensitivity)
        verdict.unknown.append(how_it_differs(outcome, oracle.right))
    return verdict


def how_it_differs(actual: Outcome, expected: Outcome) -> str:
    """Says where a record differs from that of our solution: first where nothing should be."""
    yours, right = actual.arrays, expected.arrays
    names = [n for n, array in right.items() if n not in yours or not close(yours[n], array)]
    if not names:
        return "more was done than should be: " + ", ".join(sorted(yours.keys() - right.keys()))
    name = min(names, key=lambda name: name not in yours or right[name].any())
    what = name.rpartition("/")[2]
    if name not in yours:
        return f"nothing was seen of {what}"
    their_relation = relation(yours[name], right[name])
    text = difference(what, yours[name], right[name])
    return text + (f"; yours is {their_relation}" if their_relation else "") + _where(names, right)


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
