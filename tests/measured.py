"""How many seeds of each run that a handout asks for lie under docs/results/data.

python -m tests.measured     # brings the tables of the handouts up to date, after new runs
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from autograder.evidence.rules import RunQuestion, questions
from autograder.evidence.run_folder import Run
from autograder.evidence.settings import different, total_steps
from tests import handouts
from tests.running import ROOT

DATA = ROOT / "docs/results/data"
TABLE = re.compile(r"^\| run \| what \| seeds measured \|\n(?:\|.*\n)+", re.MULTILINE)
OLD_NAMES = {"random_steps": "start_steps"}


@cache
def runs() -> list[Run]:
    """Returns the runs of the results, with their settings under the names of today."""
    found = []
    for file in sorted(DATA.glob("hw*/config.json")):
        config: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        settings = {OLD_NAMES.get(name, name): x for name, x in config["settings"].items()}
        found.append(Run(file.parent, config["script"], settings, {}))
    return found


def answers(question: RunQuestion, run: Run) -> bool:
    """Returns whether a run is one that a question asks for; settings it lacks were not there."""
    if run.script != question.script or run.settings["env_name"] not in question.task.names:
        return False
    if question.sweep:
        return any(run.folder.match(pattern) for pattern in question.folders)
    wrong = [name for name in different(question, run) if name in run.settings]
    return not wrong and total_steps(question, run) >= question.steps


def of_portfolios(question: RunQuestion) -> Iterator[int]:
    """Yields the seeds of homework 6, whose runs are lines of one file."""
    for line in (DATA / "hw6_runs.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if f"hw6.runs.{row['run']}" == question.id and row["finished"]:
            yield row["seed"]


def seeds(question: RunQuestion) -> int:
    """Returns how many seeds of a question's run were measured."""
    own = {run.settings["seed"] for run in runs() if answers(question, run)}
    return len(own | set(of_portfolios(question)))


def table(homework: str) -> str:
    """Returns the table of a homework."""
    rows = [
        f"| `{question.id.removeprefix(f'{homework}.runs.')}` | {question.title} | "
        f"{seeds(question) or 'none yet'} |\n"
        for question in questions(homework)
    ]
    return "| run | what | seeds measured |\n|---|---|---|\n" + "".join(rows)


def page_of(homework: str) -> Path:
    """Returns the page that has the table."""
    return handouts.page(homework, "questions")


def write_tables() -> None:
    """Brings the tables up to date."""
    for homework in handouts.HOMEWORKS:
        page, now = page_of(homework), table(homework)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(TABLE.findall(text)[0], now), encoding="utf-8")


if __name__ == "__main__":
    write_tables()
