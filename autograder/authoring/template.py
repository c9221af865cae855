"""The files of a new blank, with what must be written marked by "..."."""

from __future__ import annotations

import json
from pathlib import Path

from autograder.misconceptions.mutation_file import SHARED

ROOT = SHARED.parent
PROBE = '''"""Asks for ...: what is tried, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from {probing} import Student, plain_array

RESULTS = "..."  # what is observed, in the plural: its dependence on each input is recorded


@dataclass(frozen=True)
class Case:
    """What the student's code is given."""

    x_n: np.ndarray


def cases(seed: int) -> Mapping[str, Case]:
    """Returns what is tried, by the name of each trial."""
    rng = np.random.default_rng([285, seed])
    usual = Case(rng.uniform(0.3, 1.7, 7) * np.resize([1, -1, -1], 7))
    return {{"usual": usual, "large": replace(usual, x_n=20 * usual.x_n)}}


def observe(student: Student, case: Case) -> dict[str, Any]:
    """Runs the student's code on one case; returns arrays by name."""
    module: Any = student.module("agents....")
    return {{"result": plain_array(module.function(case.x_n))}}
'''
MUTATIONS = """# {blank}: ... in one line.
prefix = "{name}"

[read]
SOURCE = "Author et al. year, equation ...; docs/{homework}/background.md, ..."

[generic]
result = {{array = "...", is = "the ..."}}

[at]
"..." = {{sign = "-...", right = "..."}}

[words]
sign = ["What is wrong, in one sentence.", "What it does to learning, and where to look.", "SOURCE"]
"""


def write_new(blank: str, title: str, points: int, owner: str) -> list[Path]:
    """Writes the files of a new blank, and its row in the homework's checks; returns them.

    Raises:
        FileExistsError: If one of them is there already.
        OSError: If they cannot be written.
    """
    homework, part, last = blank.split(".")
    name = f"{part}_{last}"
    folder = ROOT / homework
    probe, mutations = folder / "probes" / f"{name}.py", folder / "mutations" / f"{name}.toml"
    for file in (probe, mutations):
        if file.exists():
            raise FileExistsError(f"{file} is there already")
    for one in (folder, probe.parent, mutations.parent):
        one.mkdir(parents=True, exist_ok=True)
        if not (one / "__init__.py").exists():
            (one / "__init__.py").write_text(f'"""Homework {homework.removeprefix("hw")}."""\n')
    probe.write_text(PROBE.format(probing="autograder.running.probing"))
    mutations.write_text(MUTATIONS.format(blank=blank, name=last, homework=homework))
    checks = folder / "checks.json"
    row = {"id": blank, "title": title, "points": points, "owners": [owner]}
    row["probe"] = f"homeworks.{homework}.probes.{name}"
    _add_row(checks, json.dumps(row))
    return [probe, mutations, checks]


def _add_row(checks: Path, row: str) -> None:
    """Adds a row to the list of checks, a line each."""
    if not checks.exists():
        checks.write_text(f'{{\n "names": {{}},\n "checks": [\n  {row}\n ]\n}}\n')
        return
    head, _, tail = checks.read_text().rstrip().rpartition("\n ]\n}")
    checks.write_text(f"{head},\n  {row}\n ]\n}}{tail}\n")
