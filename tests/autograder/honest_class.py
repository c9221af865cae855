"""Classes of independent solutions, and of copies, out of the corpus's forms of each blank.

Students of such a class choose a form of each blank by themselves. Some forms are far more usual
than others, and a student's taste is the same in all blanks. They name things as they like.
"""

from __future__ import annotations

import functools
import random
import re
import textwrap
from collections.abc import Mapping

from autograder.classroom.likeness import HandIn
from autograder.classroom.winnow import names
from autograder.source.submission import given_texts
from tests.autograder.corpus import _change, all_entries, homes

USUAL = 0.55  # the chance of the most usual form of a blank; the next has that of the rest
TASTE = 0.35  # the chance that a student's taste decides
SHARE_WEAK = 0.2  # of a class in which most are right
WEAK, STRONG = (0.25, 0.4), (0.0, 0.05, 0.1)  # chances that a student leaves our solution
WORDS = (
    "x y q val vals best out tmp res target values nxt cur mask idx ones now score h obs_t".split()
)


@functools.cache
def forms(homework: str) -> Mapping[str, list[str]]:
    """Returns the different forms of each blank, ours first: right ones, and students' errors."""
    found: dict[str, dict[str, None]] = {
        blank: {body: None} for blank, (_, body) in homes(homework).items()
    }
    for entry in all_entries():
        if entry.blank in found:
            body = entry.body if entry.body is not None else homes(homework)[entry.blank][1]
            found[entry.blank][_change(_dedented(body), entry)] = None
    return {blank: list(bodies) for blank, bodies in found.items()}


def _dedented(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


@functools.cache
def given_names() -> frozenset[str]:
    return frozenset().union(*map(names, given_texts("hw3").values()))


def honest(draw: random.Random, number: int, homework: str = "hw3") -> list[HandIn]:
    """Returns a class in which nobody has copied."""
    return [student(draw, f"s{n}", homework) for n in range(number)]


def student(draw: random.Random, name: str, homework: str = "hw3") -> HandIn:
    taste, texts = draw.random(), {}
    for blank, bodies in forms(homework).items():
        place = 0
        if draw.random() < TASTE:
            place = int(taste * len(bodies))
        else:
            while place < len(bodies) - 1 and draw.random() > USUAL:
                place += 1
        texts[blank] = renamed(draw, bodies[place])
    return HandIn((name,), texts)


def mostly_right(draw: random.Random, number: int, homework: str = "hw3") -> list[HandIn]:
    """Returns a class in which most write our solution, and weak students often something else."""
    room = []
    for n in range(number):
        leaves = draw.choice(WEAK if draw.random() < SHARE_WEAK else STRONG)
        texts = {}
        for blank, bodies in forms(homework).items():
            place = int(draw.random() < leaves and len(bodies) > 1)
            while 0 < place < len(bodies) - 1 and draw.random() > USUAL:
                place += 1
            texts[blank] = renamed(draw, bodies[place])
        room.append(HandIn((f"s{n}",), texts))
    return room


def sharing_rare_texts(
    draw: random.Random, room: list[HandIn], number: int, homework: str = "hw3"
) -> list[HandIn]:
    """Returns a class of which the first two are right but for some rare texts that both have."""
    rare = {blank: bodies[3:] for blank, bodies in forms(homework).items() if bodies[3:]}
    shared = {blank: draw.choice(rare[blank]) for blank in draw.sample(sorted(rare), number)}
    texts = {blank: bodies[0] for blank, bodies in forms(homework).items()} | shared
    both = [
        HandIn((f"s{n}",), {blank: renamed(draw, text) for blank, text in texts.items()})
        for n in range(2)
    ]
    return [*both, *room[2:]]


def renamed(draw: random.Random, text: str) -> str:
    """Gives the student's own names to a text, and comments."""
    mine = sorted(names(text) - given_names())
    for old in mine:
        if re.search(rf"(?<![.\w])(?<!def ){old}\b(?!\()", text) and old.islower():
            text = re.sub(rf"(?<![.\w]){old}\b", draw.choice(WORDS) + str(draw.randrange(9)), text)
    lines = text.split("\n")
    if draw.random() < 0.3:
        lines.insert(draw.randrange(len(lines) + 1), f"# {' '.join(draw.sample(WORDS, 4))}")
    return "\n".join(lines)


def copied(draw: random.Random, source: HandIn, name: str, kept: float = 0.75) -> HandIn:
    """Returns a disguised copy: other names, comments and spaces; some blanks written anew."""
    own = student(draw, name)
    texts = {}
    for blank, text in source.texts.items():
        copy = "\n".join(f"    {line}  " for line in renamed(draw, text).split("\n"))
        texts[blank] = copy if draw.random() < kept else own.texts[blank]
    return HandIn((name,), texts)
