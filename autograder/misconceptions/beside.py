"""Judges a whole agent that has trained beside ours: where the two part, and whose fault it is.

Our own run is known as records: predicted, or in a handout's table. Of accepted forms that lead to
other numbers, each has a record, and a training is right if it equals one of them.

Some streams decide: weights, targets, batches, calls of the environment, names in the log. The
others only lead to the blank. The first number that differs within a step of the agent belongs to
the part whose task it is. What a call leaves behind, such as gradients that are switched off, names
the blank that has left it. Neither costs a point as long as all that decides is equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.base.checks import checks
from autograder.base.judgement import Judgement
from autograder.base.record import Record, Trial
from autograder.misconceptions.crash_names import judge_crash
from autograder.misconceptions.lookup import oracle_for
from autograder.misconceptions.question import Question
from autograder.misconceptions.wording import in_words

SEED = 0  # of the records of our own run: the seed has no part in it
TOLERANCE = 1e-2  # of the distance moved, or of a stream's largest number
SMALLEST = 1e-6  # differences below are none
BECAUSE, AS_GIVEN = " because of ", " (with the files that were given)"  # in names of trials
CONTRACT = "a contract is broken"  # an array of a crash whose blank is known for sure
LEFT, KEPT = "left: ", "kept: "  # and in names of streams
LEFT_BEHIND = {
    1: "gradients are switched off for everybody",
    2: "weights that are to learn have another requires_grad than before",
}
SEEDED = 3  # a generator of random numbers was set back


@dataclass(frozen=True)
class Stream:
    """Numbers of a training, in the order in which a step of the agent makes them.

    Attributes:
        name: As in the record.
        words: What it is, as the subject of "differs".
        blanks: Those that may be at fault; the first one's task it is to make it right.
        decides: Whether a difference makes the training wrong.
        moved: Whether it is compared by the distance that our own has moved.
        delayed: Whether it may be long before a difference has any effect: it lies in a memory.
    """

    name: str
    words: str
    blanks: tuple[str, ...]
    decides: bool = False
    moved: bool = False
    delayed: bool = False


@dataclass(frozen=True)
class Agent:
    """How the trainings of one agent are judged.

    Attributes:
        question: Whose oracle has the records of our own.
        streams: In the order of a step.
        parts: The blanks whose body a part runs, by the part's name.
        unit: What the time counts, as a singular noun.
    """

    question: Question
    streams: Sequence[Stream]
    parts: Mapping[str, tuple[str, ...]]
    unit: str = "step"


@dataclass(frozen=True, order=True)
class Difference:
    """Where a stream first differs: at a time, in a place of the order."""

    time: float
    place: int
    number: int  # of the row


Arrays = Mapping[str, np.ndarray]


def judge(agent: Agent, record: Record) -> Judgement:
    """Judges the trainings of a student's agent; for the first that is wrong, one blank pays."""
    verdict = Judgement()
    trials = {name: trial for name, trial in record.items() if name != "probe"}
    for name, trial in trials.items():
        training, _, blank = name.partition(BECAUSE)
        if trial.crash and not verdict.blamed and not training.endswith(AS_GIVEN):
            found = judge_crash(trial.crash, None, Judgement())
            found.notes.append(f"It was raised where your whole agent trained: {training}.")
            if CONTRACT not in trial.arrays and (other := before_a_crash(agent, training, trial)):
                blank, why = other
                found.notes.append(why)
            verdict.blamed[blank] = found
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
    for ours in references(agent.question, training):
        found = [
            there
            for place, stream in enumerate(agent.streams)
            if (there := difference(stream, place, theirs, ours, whole=False))
            and (stream.delayed or there.time >= last - 1)
        ]
        if found:
            stream = agent.streams[min(found).place]
            return stream.blanks[0], f"Just before, {stream.words} differs."
        break
    return left_behind(agent, theirs, np.inf)


def _judge_numbers(agent: Agent, trainings: Mapping[str, Arrays], verdict: Judgement) -> None:
    """Blames one blank for the first training that differs from all of ours."""
    own = [name for name in trainings if not name.endswith(AS_GIVEN)]
    first: tuple[str, Arrays, Difference] | None = None
    equal = []
    for name in own:
        found = differs(agent, name, trainings[name])
        if found is None:
            equal.append(name)
        elif first is None:
            first = (name, *found)
    if first is None:
        return
    name, ours, where = first
    given = trainings.get(f"{name}{AS_GIVEN}")
    by_given = given is not None and differs(agent, name, given) is None
    blank, text = blame(agent, trainings[name], ours, where)
    text = f"{name}: {text}"
    if by_given:
        blank = ""
        text += " It is equal with the files that were given: compare your copies of those."
    if equal:
        text += f" All is equal in: {', '.join(equal)}."
    verdict.blamed[blank] = found_there = Judgement()
    found_there.remark(text)


def differs(agent: Agent, training: str, theirs: Arrays) -> tuple[Arrays, Difference] | None:
    """Returns the record of ours that a training equals for longest, and where it differs.

    None: it equals one of them.
    """
    best: tuple[Arrays, Difference] | None = None
    for ours in references(agent.question, training):
        found = decisive(agent, theirs, ours)
        if found is None:
            return None
        if best is None or found > best[1]:
            best = ours, found
    return best


def references(question: Question, training: str) -> Iterator[Arrays]:
    """Yields the streams of our own run of a training, of each accepted form."""
    for entry in oracle_for(question, SEED).right_forms():
        prefix = f"{training}/"
        arrays = entry.outcome.arrays
        found = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
        if found:
            yield found


def decisive(agent: Agent, theirs: Arrays, ours: Arrays) -> Difference | None:
    """Returns the first difference in a stream that decides; None if there is none."""
    found = [
        where
        for place, stream in enumerate(agent.streams)
        if stream.decides and (where := difference(stream, place, theirs, ours))
    ]
    return min(found, default=None)


def difference(
    stream: Stream, place: int, theirs: Arrays, ours: Arrays, whole: bool = True
) -> Difference | None:
    """Returns where a stream first differs from ours; None if nowhere.

    `whole`: it differs as well where it is shorter or longer than ours.
    """
    mine, its = ours.get(stream.name), theirs.get(stream.name)
    if mine is None or its is None or its.ndim != 2 or its.dtype.kind not in "biuf":
        same = not whole or (mine is None and its is None)
        return None if same else Difference(0, place, 0)
    rows, size = min(len(mine), len(its)), scale(stream, mine)
    width = min(mine.shape[1], its.shape[1])
    wrong = np.zeros(rows, bool)
    if rows:
        a, b = its[:rows, :width], mine[:rows, :width]
        wrong |= a[:, 0] != b[:, 0]
        with np.errstate(invalid="ignore", over="ignore"):
            off = a[:, 1:] - b[:, 1:]
            if stream.moved:
                wrong |= ~(np.linalg.norm(off, axis=1) <= TOLERANCE * size[:rows, 0] + SMALLEST)
            else:
                wrong |= ~(np.abs(off) <= TOLERANCE * size[:rows, : width - 1] + SMALLEST).all(1)
    if wrong.any():
        number = int(np.argmax(wrong))
        return Difference(min(its[number, 0], mine[number, 0]), place, number)
    if whole and len(mine) != len(its):
        longer = mine if len(mine) > len(its) else its
        return Difference(float(longer[rows, 0]), place, rows)
    return None


def scale(stream: Stream, ours: np.ndarray) -> np.ndarray:
    """Returns by what differences are measured, for each row.

    It is the distance that ours has moved at most so far, or the largest number of each column.
    """
    if stream.moved:
        moved = np.linalg.norm(ours[:, 1:], axis=1)
        return np.maximum.accumulate(moved)[:, None]
    return np.broadcast_to(np.abs(ours[:, 1:]).max(0, initial=0), ours[:, 1:].shape)


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
            text += f" Just before, {agent.streams[cause.place].words} differs."
        blank = agent.streams[cause.place].blanks[0]
        return blank, f"{text} {kept(agent, theirs, ours, blank)}{look_at(agent, [blank, *candidates])}"
    keeps = [one for one in candidates if kept(agent, theirs, ours, one)]
    blank = keeps[0] if len(keeps) == 1 else candidates[0]
    return blank, f"{text} {kept(agent, theirs, ours, blank)}{look_at(agent, [blank, *candidates])}"


def first_cause(
    agent: Agent, theirs: Arrays, ours: Arrays, where: Difference
) -> Difference | None:
    """Returns the earliest difference of any stream that may be the cause of one that decides.

    What has differed for long without any effect is no cause: another way to write it.
    """
    found = []
    for place, stream in enumerate(agent.streams):
        if stream.decides or stream.name not in theirs or stream.name not in ours:
            continue
        there = difference(stream, place, theirs, ours)
        recent = stream.delayed or (there and there.time >= where.time - 1)
        if there and recent and there < where:
            found.append(there)
    return min(found, default=None)


def left_behind(agent: Agent, theirs: Arrays, time: float) -> tuple[str, str] | None:
    """Returns the blank after whose call something is not as it was, and what."""
    for name, rows in theirs.items():
        part = name.removeprefix(LEFT)
        if name == part or part not in agent.parts or rows.ndim != 2 or not len(rows):
            continue
        if rows[0, 0] <= time and (what := LEFT_BEHIND.get(int(rows[0, 1]))):
            return agent.parts[part][0], f"After your call of `{part}` {what}."
    return None


def kept(agent: Agent, theirs: Arrays, ours: Arrays, blank: str) -> str:
    """Returns a sentence about what a blank's code keeps from call to call; "" if nothing."""
    for part, blanks in agent.parts.items():
        names = _names(theirs.get(f"{KEPT}{part}")) - _names(ours.get(f"{KEPT}{part}"))
        left = theirs.get(f"{LEFT}{part}", np.empty((0, 2)))
        if blank in blanks and names:
            listed = ", ".join(f"`{name}`" for name in sorted(names)[:3])
            return f"Your code keeps {listed} from call to call. "
        if blank in blanks and left.ndim == 2 and (left[:, 1:] == SEEDED).any():
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
    titles: dict[str, Any] = {check.id: check.title for check in checks(agent.question.homework)}
    named = [f"{one} ({titles.get(one, 'given')})" for one in dict.fromkeys(blanks)]
    return f"Look at: {', '.join(named[:4])}."
