"""Finds the experiments of this package by the names of algorithms and of scripts."""

from __future__ import annotations

import dataclasses
import importlib
from pathlib import Path
from typing import Any

from cs285.infrastructure.base.errors import UserError

PACKAGE = __name__.rpartition(".")[0]


def algorithms() -> dict[str, Any]:
    """Returns the `Experiment` of each algorithm that this tree contains, by the algorithm's name.

    The module of an algorithm is called as it, and has its experiment as `EXPERIMENT`.
    """
    names = sorted(file.stem for file in Path(__file__).parent.glob("[a-z]*.py"))
    modules = {name: importlib.import_module(f"{PACKAGE}.{name}") for name in names}
    return {n: m.EXPERIMENT for n, m in modules.items() if hasattr(m, "EXPERIMENT")}


def of_script(script: str) -> Any:
    """Returns the experiment that a script starts; UserError if this tree contains none."""
    return algorithms()[name_of(script)]


def name_of(script: str) -> str:
    """Returns the algorithm that a script starts; UserError if this tree contains none."""
    for name, experiment in algorithms().items():
        if experiment.script == script:
            return name
    raise UserError(f"scripts/{script}.py starts no experiment of this tree")


def flags(algorithm: str) -> tuple[dataclasses.Field[Any], ...]:
    """Returns the fields that an algorithm's flags set."""
    return dataclasses.fields(algorithms()[algorithm].config_class)
