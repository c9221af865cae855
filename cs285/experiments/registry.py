"""Finds the experiments of this package by the names of algorithms and of scripts."""

from __future__ import annotations

import dataclasses
import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import RunConfig

PACKAGE = __name__.rpartition(".")[0]


def algorithms() -> dict[str, ModuleType]:
    """Returns the module of each algorithm that this tree contains, by the algorithm's name.

    Such a module has `SCRIPT`, the name of its script, and `main`, `resolve` and `load_policy`.
    """
    names = sorted(file.stem for file in Path(__file__).parent.glob("[a-z]*.py"))
    modules = {name: importlib.import_module(f"{PACKAGE}.{name}") for name in names}
    return {name: module for name, module in modules.items() if hasattr(module, "SCRIPT")}


def of_script(script: str) -> ModuleType:
    """Returns the experiment that a script starts; UserError if this tree contains none."""
    return algorithms()[name_of(script)]


def name_of(script: str) -> str:
    """Returns the algorithm that a script starts; UserError if this tree contains none."""
    for name, module in algorithms().items():
        if module.SCRIPT == script:
            return name
    raise UserError(f"scripts/{script}.py starts no experiment of this tree")


def config_class(experiment: ModuleType) -> type[RunConfig]:
    """Returns the class of an experiment's flags."""
    kind: type[RunConfig] = experiment.CONFIG
    return kind


def flags(algorithm: str) -> tuple[dataclasses.Field[Any], ...]:
    """Returns the fields that an algorithm's flags set."""
    return dataclasses.fields(config_class(algorithms()[algorithm]))
