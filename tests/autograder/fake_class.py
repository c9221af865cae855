"""A class that never was, in a gradebook: 300 students with mistakes of every kind."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.results import BLANK, FAILED, GRADER_ERROR, PASSED, Misconception, Verdict
from autograder.classroom.gradebook import Gradebook, Grading, Submission
from autograder.evidence.curves import Curve
from tests.autograder.corpus import all_entries
from tests.autograder.words import words_of

HOSTILE = (
    ("<script>alert(1)</script>", "<img src=x onerror=alert(1)>"),
    ("../../etc/passwd", '"><style>@import url(http://example.com)</style>'),
    ("\u202egnp.exe", '=HYPERLINK("http://example.com","grade")'),
    ("nul\x00\x1b[2Jbell\x07", "{{ 7 * 7 }}{% raw %}"),
    ("CON", "\u0645\u0631\u064a\u0645 \u062d\u0633\u0646"),
    ("a" * 300, "Zoe\u0308 " + "long" * 60),
)
FIRST = (
    "Ada Ben Chloe Dev Eve Finn Grace Hana Ivan Jin Kofi Lena Mei Noor Omar Pia Quinn Rosa Sam Tao"
)
LAST = (
    "Adeyemi Berg Cho Diaz Evans Fuchs Garcia Haddad Ito Jansen Khan Lopez Meyer Novak Olsen Park"
)
RUNS = (
    ("hw3.runs.q1", 1e6, 200.0, 1500.0),
    ("hw3.runs.q2_doubledqn", 5e5, -150.0, 220.0),
    ("hw3.runs.q4_100_1", 1e5, 10.0, 200.0),
)
SEED = 20261114
DEADLINE = "2026-11-10T23:59:00"


def pool(name: str = "hw3") -> Mapping[str, list[Misconception]]:
    """Returns the mistakes that are known of each blank, in a fixed order."""
    known = words_of(name)
    found: dict[str, dict[str, Misconception]] = {}
    for entry in all_entries():
        for i in entry.misconceptions:
            found.setdefault(entry.judged_by, {})[i] = known[i]
    return {check: list(misconceptions.values()) for check, misconceptions in found.items()}


def verdicts(
    draw: random.Random, skill: float, misconceptions: Mapping[str, list[Misconception]]
) -> list[Verdict]:
    """Returns what the grader might say to a student of a skill between 0 and 1."""
    found = []
    gave_up = draw.random() < 0.06
    for number, check in enumerate(homeworks.checks("hw3")):
        hard = 0.04 + 0.34 * ((7 * number) % 16) / 16
        wrong = draw.random() < hard * 5 * (1 - skill) ** 1.6 and check.points > 0
        kind = FAILED if wrong else PASSED
        if gave_up and number > 8 and check.points:
            kind = BLANK
        named: tuple[Misconception, ...] = ()
        message = "not filled yet" if kind == BLANK else ""
        if kind == FAILED:
            choices = misconceptions[check.id]
            places = [
                min(int(draw.expovariate(0.55)), len(choices) - 1)
                for _ in range(1 + (draw.random() < 0.15))
            ]
            named = tuple(choices[place] for place in dict.fromkeys(places))
            if draw.random() < 0.1:
                named, message = (), "change[3, 1] is 0.21, expected 0.17 (5 of 35 differ; float32)"
        if draw.random() < 0.0008:
            kind, named, message = GRADER_ERROR, (), "WorkerError: no answer"
        points = check.points if kind == PASSED else 0
        found.append(
            Verdict(check.id, check.title, points, check.points, kind, named, message, 0.05)
        )
    return found


def curves(draw: random.Random, skill: float) -> list[Curve]:
    """Returns learning curves such as students hand in."""
    found = []
    for question, end, low, high in RUNS:
        x = [end * n / 60 for n in range(1, 61)]
        top = low + (high - low) * min(1.0, max(0.05, skill + draw.gauss(0, 0.15)))
        y = [
            low + (top - low) / (1 + math.exp(8 * (0.4 - n / 60))) + draw.gauss(0, 0.03 * high)
            for n in range(60)
        ]
        found.append(Curve(question, "seed 1", tuple(x), tuple(y)))
    return found


def fill(folder: Path, number: int = 300, hostile: bool = True) -> tuple[Gradebook, Grading]:
    """Makes the gradebook of a class."""
    draw = random.Random(285)
    book = Gradebook(folder, create=True)
    book.connection.execute("PRAGMA synchronous = OFF")
    book.set_fact("homework", "hw3")
    grading = book.begin("7f3a9c55d2e1" + "0" * 52, SEED, "2026-11-14T09:00:00+00:00")
    misconceptions, submissions, people = pool(), [], []
    for n in range(number):
        who, name = (
            f"s{3030000 + 137 * n}",
            f"{draw.choice(FIRST.split())} {draw.choice(LAST.split())}",
        )
        if hostile and n < len(HOSTILE):
            who, name = HOSTILE[n]
        people.append((who, name, f"student{n}@example.edu"))
        submissions += _handed_in(draw, n, who)
    book.set_students(people)
    book.set_submissions(submissions)
    book.connection.execute("BEGIN")
    for one in submissions:
        if one.digest and one.counts:
            skill = draw.betavariate(4, 1.6)
            for verdict in verdicts(draw, skill, misconceptions):
                book.add_verdict(one.digest, grading, verdict)
            if draw.random() < 0.8:
                _keep(book, one.digest, curves(draw, skill))
    book.connection.execute("COMMIT")
    book.finish(grading, "2026-11-14T09:06:41+00:00")
    return book, book.gradings()[0]


def _keep(book: Gradebook, digest: str, found: Sequence[Curve]) -> None:
    """Adds curves within the transaction that is open."""

    rows = [(digest, c.question, c.label, json.dumps(c.x), json.dumps(c.y)) for c in found]
    book.connection.executemany("INSERT INTO curves VALUES (?, ?, ?, ?, ?)", rows)


def _handed_in(draw: random.Random, n: int, who: str) -> list[Submission]:
    """Returns what a student handed in: mostly one thing, on time."""
    safe = f"{n:03d}.zip"
    day = 9 if draw.random() < 0.88 else draw.choice([11, 12, 13, 16])
    received = f"2026-11-{day:02d}T{draw.randrange(24):02d}:{draw.randrange(60):02d}:00+00:00"
    chance = draw.random()
    if n >= len(HOSTILE) and chance < 0.02:
        return []
    if n >= len(HOSTILE) and chance < 0.03:
        return [
            Submission(safe, who, received, None, "the zip file is corrupt: bad magic number", True)
        ]
    one = Submission(safe, who, received, f"{n:064x}", None, True)
    if chance > 0.98:
        return [
            Submission(
                f"{n:03d}-first.zip", who, "2026-11-08T10:00:00+00:00", "e" * 64, None, False
            ),
            one,
        ]
    return [one]
