"""What became of mutants, in tables, and one by one where that is called for."""

from __future__ import annotations

import ast
import difflib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import machine, table
from benchmarks.mutation.judge import DIFFERS
from benchmarks.mutation.operators import OPERATORS
from benchmarks.mutation.points import BLANK, GIVEN, Mutant
from tests.autograder.judging import SEED

EXPLAINED = Path(__file__).with_name("explained.json")
NAMED, UNKNOWN, HANGING = "named", "no name", "never ends"
EQUIVALENT, CRASHES, DIFFERING, MESSAGE = "equivalent", "crashes", "differs", "explained"
NOT_EXERCISED = "not exercised"
CAUGHT = (NAMED, UNKNOWN, HANGING)
CLASSES = (*CAUGHT, EQUIVALENT, NOT_EXERCISED, CRASHES, DIFFERING, MESSAGE)


@dataclass(frozen=True)
class Fate:
    """What became of one mutant.

    Attributes:
        mutant: Which.
        kind: One of `CLASSES`.
        detail: What was said, or how it trains.
    """

    mutant: Mutant
    kind: str
    detail: str

    @property
    def survives(self) -> bool:
        """Whether the checks pass it although it is another program."""
        return self.kind in (CRASHES, DIFFERING)


def fate(mutant: Mutant, answers: dict[str, Any], explained: dict[str, str]) -> Fate:
    """Decides from the answers of each stage."""
    for stage in ("check", "others"):
        answer = answers.get(stage, {})
        if "died" in answer:
            return Fate(mutant, HANGING, answer["died"])
        if answer.get("failed"):
            what = NAMED if answer["named"] else UNKNOWN
            return Fate(mutant, what, ", ".join([*answer["named"], *answer["unknown"]]))
    trained, exercised = answers["train"]["differing"], answers["train"]["exercised"]
    if not trained and not exercised:
        return Fate(mutant, NOT_EXERCISED, "no training runs what it changes")
    if not trained:
        return Fate(mutant, EQUIVALENT, f"the same after {', '.join(exercised)}")
    how = "; ".join(f"{name}: {what}" for name, what in trained.items())
    if why := explained.get(mutant.id) or reported_anyway(mutant):
        return Fate(mutant, MESSAGE, f"{why} ({how})")
    crashes = any(what != DIFFERS for what in trained.values())
    return Fate(mutant, CRASHES if crashes else DIFFERING, how)


def reported_anyway(mutant: Mutant) -> str:
    """Returns who says that a file was changed, whatever the checks see."""
    altered = "the report says that this given definition was altered"
    return altered if mutant.point.kind == GIVEN else ""


def explanations() -> dict[str, str]:
    """Returns what is known of survivors that are no mistakes, by id."""
    found: dict[str, str] = json.loads(EXPLAINED.read_text()) if EXPLAINED.exists() else {}
    return found


def change(mutant: Mutant) -> str:
    """Returns the lines that a mutant takes away and adds."""
    before = ast.unparse(ast.parse(mutant.point.code)).splitlines()
    lines = difflib.ndiff(before, mutant.mutation.text.splitlines())
    kept = (line for line in lines if line[:1] in "+-")
    return "\n".join(f"{line[0]} {line[2:].strip()}" for line in kept)


def counted(fates: Sequence[Fate], group: Callable[[Fate], str], names: Sequence[str]) -> str:
    """Returns a table of how many there are of each class, a row for each group."""
    counts = Counter((group(one), one.kind) for one in fates)
    rows = []
    for name in [*names, "all"]:
        each = [sum(n for (g, k), n in counts.items() if k == kind and name in (g, "all"))
                for kind in CLASSES]  # fmt: skip
        if sum(each):
            rows.append([name, str(sum(each)), *map(str, each)])
    return table(["", "judged", *CLASSES], rows)


def place(one: Fate) -> str:
    """Returns a mutant's blank, or what else it is made in."""
    point = one.mutant.point
    return point.name if point.kind == BLANK else point.kind


def one_by_one(fates: Sequence[Fate]) -> list[str]:
    """Returns a paragraph for each of some mutants."""
    lines = []
    for one in sorted(fates, key=lambda f: f.mutant.id):
        lines += [f"`{one.mutant.id}` {one.kind}: {one.detail.splitlines()[0][:160]}", ""]
        lines += ["```diff", change(one.mutant), "```", ""]
    return lines


def page(fates: Sequence[Fate], total: int, command: str) -> str:
    """Returns the report, by `command`; `total` mutants there are."""
    blanks = [one for one in fates if one.mutant.point.kind == BLANK]
    survivors = [one for one in fates if one.survives]
    unexercised = [one for one in fates if one.kind == NOT_EXERCISED]
    kinds = ", ".join(dict.fromkeys(one.mutant.point.kind for one in fates))
    names = list(dict.fromkeys(one.mutant.point.name for one in blanks))
    lines = [
        "# What the grader makes of machine-made mistakes",
        "",
        f"By `{command}`: {len(fates)} mutants judged of {total} "
        f"({kinds}), drawn at random, with seed {SEED}. Named: a check fails "
        "and says what the mistake is. No name: it fails, and says what it saw. Equivalent: all "
        "checks pass, and short trainings that run the changed lines end with the same weights and "
        "log, bit for bit. Not exercised: all checks pass, and no training runs the changed lines, "
        "so nothing is known of it. Crashes, differs: all "
        "checks pass, and some training fails, or ends otherwise. Explained: it ends otherwise, "
        f"and that is right, or reported in another way. {machine()}.",
        "",
        f"Survivors that crash in training: {sum(f.kind == CRASHES for f in survivors)}; that "
        f"differ and are not explained: {sum(f.kind == DIFFERING for f in survivors)}; together "
        f"{100 * len(survivors) / len(fates):.2f} % of all. Not exercised, so not counted there: "
        f"{len(unexercised)}.",
        "",
        "## By operator",
        "",
        counted(fates, lambda one: one.mutant.mutation.operator, OPERATORS),
        "",
        "## By place",
        "",
        counted(fates, place, [*sorted(names), "around a blank", GIVEN]),
        "",
        "## Neither equivalent nor explained",
        "",
        *one_by_one(survivors),
    ]
    if unexercised:
        lines += ["## Passed, and run by no training", "", *one_by_one(unexercised)]
    return "\n".join(lines).rstrip() + "\n"
