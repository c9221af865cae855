"""Judges a whole agent that has trained beside ours: where the two part, and whose fault it is.

Some streams decide: weights, targets, batches, calls of the environment, names in the log. The
others only lead to the blank. The first number that differs within a step of the agent belongs to
the part whose task it is. What a call leaves behind, such as gradients that are switched off, names
the blank that has left it. Neither costs a point as long as all that decides is equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from autograder.base.checks import checks
from autograder.base.judgement import Judgement
from autograder.base.record import Record, Trial
from autograder.misconceptions import trainings
from autograder.misconceptions.crash_names import judge_crash
from autograder.misconceptions.trainings import Agent, Arrays, Difference, difference, differs
from autograder.misconceptions.wording import in_words
from autograder.running.blame import BECAUSE, MEETING
from autograder.running.traces import (
    AS_GIVEN,
    CONTRACT,
    FROZEN,
    GRADIENTS,
    KEPT,
    LEFT,
    REPLACED,
    SEEDS,
)

LEFT_BEHIND = {
    GRADIENTS: "gradients are switched off for everybody",
    FROZEN: "weights that are to learn have another requires_grad than before",
    REPLACED: "weights that are to learn are other objects than before, which no optimizer knows",
}
BEGINS = 0.1  # of the tolerance: a difference that grows slowly begins there


@np.errstate(all="ignore")
def judge(agent: Agent, record: Record, seed: int = trainings.SEED) -> Judgement:
    """Judges the trainings of a student's agent; for the first that is wrong, one blank pays.

    The seed has no part in it.
    """
    verdict = Judgement()
    trials = {name: trial for name, trial in record.items() if name != "probe"}
    for name, trial in trials.items():
        training, _, blank = name.partition(BECAUSE)
        if trial.crash and not verdict.blamed and not training.endswith(AS_GIVEN):
            found = judge_crash(trial.crash, Judgement())
            found.notes.append(f"It was raised where your whole agent trained: {training}.")
            if CONTRACT not in trial.arrays and (other := before_a_crash(agent, training, trial)):
                blank, why = other
                found.notes.append(why)
            for one in blank.split(MEETING):
                verdict.blamed[one] = found
    if not verdict.blamed:
        _judge_numbers(agent, {n: t.arrays for n, t in trials.items() if not t.crash}, verdict)
    for blank, found in verdict.blamed.items():
        verdict.name(*found.misconceptions)
        for text in (*map(in_words, found.unknown), *found.notes):
            verdict.remark(f"{blank}: {text}")
    return verdict


def before_a_crash(agent: Agent, training: str, trial: Trial) -> tuple[str, str] | None:
    """Returns the blank whose numbers were wrong just before a crash, if any were, and which."""
    theirs = trial.arrays
    last = max((array[-1, 0] for array in theirs.values() if array.ndim == 2), default=0)
    for ours in trainings.references(agent.question, training):
        found = [
            there
            for place, stream in enumerate(agent.streams)
            if (there := difference(stream, place, theirs, ours, whole=False))
            and (stream.delayed or there.time >= last - 1)
        ]
        if found:
            stream = agent.streams[min(found).place]
            return stream.blanks[0], stream.sentence()
        break
    return left_behind(agent, theirs, np.inf)


def _judge_numbers(agent: Agent, streams: Mapping[str, Arrays], verdict: Judgement) -> None:
    """Blames one blank for the first training that differs from all of ours."""
    own = [name for name, arrays in streams.items() if arrays and not name.endswith(AS_GIVEN)]
    first: tuple[str, Arrays, Difference] | None = None
    equal = []
    for name in own:
        found = differs(agent, name, streams[name])
        if found is None:
            equal.append(name)
        elif first is None:
            first = (name, *found)
    if first is None:
        return
    name, ours, where = first
    given = streams.get(f"{name}{AS_GIVEN}")
    by_given = given is not None and differs(agent, name, given) is None
    blank, text = blame(agent, streams[name], ours, where)
    text = f"{name}: {text}"
    if by_given:
        blank = ""
        text += " It is equal with the files that were given: compare your copies of those."
    if equal:
        text += f" All is equal in: {', '.join(equal)}."
    verdict.blamed[blank] = found_there = Judgement()
    found_there.remark(text)


def blame(agent: Agent, theirs: Arrays, ours: Arrays, where: Difference) -> tuple[str, str]:
    """Returns the blank that loses its points, and what is reported."""
    stream = agent.streams[where.place]
    unit, time = agent.unit, int(where.time)
    equal = f"equal until {unit} {time}" if time else f"they differ from the first {unit} on"
    total = len(ours["batch"])
    text = f"trained for {total} {unit}s with ours beside it: {equal}; then {stream.words} differs."
    if not time:
        text = f"trained with ours beside it: from the first {unit} on {stream.words} differs."
    candidates = list(stream.blanks)
    if left := left_behind(agent, theirs, where.time):
        blank, why = left
        return blank, f"{text} {why} {look_at(agent, [blank, *candidates])}"
    if cause := first_cause(agent, theirs, ours, where):
        if cause.place != where.place:
            long_before = cause.time < where.time - 1
            since = f"{unit} {int(cause.time)}" if long_before else ""
            text += f" {agent.streams[cause.place].sentence(since)}"
        blank = agent.streams[cause.place].blanks[0]
        return (
            blank,
            f"{text} {kept(agent, theirs, ours, blank)}{look_at(agent, [blank, *candidates])}",
        )
    keeps = [one for one in candidates if kept(agent, theirs, ours, one)]
    blank = keeps[0] if len(keeps) == 1 else candidates[0]
    return blank, f"{text} {kept(agent, theirs, ours, blank)}{look_at(agent, [blank, *candidates])}"


def first_cause(agent: Agent, theirs: Arrays, ours: Arrays, where: Difference) -> Difference | None:
    """Returns the earliest difference of any stream that may be the cause of one that decides.

    A tenth of the tolerance shows where a difference begins that grows slowly. What has differed
    since its first number, and for long without any effect, is no cause: another way to write it.
    """
    found = [where]
    for place, stream in enumerate(agent.streams):
        if stream.name not in theirs or not (stream.name in ours or stream.unasked):
            continue
        there = difference(stream, place, theirs, ours, share=BEGINS)
        if there is None or not there < where:
            continue
        always = there.number == 0 and there.time < where.time - 1
        if stream.decides or stream.delayed or not always:
            found.append(there)
    return min(found) if min(found) < where else None


def left_behind(agent: Agent, theirs: Arrays, time: float) -> tuple[str, str] | None:
    """Returns the blank after whose call something is not as it was, and what."""
    for name, rows in theirs.items():
        part = name.removeprefix(LEFT)
        if name == part or part not in agent.parts or rows.ndim != 2 or not len(rows):
            continue
        kind = int(rows[0, 1])
        if rows[0, 0] <= time and (what := LEFT_BEHIND.get(kind)):
            # Of several blanks of one part, the last is that which handles whole networks.
            blank = agent.parts[part][-1 if kind == REPLACED else 0]
            return blank, f"After your call of `{part}` {what}."
    return None


def kept(agent: Agent, theirs: Arrays, ours: Arrays, blank: str) -> str:
    """Returns a sentence about what a blank's code keeps from call to call; "" if nothing."""
    for part, blanks in agent.parts.items():
        names = _names(theirs.get(f"{KEPT}{part}")) - _names(ours.get(f"{KEPT}{part}"))
        left = theirs.get(f"{LEFT}{part}", np.empty((0, 2)))
        if blank in blanks and names:
            listed = ", ".join(f"`{name}`" for name in sorted(names)[:3])
            return f"Your code keeps {listed} from call to call. "
        if blank in blanks and left.ndim == 2 and (left[:, 1:] == SEEDS).any():
            return "Your code sets a generator of random numbers back. "
    return ""


def _names(rows: np.ndarray | None) -> set[str]:
    """Returns the names of attributes that a stream spells, as far as they are names."""
    found: set[str] = set()
    for row in rows if rows is not None and rows.ndim == 2 else ():
        text = "".join(chr(int(n)) for n in row[1:] if np.isfinite(n) and 32 <= n < 127)
        found |= {name for name in text.split(", ") if name.replace(".", "").isidentifier()}
    return found


def look_at(agent: Agent, blanks: Sequence[str]) -> str:
    """Returns the sentence that names a few blanks, each once."""
    titles = {check.id: check.title for check in checks(agent.question.homework)}
    named = [f"{one} ({titles.get(one, 'given')})" for one in dict.fromkeys(blanks)]
    return f"Look at: {', '.join(named[:4])}."
