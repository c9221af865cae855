"""Measures what a misconception does to learning, for the pages of `python -m autograder explain`.

    python -m benchmarks.symptoms                       # all that symptoms.toml names
    python -m benchmarks.symptoms hw3.dqn.targets       # one blank, or several

Each misconception is written into the reference, as the grader does it, and trained from three
seeds; the reference is trained beside it. The numbers go into `autograder/symptoms/measured/`, a
file for each blank. What is there already is not measured again, unless `--again` asks for it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.misconceptions import mutants
from autograder.misconceptions.catalogue import Question, questions
from autograder.misconceptions.mutation_file import mutation_set_of

ROOT = Path(__file__).resolve().parent.parent
PLAN = Path(__file__).with_name("symptoms.toml")
MEASURED = ROOT / "autograder" / "symptoms" / "measured"
CHILD = Path(__file__).with_name("symptoms_child.py")
SEEDS = (1, 2, 3)
RIGHT = "right"
MOST_SECONDS = 3600


def setup_of(plan: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Returns a setup, with what it takes from another one."""
    own = dict(plan["setups"][name])
    return {**setup_of(plan, own.pop("like")), **own} if "like" in own else own


def question_of(blank: str) -> Question:
    """Returns the question about a blank."""
    every = questions(blank.partition(".")[0])
    return next(question for question in every if question.blank == blank)


def files_with(question: Question, misconception: str) -> Mapping[str, str]:
    """Returns the files of `cs285` with the first mutation of a misconception."""
    mutation_set = mutation_set_of(question)
    for choice in mutation_set.choices(1):
        if mutation_set.misconceptions_of(choice) == (misconception,):
            return next(mutants.written(question, choice))
    raise SystemExit(f"{question.blank} has no misconception {misconception}")


def trained(setup: Mapping[str, Any], files: Mapping[str, str]) -> list[dict[str, Any]]:
    """Trains a tree with some files changed; returns what is shown of each seed's run."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        shutil.copytree(ROOT / "cs285", tree / "cs285", ignore=lambda *_: {"__pycache__"})
        for path, text in files.items():
            (tree / "cs285" / path).write_text(text, encoding="utf-8")
        spec = {**setup, "seeds": SEEDS, "folder": str(Path(folder, "runs"))}
        done = subprocess.run(
            [sys.executable, str(CHILD), json.dumps(spec)],
            cwd=tree,
            env=_environment(tree),
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
        )
    if done.returncode:
        return [{"ended": done.stderr.strip().splitlines()[-1][:200]}]
    runs: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return runs


def _environment(tree: Path) -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}


def measure(blank: str, plan: Mapping[str, Any], again: bool) -> None:
    """Measures a blank's misconceptions, and writes its file after each of them."""
    wanted = plan["blanks"][blank]
    setup, question = setup_of(plan, wanted["setup"]), question_of(blank)
    file = MEASURED / f"{blank}.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() and not again else {}
    if known.get("setup") != setup:
        known = {"setup": setup, "runs": {}}
    for name in (RIGHT, *wanted["misconceptions"]):
        if name in known["runs"]:
            continue
        began = time.monotonic()
        known["runs"][name] = trained(setup, {} if name == RIGHT else files_with(question, name))
        order = [one for one in (RIGHT, *wanted["misconceptions"]) if one in known["runs"]]
        known["runs"] = {one: known["runs"][one] for one in order}
        write(file, known)
        print(f"{blank} {name}: {time.monotonic() - began:.0f} s", flush=True)


def write(file: Path, known: Mapping[str, Any]) -> None:
    """Writes what is measured, a line for each seed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(known, separators=(",", ":"), allow_nan=False)
    file.write_text(text.replace('{"seed"', '\n{"seed"') + "\n", encoding="utf-8")


def main() -> None:
    """Measures what the command line names."""
    plan = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("blanks", nargs="*", metavar="BLANK", help="default: all of the plan")
    parser.add_argument("--again", action="store_true", help="measure again what is there")
    args = parser.parse_args()
    for blank in args.blanks or plan["blanks"]:
        if blank not in plan["blanks"]:
            raise SystemExit(f"{PLAN.name} has no {blank}")
        measure(blank, plan, args.again)


if __name__ == "__main__":
    main()
