"""How the grader fares with machine-made mistakes: thousands of mutants of a solved homework.

    python benchmarks/mutants.py --kinds blank --sample 200
    python benchmarks/mutants.py --write
    python benchmarks/mutants.py --homework hw6 --kinds blank --write
    python benchmarks/mutants.py --blanks hw6.exp3.probs

A mutant that the checks of its place pass is trained with. It counts as equivalent only if a
training has run the very lines that it changes, and ended with the same weights and log. Status 2
and one line: there is nothing to judge, or nothing to judge it by.

Answers are kept in data/mutants, so a run that was cut goes on; those of the checks are asked for
again when source or grader change, those of the trainings when the source does. `--write` writes
docs/results/mutants.md, or mutants_hw6.md for another homework than the third.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from autograder.running.children import die_with_parent
from benchmarks.common import ROOT, command, page_of
from benchmarks.mutation.judge import Judge, NothingJudgedError, digest_of
from benchmarks.mutation.operators import OPERATORS
from benchmarks.mutation.points import (
    AROUND,
    BLANK,
    GIVEN,
    Mutant,
    MutationPoint,
    homeworks,
    points,
)
from benchmarks.mutation.report import DIFFERING, Fate, explanations, fate, page

ANSWERS = ROOT / "data" / "mutants" / "answers.jsonl"
SOURCE = "cs285/**/*.py"
TABLES = tuple(f"autograder/**/*.{kind}" for kind in ("py", "toml", "json"))
GRADER = (SOURCE, *TABLES, "tests/autograder/judging.py")
TRAININGS = tuple(f"benchmarks/mutation/{name}.py" for name in ("oracle", "scenarios", "exercise"))
ORACLE = (SOURCE, "scripts/*.py", "scripts/*.json", *TRAININGS)
STAGES = {"check": GRADER, "train": ORACLE, "others": GRADER}


class Answers:
    """What is known of mutants already, of this source and this grader."""

    def __init__(self, path: Path) -> None:
        """Reads what earlier runs left."""
        self.path = path
        self.keys = {stage: digest_of(*patterns) for stage, patterns in STAGES.items()}
        self.known: dict[str, dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        for line in path.read_text().splitlines() if path.exists() else []:
            entry = json.loads(line)
            if entry["key"] == self.keys[entry["stage"]]:
                self.known.setdefault(entry["id"], {})[entry["stage"]] = entry["answer"]

    def of(self, mutant: Mutant) -> dict[str, Any]:
        """Returns the answers for a mutant, by stage."""
        return self.known.setdefault(mutant.id, {})

    def add(self, mutant: Mutant, stage: str, answer: dict[str, Any]) -> None:
        """Keeps an answer."""
        self.of(mutant)[stage] = answer
        entry = {"id": mutant.id, "stage": stage, "key": self.keys[stage], "answer": answer}
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")


def next_stage(answers: dict[str, Any]) -> str:
    """Returns the stage that is to be asked next, or "" if all is known.

    First come the checks of the mutant's own place; if it survives them, the trainings; if these
    tell it from the reference, all other checks.
    """
    if "check" not in answers:
        return "check"
    if answers["check"].get("failed") or "died" in answers["check"]:
        return ""
    if "train" not in answers:
        return "train"
    return "others" if answers["train"]["differing"] and "others" not in answers else ""


def unknown(mutants: Sequence[Mutant], answers: Answers) -> list[Mutant]:
    """Returns the mutants of which something is not known yet."""
    return [mutant for mutant in mutants if next_stage(answers.of(mutant))]


def judge_all(mutants: Sequence[Mutant], answers: Answers, judge: Judge) -> None:
    """Asks whatever is not known yet."""
    missing, began = unknown(mutants, answers), time.monotonic()
    for number, mutant in enumerate(missing, 1):
        while stage := next_stage(answers.of(mutant)):
            asked = judge.train if stage == "train" else judge.check
            answer = asked(mutant) if stage != "others" else judge.check(mutant, all_checks=True)
            answers.add(mutant, stage, answer)
        if number % 100 == 0:
            each = (time.monotonic() - began) / number
            print(f"{number} of {len(missing)}, {each:.2f} s each", file=sys.stderr, flush=True)


def in_processes(mutants: Sequence[Mutant], jobs: int, homework: str) -> None:
    """Judges in some processes side by side, each of which has a share.

    Raises:
        NothingJudgedError: If there is nothing to judge them by, or a process failed.
    """
    if not unknown(mutants, Answers(ANSWERS)):
        return
    judge = Judge(homework)
    judge.require_trainings({mutant.point for mutant in mutants})
    children = []
    for share in range(jobs):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                die_with_parent()
                judge_all(mutants[share::jobs], Answers(ANSWERS), judge)
                status = 0
            except Exception:  # noqa: BLE001  (printed, and the parent knows it by the status)
                traceback.print_exc()
            finally:
                os._exit(status)
        children.append(child)
    if any([os.waitpid(child, 0)[1] for child in children]):
        raise NothingJudgedError("a process that judged mutants failed: not all are judged")


def homework_of(asked: str | None, blanks: Sequence[str]) -> str:
    """Returns the homework whose mutants are wanted: of the option, or of the places named.

    Raises:
        NothingJudgedError: If these name places of several homeworks, or of another.
    """
    homes = {blank: home_of(blank) for blank in blanks}
    if strange := [blank for blank, home in homes.items() if home is None]:
        raise NothingJudgedError(f"there is no place {', '.join(strange)}")
    found = {home for home in (*homes.values(), asked) if home}
    if len(found) > 1:
        raise NothingJudgedError(f"one homework at a time, not {', '.join(sorted(found))}")
    return found.pop() if found else "hw3"


def home_of(place: str) -> str | None:
    """Returns the homework that has a place: a blank, or a function of a file."""
    first = place.partition(".")[0]
    asked = [first] if first in homeworks() else list(homeworks())
    return next((name for name in asked if any(s.name == place for s in points(name))), None)


def places(homework: str, kinds: Sequence[str], blanks: Sequence[str]) -> list[MutationPoint]:
    """Returns the places that are asked for and have a check; prints which have none.

    Raises:
        NothingJudgedError: If one that is asked for by name has no check, or none has.
    """
    asked = [s for s in points(homework) if s.name in blanks or (not blanks and s.kind in kinds)]
    bare = [point.name for point in asked if not point.has_check]
    if bare and (blanks or len(bare) == len(asked)):
        raise NothingJudgedError(f"no check judges {', '.join(bare[:5])}")
    if bare:
        print(f"left out, for no check judges them: {', '.join(bare)}", file=sys.stderr)
    return [point for point in asked if point.has_check]


def chosen(points: Sequence[MutationPoint], operators: Sequence[str] | None) -> list[Mutant]:
    """Returns the mutants of some places, by some operators or all.

    Raises:
        NothingJudgedError: If there are none.
    """
    every = [Mutant(point, mutation) for point in points for mutation in point.mutations()]
    found = [m for m in every if not operators or m.mutation.operator in operators]
    if not found:
        raise NothingJudgedError("there is no such mutant")
    return found


def drawn(mutants: Sequence[Mutant], sample: int | None, seed: int) -> list[Mutant]:
    """Returns some of the mutants, or all, in an order in which every beginning is a fair sample.

    What students write comes first, and what is given to them last.
    """
    order = random.Random(seed).sample(list(mutants), len(mutants))
    order.sort(key=lambda mutant: (BLANK, AROUND, GIVEN).index(mutant.point.kind))
    return order if sample is None else random.Random(seed).sample(order, min(sample, len(order)))


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--homework", choices=list(homeworks()), help="default: that of --blanks, else hw3"
    )
    parser.add_argument(
        "--kinds", nargs="+", choices=(BLANK, AROUND, GIVEN), default=[BLANK, AROUND, GIVEN]
    )
    parser.add_argument(
        "--blanks", nargs="+", default=[], help="names of places, such as hw3.dqn.targets"
    )
    parser.add_argument("--operators", nargs="+", choices=OPERATORS, metavar="OPERATOR")
    parser.add_argument("--sample", type=int, help="how many to draw; all of them by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--known", action="store_true", help="judge no more, report what is known")
    parser.add_argument("--write", action="store_true", help="write the page of results")
    args = parser.parse_args()
    try:
        return report(args)
    except NothingJudgedError as error:
        print(error, file=sys.stderr)
        return 2


def report(args: argparse.Namespace) -> int:
    """Judges what is asked for, and prints the page; returns 1 if a mutant is not explained.

    Raises:
        NothingJudgedError: If nothing is judged.
    """
    homework = homework_of(args.homework, args.blanks)
    every = chosen(places(homework, args.kinds, args.blanks), args.operators)
    mutants = drawn(every, args.sample, args.seed)
    if not args.known:
        in_processes(mutants, args.jobs, homework)
    answers, explained = Answers(ANSWERS), explanations()
    done = [mutant for mutant in mutants if not next_stage(answers.of(mutant))]
    if not done:
        raise NothingJudgedError("no mutant is judged")
    fates: list[Fate] = [fate(mutant, answers.of(mutant), explained) for mutant in done]
    text = page(fates, len(every), command())
    print(text)
    if args.write:
        page_of("mutants", homework).write_text(text)
    return int(any(one.survives and one.kind == DIFFERING for one in fates))


if __name__ == "__main__":
    sys.exit(main())
