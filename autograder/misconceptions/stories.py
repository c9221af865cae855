"""Judges a whole agent that has trained beside ours: where the two part, and whose fault it is.

Right or wrong is decided by what the world is asked, by batches, by the networks after each update,
by the log, and by what is kept. Whose fault it is: of all that was noted until then, in time, the
event at which the difference jumps most. What a part returned or left is the fault of its blank,
what it was given that of the blank that called it. Where nothing shows whose it is, nobody pays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from autograder.base.checks import blanks_of, checks, declared
from autograder.base.results import Judgement
from autograder.base.seen import Crash, Seen, case_of
from autograder.misconceptions.catalogue import Question
from autograder.misconceptions.explain import judge_crash
from autograder.misconceptions.oracle import NAMED_SEED
from autograder.misconceptions.search import oracle_for
from autograder.misconceptions.story_events import (
    Arrays,
    Event,
    event_of,
    first_beyond,
    jump,
    left_behind,
    other_kind,
    sound,
)
from autograder.misconceptions.wording import in_words
from autograder.running.story_traces import (
    AS_GIVEN,
    BECAUSE,
    BEFORE,
    BEHIND,
    FIRST,
    GIVEN,
    GRADIENT,
    HELD,
    KEEPS,
    KINDS,
    LEFT,
    RAISED_IN,
    RETURNED,
    REWRITTEN,
    WEIGHTS,
)

SEED = NAMED_SEED  # of the records of our own trainings: the seed has no part in it
DECIDE = ("log", "kept", "steps", "evaluation", "batch", "RL_Trainer.train_agent returned")
"""Streams that decide, beside the networks."""
BY_GIVEN = "It is equal with the files that were given: compare yours of those."
HANDED = ("batch", "steps", "resets", "draws")
"""Streams that the part that was running has made."""
LEFT_BEHIND = (
    "gradients are switched off for everybody",
    "weights that are to learn have another requires_grad than before",
    "weights that are to learn are other objects than before, which no optimizer knows",
    "two networks share weights",
    "a network has hooks that it did not have before",
)
"""What a call may leave behind, in the order of its row."""


class Training(NamedTuple):
    """What was seen of a training."""

    arrays: Arrays
    crash: Crash | None


class Agent:
    """How the trainings of one agent are judged."""

    def __init__(self, question: Question) -> None:
        """Reads the part of its file that says which streams there are."""
        tables = declared(f"autograder.{question.probe}") or {}
        self.question = question
        self.blanks = blanks_of(tables["parts"])
        self.parts, self.free = [*self.blanks], tables.get("else", {})
        self.networks = [*tables["networks"]]
        self.trainings: dict[str, dict[str, Any]] = tables["trainings"]
        decide = [f"{name}{WEIGHTS}" for name in self.networks]
        self.decide = {*decide, *DECIDE, *tables["story"].get("decides", ())}

    def known(self, seen: Seen) -> dict[str, Training]:
        """Returns its own trainings: a student's process may send others, as any text."""
        lines = ("", *(check.id for check in checks(self.question.homework)))
        ends = {"", *(f"{BECAUSE}{blank}" for blank in lines)}
        ends |= {f"{AS_GIVEN}{end}" for end in ends}
        every = {f"{training}{end}" for training in self.trainings for end in ends}
        names = dict.fromkeys([*map(case_of, seen.arrays), *seen.crashes])
        return {
            name: Training(sound(seen.of(name)), seen.crashes.get(name))
            for name in names
            if name in every
        }

    def references(self, training: str) -> Iterator[Arrays]:
        """Yields the streams of our own training, of each accepted form."""
        for entry in oracle_for(self.question, SEED).right_forms():
            yield entry.of(training)

    def differs(self, training: str, theirs: Arrays) -> tuple[Arrays, Event] | None:
        """Returns the form of ours that a training equals for longest, and where it differs.

        None: it equals one of them.
        """
        best: tuple[Arrays, Event] | None = None
        for ours in self.references(training):
            found = self._decisive(theirs, ours)
            if found is None:
                return None
            if best is None or found.number > best[1].number:
                best = ours, found
        return best

    def _decisive(self, theirs: Arrays, ours: Arrays) -> Event | None:
        """Returns the first event by which an agent is wrong; None if it is right."""
        streams = self.decide & ours.keys()
        found = (first_beyond(stream, theirs, ours) for stream in streams)
        return min((event for event in found if event), default=None)

    def whose(self, cause: Event) -> tuple[str, str]:
        """Returns the blank whose fault an event is, "" where nothing shows it; and a sentence."""
        part, what = cause.stream, ""
        for name in self.parts:
            if cause.stream.startswith(f"{name} "):
                part, what = name, cause.stream.removeprefix(f"{name} ")
        by_a_part = 0 <= cause.caller < len(self.parts)
        by_a_part = by_a_part and (what.startswith(GIVEN) or part in HANDED)
        if part in self.blanks and not what.startswith(GIVEN):
            blank, why = self.blanks[part], f"`{part}` {of_result(what, cause.column)}"
        elif by_a_part:
            caller = self.parts[cause.caller]
            to = f"to `{part}`" if what else f"on: the {part}"
            blank, why = self.blanks[caller], f"`{caller}` handed something else {to}"
        else:
            where = in_plain_words(cause.stream)
            blank, why = self.free.get(part, ""), f"there is a difference in {where}"
        unknown = "" if blank else ", and nothing shows whose fault that is"
        return blank, f"In update {cause.time + 1} {why}{unknown}."


def in_plain_words(stream: str) -> str:
    """Returns what a stream describes, as part of a sentence."""
    part, returned, _ = stream.partition(f" {RETURNED}")
    if returned:
        return f"what `{part}` returned"
    kept = stream == "kept"
    return "what is kept from call to call" if kept else f"the {stream.removesuffix(WEIGHTS)}"


def of_result(what: str, column: int) -> str:
    """Returns what a part did that was given what ours was given, as the end of a sentence."""
    kind, _, more = what.partition(" ")
    if what == BEHIND:
        return f"was called, and after that {LEFT_BEHIND[min(column, len(LEFT_BEHIND) - 1)]}"
    if kind == KEEPS:
        return "keeps more from call to call"
    did = {
        BEFORE: "changed what it had returned before",
        f"{LEFT}{WEIGHTS}": "changed the weights of a network in another way",
        GRADIENT: "returned something with another gradient",
        RETURNED: "returned something else",
        f"{RETURNED}{KINDS}": "returned another kind of thing",
        LEFT: "changed what it was given",
    }.get(what)
    if HELD in f" {more}":
        did = f"left `{more}` otherwise"
    did = did or f"changed the {more.removesuffix(WEIGHTS)} in another way"
    return f"was given what ours was given, and {did}"


@np.errstate(all="ignore")
def judge(question: Question, seen: Seen, seed: int = SEED) -> Judgement:
    """Judges the trainings of a student's agent; of those that are wrong, one blank pays.

    It is that of the first one that shows whose fault it is. The seed has no part in it.
    """
    agent, wrong, equal = Agent(question), list[tuple[str, Judgement]](), list[str]()
    trainings = agent.known(seen)
    for name in sorted(trainings, key=lambda name: shows_least(agent, name)):
        if AS_GIVEN in name:
            continue
        training, crashed, line = name.partition(BECAUSE)
        is_wrong = of_crash if crashed else of_numbers
        if (found := is_wrong(agent, training, line, trainings[name])) is None:
            equal.append(training)
            continue
        blank, what = found
        if is_right(agent, training, trainings):
            blank = ""
            what.notes.append(BY_GIVEN)
        if equal:
            what.notes.append(f"All is equal in: {', '.join(equal)}.")
        wrong.append((blank, what))
        if blank:
            break
    return verdict_of(*wrong[-1] if wrong[-1][0] else wrong[0]) if wrong else Judgement()


def verdict_of(blank: str, what: Judgement) -> Judgement:
    """Returns the judgement of an agent by which a blank pays, "" for nobody."""
    verdict = Judgement(blamed={blank: what})
    verdict.name(*what.misconceptions)
    for text in (*map(in_words, what.unknown), *what.notes):
        verdict.remark(f"{blank}: {text}")
    return verdict


def shows_least(agent: Agent, name: str) -> bool:
    """Returns whether a trial is the crash of a free training, which has no numbers before it."""
    training, crashed, _ = name.partition(BECAUSE)
    return bool(crashed) and agent.trainings[training].get("free", False)


def is_right(agent: Agent, training: str, trainings: Mapping[str, Training]) -> bool:
    """Returns whether a training is right with the files that were given around the blanks."""
    found = trainings.get(f"{training}{AS_GIVEN}")
    return found is not None and agent.differs(training, found.arrays) is None


def of_numbers(agent: Agent, training: str, _: str, seen: Training) -> tuple[str, Judgement] | None:
    """Returns the blank whose fault a difference is, and what is reported; None if all is equal."""
    theirs = seen.arrays
    if (differs := agent.differs(training, theirs)) is None:
        return None
    ours, decides = differs
    since = "different from the first update on"
    if decides.time:
        since = f"equal until update {decides.time}"
    where = in_plain_words(decides.stream)
    text = f"{training}: trained with ours beside it: {since}. The first difference is in {where}."
    cause = jump(theirs, ours, decides.number) or decides
    if decides.stream == "kept":
        cause = grows(agent, theirs, ours) or cause
    blank, why = agent.whose(cause)
    found = Judgement()
    found.remark(f"{text} {why}{look_at(agent, blank)}")
    return blank, found


def of_crash(
    agent: Agent, training: str, line: str, seen: Training
) -> tuple[str, Judgement] | None:
    """Returns the blank whose fault a crash is: of an event before, or where it was raised.

    `line`: the blank on whose line that was. Where the part that raised was given another kind of
    thing than ours, it is the fault of the part that returned that.
    """
    assert seen.crash is not None
    ours = next(agent.references(training))
    known = {*ours, RAISED_IN, REWRITTEN}  # no name that a student's process has made up
    theirs = {name: array for name, array in seen.arrays.items() if name in known}
    found = judge_crash(seen.crash, Judgement())
    found.notes.append(f"It was raised where your whole agent trained: {training}.")
    number = int(theirs[RAISED_IN][0, FIRST]) if RAISED_IN in theirs else -1
    inside = agent.parts[number] if 0 <= number < len(agent.parts) else ""
    cause = left_behind(theirs) or jump(theirs, ours)
    if cause is None and (not line or f"{inside} {GIVEN}{KINDS}" in theirs):
        kinds = (other_kind(one, theirs, ours[one]) for one in ours if one.endswith(KINDS))
        cause = min((event for event in kinds if event), default=None)
    blank, why = agent.whose(cause) if cause else ("", "")
    if blank:
        found.notes.append(why)
        return blank, found
    blank = line or agent.blanks.get(inside, "")
    if not blank and REWRITTEN in theirs:
        return None
    if not blank:
        found.notes.append("Nothing shows whose fault it is.")
    return blank, found


def grows(agent: Agent, theirs: Arrays, ours: Arrays) -> Event | None:
    """Returns the innermost part whose calls keep more than those of ours."""
    found = list[tuple[float, Event]]()
    for part in agent.parts:
        stream = f"{part} {KEEPS}"
        its, mine = (side.get(stream, np.zeros((0, 4))) for side in (theirs, ours))
        if (more := its[:, FIRST].sum() - mine[:, FIRST].sum()) > 0:
            found.append((-more, event_of(stream, int(np.argmax(its[:, FIRST] > 0)), its)))
    return min(found)[1] if found else None


def look_at(agent: Agent, blank: str) -> str:
    """Returns the sentence that names a blank."""
    titles = {check.id: check.title for check in checks(agent.question.homework)}
    return f" Look at: {blank} ({titles[blank]})." if blank in titles else ""
