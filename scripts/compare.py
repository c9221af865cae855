"""Compares experiments honestly: means, intervals, and what so few seeds can tell; with a page.

python scripts/compare.py data/bench
python scripts/compare.py data/hw4_q1_* data/hw4_q2_* data/hw4_q3_* -o pendulum.html
python scripts/compare.py data/hw4_q6_* --by tau --against tau=0.005
"""

from __future__ import annotations

import dataclasses
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.infrastructure.base.config import cli, parse_config, written_for
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import flag, operand
from cs285.infrastructure.logging.logger import aligned
from cs285.infrastructure.logging.plotting import curve
from scripts.experiments import NOT_THE_EXPERIMENT, Run, columns, digest, group_runs, load_runs
from studies import study

if TYPE_CHECKING:  # it needs the extra `studies`: `compared` imports it, or reports what is missing
    from studies.comparison import Comparison

Members = dict[str, dict[str, list[Run]]]


@dataclasses.dataclass(frozen=True)
class CompareConfig:
    """The flags of this script."""

    run_dirs: tuple[str, ...] = operand("STUDY", "a study's folder, or folders of runs", many=True)
    output: str = flag("comparison.html", "the page", "-o")
    x: str = flag(None, "column across; default: Train_EnvstepsSoFar, or else Step")
    y: str = flag(None, "column to compare; default: the study's, or Eval_AverageReturn, ...")
    by: str = flag(
        "experiment",
        "what a method is: experiment (one name and one set of settings), or algorithm and names "
        "of settings, with commas: algorithm,tau",
    )
    against: str = flag(None, "compare the others with this method only; default: each with each")
    judge: str = flag(
        "end", "what verdicts are about: the end, or all evaluations", choices=("end", "all")
    )
    possible: str = flag(
        None, "LOW,HIGH: what values --y can have, such as 0,1; default: what is known of the task"
    )
    title: str = flag(None, "heading; default: the study's name, or the environments")


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


def methods_of(runs: Sequence[Run], by: str) -> Members:
    """Returns task -> method -> its runs, one a seed.

    Raises:
        UserError: If `by` names no setting, or a method would have runs of different settings.
    """
    names = by.split(",")
    unknown = [name for name in names if not any(name in run.settings for run in runs)]
    if by != "experiment" and (odd := [name for name in unknown if name != "algorithm"]):
        raise UserError(f"--by {by}: {odd[0]} is neither algorithm nor a setting of these runs")
    found: Members = {}
    for task in dict.fromkeys(str(run.settings["env_name"]) for run in runs):
        on_task = [run for run in runs if run.settings["env_name"] == task]
        if by == "experiment":
            found[task] = group_runs(on_task)
            continue
        for run in on_task:
            parts = [_part(run, name) for name in names]
            found.setdefault(task, {}).setdefault(", ".join(parts), []).append(run)
        for method, members in found[task].items():
            refuse_to_pool(f"{method} on {task}", members, by)
    return found


def _part(run: Run, name: str) -> str:
    return algorithm(run) if name == "algorithm" else f"{name}={run.settings.get(name)}"


def refuse_to_pool(what: str, runs: Sequence[Run], by: str) -> None:
    """Raises UserError if runs differ in more than their seed, or have a seed in common."""
    differ = differing(runs)
    if differ:
        named = ", ".join(f"{name} ({', '.join(values)})" for name, values in differ.items())
        raise UserError(
            f"{what} has runs of different settings: {named}; leave some out, or tell them apart: "
            f"--by experiment, or --by {','.join([by, *differ])}"
        )
    seeds: dict[int, Run] = {}
    for run in runs:
        first = seeds.setdefault(int(run.settings["seed"]), run)
        if first is not run:
            raise UserError(
                f"{what} has seed {run.settings['seed']} twice, which is no second sample: leave "
                f"out {first.run_dir} or {run.run_dir}"
            )


def differing(runs: Sequence[Run]) -> Mapping[str, Sequence[str]]:
    """Returns the settings in which runs differ but their seed, each with its values.

    A setting that a run is too old to have does not differ.
    """
    found = {}
    for name in dict.fromkeys(name for run in runs for name in run.settings):
        values = dict.fromkeys(str(r.settings[name]) for r in runs if name in r.settings)
        if len(values) > 1 and name not in NOT_THE_EXPERIMENT:
            found[name] = list(values)
    return found


def algorithm(run: Run) -> str:
    """Returns what the script that made a run is called in short."""
    return str(run.script).split("_", 2)[-1] if "_" in str(run.script) else str(run.script)


def tell(comparison: Comparison) -> None:
    """Prints the tables, where curves cross, and the warnings."""
    from studies import page

    for task in comparison.tasks:
        heads = [task, "seeds", "at the end", "IQM at the end", "over all evaluations"]
        _print_table(heads, *(row.values() for row in page.rows(comparison, comparison.on(task))))
    pairs = [
        [
            *(pair.method, pair.other, pair.difference),
            *(page.p_value(pair.p), page.p_value(pair.adjusted), pair.verdict),
        ]
        for pair in comparison.pairs
    ]
    if pairs:
        ahead = f"ahead {comparison.pairs[0].measure}"
        _print_table([ahead, "behind", "difference", "p", "adjusted", "verdict"], *pairs)
    for crossed in comparison.crossings:
        print(f"crossing: {crossed.task}: {crossed}")
    for line in comparison.warnings():
        print(f"note: {line}")


def _print_table(*rows: Iterable[object]) -> None:
    print("\n".join(aligned([list(row) for row in rows], left=99)), end="\n\n")


def compared(args: CompareConfig) -> tuple[Comparison, str]:
    """Returns what the flags ask for, and the page about it.

    Raises:
        UserError: If the runs cannot be compared like that, or a package is missing.
    """
    try:
        from studies import page, possible
        from studies.comparison import Comparison
    except ModuleNotFoundError as error:
        raise UserError(f'{error.name} is missing: pip install -e ".[studies]"') from None
    folders, name, column = run_dirs(args.run_dirs)
    runs = load_runs(folders)
    wanted = args.y or column
    x_name, (y_name, *_) = columns(runs, args.x, [wanted] if wanted else None)
    table: dict[str, dict[str, list[tuple[np.ndarray, np.ndarray]]]] = {}
    limits = {}
    for task, methods in methods_of(runs, args.by).items():
        table[task] = {m: [curve(r.log, x_name, y_name) for r in of] for m, of in methods.items()}
        settings = [run.settings for of in methods.values() for run in of]
        known = possible.of_column(y_name, settings)
        limits[task] = possible.parsed(args.possible) if args.possible else known
    comparison = Comparison(table, args.against, limits, args.judge)
    title = args.title or name or " and ".join(table)
    names = [run.run_dir.name for run in runs]
    made_of = digest(runs, args, name, column)
    return comparison, page.render(comparison, title, names, (x_name, y_name), made_of)


@cli
def main(argv: Sequence[str]) -> int:
    """Compares what the command line names; returns the exit status."""
    args, _ = parse_config(CompareConfig, argv, "Compares experiments, with intervals and a page.")
    output = Path(args.output)
    if output.suffix != ".html" or not output.parent.is_dir():
        raise UserError(f"-o {output}: name a file .html in a folder that is there")
    comparison, text = compared(args)
    tell(comparison)
    with written_for("-o", output):
        output.write_text(text, encoding="utf-8")
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
