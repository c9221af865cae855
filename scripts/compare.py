"""Compares experiments honestly: means, intervals, and what so few seeds can tell; with a page.

python scripts/compare.py data/bench
python scripts/compare.py data/hw4_q1_* data/hw4_q2_* data/hw4_q3_* -o pendulum.html
"""

from __future__ import annotations

import dataclasses
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from experiments import Run, group_runs, load_runs  # type: ignore[import-not-found]
from plot import columns  # type: ignore[import-not-found]

from cs285.infrastructure.base.config import UserError, cli, flag, operand, parse_config
from cs285.infrastructure.logging.plotting import curve
from studies import page, study
from studies.comparison import Comparison, Curve

BY = ("experiment", "algorithm")
Table = dict[str, dict[str, list[Curve]]]


@dataclasses.dataclass(frozen=True)
class CompareConfig:
    """The flags of this script."""

    run_dirs: tuple[str, ...] = operand("STUDY", "a study's folder, or folders of runs", many=True)
    output: str = flag("comparison.html", "the page", "-o")
    x: str = flag(None, "column across; default: Train_EnvstepsSoFar, or else Step")
    y: str = flag(None, "column to compare; default: the study's, or Eval_AverageReturn, ...")
    by: str = flag("experiment", "what a method is", choices=BY)
    title: str = flag(None, "heading; default: the study's name, or the environments")
    seed: int = flag(0, "of the bootstrap", low=0)


def run_dirs(given: Sequence[str]) -> tuple[list[str], str | None, str | None]:
    """Returns the folders of runs, and of a study its name and the column that it compares."""
    found: list[str] = []
    name = column = None
    for text in given:
        folder = Path(text)
        if (folder / study.FILE).is_file():
            described = study.read(folder)
            name, column = described.name, str(described.compare["measure"])
            found += sorted(str(inner.parent) for inner in folder.glob("*/config.json"))
            if not found:
                command = shlex.join(["python", "scripts/run.py", "study", str(folder)])
                raise UserError(f"{folder} holds no runs yet: {command}")
        else:
            found.append(text)
    return found, name, column


def table_of(runs: Sequence[Run], by: str, x_name: str, y_name: str) -> Table:
    """Returns task -> method -> a curve for each seed."""
    table: Table = {}
    for task in dict.fromkeys(str(run.settings["env_name"]) for run in runs):
        groups = group_runs([run for run in runs if run.settings["env_name"] == task])
        for label, members in groups.items():
            for run in members:
                method = label if by == "experiment" else algorithm(run)
                curves = table.setdefault(task, {}).setdefault(method, [])
                curves.append(curve(run.log, x_name, y_name))
    return table


def algorithm(run: Run) -> str:
    """Returns what the script that made a run is called in short."""
    return str(run.script).split("_", 2)[-1] if "_" in str(run.script) else str(run.script)


def tell(comparison: Comparison) -> None:
    """Prints the tables and the warnings."""
    for task in comparison.tasks:
        rows = page.rows(comparison, comparison.on(task))
        heads = {
            "method": task,
            "seeds": "seeds",
            "final": "final",
            "iqm": "IQM",
            "area": "all steps",
        }
        width = {k: max(len(h), *(len(str(r[k])) for r in rows)) for k, h in heads.items()}
        for row in [heads, *rows]:
            print("  ".join(f"{row[key]!s:{width[key]}}" for key in heads).rstrip())
        print()
    for one in comparison.improvements():
        print(f"{one.method} above {one.other}: {one.chance}, {one.says}")
    for line in comparison.warnings():
        print(f"note: {line}")


@cli
def main(argv: Sequence[str]) -> int:
    """Compares what the command line names; returns the exit status."""
    args, _ = parse_config(CompareConfig, argv, "Compares experiments, with intervals and a page.")
    output = Path(args.output)
    if output.suffix != ".html" or not output.parent.is_dir():
        raise UserError(f"-o {output}: name a file .html in a folder that is there")
    folders, name, column = run_dirs(args.run_dirs)
    runs = load_runs(folders)
    wanted = args.y or column
    x_name, (y_name, *_) = columns(runs, args.x, [wanted] if wanted else None)
    table = table_of(runs, args.by, x_name, y_name)
    try:
        comparison = Comparison(table, args.seed)
    except ValueError as error:
        raise UserError(str(error)) from error
    tell(comparison)
    title = args.title or name or " and ".join(table)
    names = [run.run_dir.name for run in runs]
    try:
        output.write_text(page.render(comparison, title, names, x_name, y_name), encoding="utf-8")
    except OSError as error:
        raise UserError(f"-o {output} cannot be written: {error.strerror}") from error
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
