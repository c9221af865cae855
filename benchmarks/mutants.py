"""How the grader fares with machine-made mistakes: thousands of mutants of a solved homework.

    python benchmarks/mutants.py --kinds blank --sample 200
    python benchmarks/mutants.py --write
    python benchmarks/mutants.py --homework hw6 --kinds blank --write

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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from autograder.homework import names
from autograder.worker import die_with_parent
from benchmarks.common import ROOT, command, page_of
from benchmarks.mutation.judge import Judge, digest_of
from benchmarks.mutation.operators import OPERATORS
from benchmarks.mutation.report import Fate, explanations, fate, page
from benchmarks.mutation.sites import AROUND, BLANK, GIVEN, Mutant, sites

ANSWERS = ROOT / "data" / "mutants" / "answers.jsonl"
SOURCE = "cs285/**/*.py"
TABLES = tuple(f"autograder/**/*.{kind}" for kind in ("py", "toml", "json"))
GRADER = (SOURCE, *TABLES, "tests/autograder/judging.py")
ORACLE = (SOURCE, "scripts/*.py", "scripts/*.json", "benchmarks/mutation/oracle.py")
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
    return "others" if answers["train"] and "others" not in answers else ""


def judge_all(mutants: Sequence[Mutant], answers: Answers, homework: str) -> None:
    """Asks whatever is not known yet."""
    missing = [mutant for mutant in mutants if next_stage(answers.of(mutant))]
    if not missing:
        return
    judge, began = Judge(homework), time.monotonic()
    for number, mutant in enumerate(missing, 1):
        while stage := next_stage(answers.of(mutant)):
            asked = judge.train if stage == "train" else judge.check
            answer = asked(mutant) if stage != "others" else judge.check(mutant, all_checks=True)
            answers.add(mutant, stage, answer)
        if number % 100 == 0:
            each = (time.monotonic() - began) / number
            print(f"{number} of {len(missing)}, {each:.2f} s each", file=sys.stderr, flush=True)


def in_processes(mutants: Sequence[Mutant], jobs: int, homework: str) -> None:
    """Judges in some processes side by side, each of which has a share."""
    children = []
    for share in range(jobs):
        child = os.fork()
        if child == 0:
            die_with_parent()
            judge_all(mutants[share::jobs], Answers(ANSWERS), homework)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def chosen(args: argparse.Namespace) -> Iterator[Mutant]:
    """Yields the mutants that are asked for."""
    for site in sites(args.homework):
        if site.kind in args.kinds and (not args.blanks or site.name in args.blanks):
            for mutation in site.mutations():
                if not args.operators or mutation.operator in args.operators:
                    yield Mutant(site, mutation)


def drawn(mutants: Sequence[Mutant], sample: int | None, seed: int) -> list[Mutant]:
    """Returns some of the mutants, or all, in an order in which every beginning is a fair sample.

    What students write comes first, and what is given to them last.
    """
    order = random.Random(seed).sample(list(mutants), len(mutants))
    order.sort(key=lambda mutant: (BLANK, AROUND, GIVEN).index(mutant.site.kind))
    return order if sample is None else random.Random(seed).sample(order, min(sample, len(order)))


def main() -> None:
    """Judges mutants, and reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--homework", choices=names(), default="hw3")
    parser.add_argument("--kinds", nargs="+", choices=(BLANK, AROUND, GIVEN),
                        default=[BLANK, AROUND, GIVEN])  # fmt: skip
    parser.add_argument("--blanks", nargs="+", help="names of places, such as hw3.dqn.targets")
    parser.add_argument("--operators", nargs="+", choices=OPERATORS, metavar="OPERATOR")
    parser.add_argument("--sample", type=int, help="how many to draw; all of them by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--known", action="store_true", help="judge no more, report what is known")
    parser.add_argument("--write", action="store_true", help="write the page of results")
    args = parser.parse_args()
    every = list(chosen(args))
    mutants = drawn(every, args.sample, args.seed)
    if not args.known:
        in_processes(mutants, args.jobs, args.homework)
    answers, explained = Answers(ANSWERS), explanations()
    done = [mutant for mutant in mutants if not next_stage(answers.of(mutant))]
    fates: list[Fate] = [fate(mutant, answers.of(mutant), explained) for mutant in done]
    text = page(fates, len(every), command())
    print(text)
    if args.write:
        page_of("mutants", args.homework).write_text(text)


if __name__ == "__main__":
    main()
