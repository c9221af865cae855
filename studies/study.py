"""A study: which runs there are, what they are called, and the file study.toml that says so."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.flag_values import text
from studies import values
from studies.values import Value

FILE = "study.toml"
COMPARE = {"measure": "Eval_AverageReturn"}
_KEYS = {"name", "algorithm", "seeds", "in_names", "grid", "shorthands", "compare"}


@dataclasses.dataclass(frozen=True)
class Study:
    """Every combination of the grid's values, with every algorithm and every seed."""

    name: str
    algorithms: tuple[str, ...]
    """None where only the names of experiments are wanted."""
    grid: Mapping[str, tuple[Value, ...]]
    """Flag, without dashes -> its values."""
    seeds: tuple[int, ...] = (0,)
    shorthands: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Flag -> how it is called in names."""
    in_names: tuple[str, ...] = ()
    """Flags that are named although they have one value."""
    compare: Mapping[str, Any] = dataclasses.field(default_factory=lambda: dict(COMPARE))

    def __post_init__(self) -> None:
        """Refuses what can't be run.

        Raises:
            UserError: Naming what is wrong.
        """
        if not re.fullmatch(r"\w[\w.-]*", self.name, re.ASCII):
            raise UserError(f"{self.name!r} cannot name a study: letters, digits, _ . - only")
        if empty := [name for name in self.grid if not self.grid[name]]:
            raise UserError(f"--{empty[0]} has no value")
        if any(type(seed) is not int or seed < 0 for seed in self.seeds) or not self.seeds:
            raise UserError(f"--seed takes whole numbers from 0 upward, not {self.seeds}")

    def parameters(self) -> dict[str, tuple[Value, ...]]:
        """Returns what the runs may differ in but their seed: the algorithm, and the grid."""
        algorithm = {"algorithm": self.algorithms} if self.algorithms else {}
        return {**algorithm, **self.grid}

    def experiments(self) -> Iterator[tuple[str, dict[str, Value]]]:
        """Yields the name and the parameters of each experiment, which is run once a seed."""
        parameters = self.parameters()
        for combination in itertools.product(*parameters.values()):
            chosen = dict(zip(parameters, combination, strict=True))
            yield self.experiment_name(chosen), chosen

    def experiment_name(self, chosen: Mapping[str, Value]) -> str:
        """Returns the study's name and what differs, as Spinning Up writes it: bench_h64-32."""
        name = self.name
        for flag, all_values in self.parameters().items():
            if len(all_values) < 2 and flag not in self.in_names:
                continue
            default = "" if flag == "algorithm" else values.shorthand(flag)
            called = self.shorthands.get(flag, default)
            if set(all_values) <= {True, False}:
                name += f"_{called}" if chosen[flag] is True else ""
            else:
                name += f"_{called}{values.in_name(chosen[flag])}"
        return name

    def describe(self) -> str:
        """Returns lines for a person: the grid, and the name of each experiment."""
        rows = {**self.parameters(), "seed": self.seeds}
        width = max(map(len, rows))
        lines = [f"  {n:{width}}  {'  '.join(map(text, v))}" for n, v in rows.items()]
        names = [name for name, _ in self.experiments()]
        count = f"{len(names)} experiments x {len(self.seeds)} seeds"
        return "\n".join([f"{self.name}: {count}", *lines, *names])

    def with_seeds_of(self, older: Study) -> Study:
        """Returns this study, with the seeds too that it had before.

        Raises:
            UserError: If the older one holds runs that this one lacks.
        """
        mine, its = self.parameters(), older.parameters()
        for flag in its:
            if lost := [v for v in its[flag] if flag in mine and v not in mine[flag]]:
                raise UserError(
                    f"the study {self.name} is there, with --{flag} {text(lost[0])} too: "
                    "give all its values (what is finished is not run again), or another --exp_name"
                )
        if gone := [flag for flag in its if flag not in mine]:
            raise UserError(
                f"the study {self.name} is there, and sets --{gone[0]}, which this one does not: "
                f"give --{gone[0]} too, or another --exp_name"
            )
        seeds = tuple(dict.fromkeys((*older.seeds, *self.seeds)))
        return dataclasses.replace(self, seeds=seeds, compare=older.compare)


def write(study: Study, folder: Path) -> None:
    """Writes study.toml into a folder, whole or not at all; one that says the same stays."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / FILE).exists() and read(folder) == study:
        return  # with the comments that a person may have written
    algorithms = study.algorithms if len(study.algorithms) > 1 else study.algorithms[0]
    top = {"name": study.name, "algorithm": algorithms, "seeds": study.seeds}
    top |= {"in_names": study.in_names} if study.in_names else {}
    tables = {"grid": study.grid, "shorthands": study.shorthands, "compare": study.compare}
    lines = [f"{key} = {_toml(value)}" for key, value in top.items()]
    for title, table in tables.items():
        lines += ["", f"[{title}]", *(f"{_key(k)} = {_toml(v)}" for k, v in table.items())]
    (beside := folder / f"{FILE}.tmp").write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.replace(beside, folder / FILE)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name)


def _toml(value: Any) -> str:
    """Returns a value as TOML writes it, which has no None: that is the text "None"."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    return json.dumps("None" if value is None else value, ensure_ascii=False)


def read(folder: Path) -> Study:
    """Reads study.toml of a folder.

    Raises:
        UserError: If it is not there, or no study.
    """
    path = folder / FILE
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; a study has such a file") from None
    except ValueError as error:
        raise UserError(f"{path} is no TOML: {error}") from None
    if unknown := sorted(plain.keys() - _KEYS):
        raise UserError(f"{path}: {unknown[0]} means nothing here; known: {', '.join(_KEYS)}")
    try:
        return _from_plain(plain)
    except (KeyError, TypeError, AttributeError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else "is not built like a study"
        raise UserError(f"{path}: {what}; docs/studies.md shows one") from None


def _from_plain(plain: Mapping[str, Any]) -> Study:
    algorithms = plain["algorithm"]
    grid = {name: several(value) for name, value in plain.get("grid", {}).items()}
    return Study(
        str(plain["name"]),
        (algorithms,) if isinstance(algorithms, str) else tuple(algorithms),
        grid,
        tuple(plain.get("seeds", (0,))),
        dict(plain.get("shorthands", {})),
        tuple(plain.get("in_names", ())),
        {**COMPARE, **plain.get("compare", {})},
    )


def several(value: Any) -> tuple[Value, ...]:
    """Returns the values of a flag, of which one may stand alone, without a list around it."""
    return values.unique(
        [values.normal(v) for v in (value if isinstance(value, list) else [value])]
    )
