"""Finds the probe of a check: a module of ours, or what a blank's file declares."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from autograder.base.blank_files import declared
from autograder.running.declared_probe import Probe, ProbeOptions
from autograder.running.declared_scene import Scene, SceneOptions


@functools.cache
def load(place: str) -> Any:
    """Returns what has the functions of a probe, see `experiments`.

    Args:
        place: "autograder.homeworks.hw4.probes.sac_targets".

    Raises:
        TypeError: If a file has a key that [probe] or [scene] does not know.
    """
    *_, homework, _, name = place.split(".")
    tables = declared(homework, name)
    if tables is None:
        return importlib.import_module(place)
    if "scene" in tables:
        return Scene(SceneOptions(**tables["scene"]), tables)
    return Probe(ProbeOptions(**tables["probe"]), tables)
