"""Finds the probe of a check: a module of ours, or what a blank's file declares."""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Mapping
from typing import Any

from autograder.base.checks import declared
from autograder.running.declared import Declared
from autograder.running.declared_probe import Probe, ProbeOptions
from autograder.running.declared_scene import Scene, SceneOptions
from autograder.running.story import Story


@functools.cache
def load(place: str) -> Any:
    """Returns what has the functions of a probe, see `experiments`.

    Args:
        place: Such as "autograder.homeworks.hw4.probes.sac_targets".
    """
    tables = declared(place)
    return importlib.import_module(place) if tables is None else declared_probe(tables)


def declared_probe(tables: Mapping[str, Any]) -> Declared | Story:
    """Returns the probe that the tables of a blank's file declare.

    Raises:
        TypeError: If [probe], [scene] or [story] has an unknown key, or lacks one.
    """
    if "story" in tables:
        return Story(tables)
    kind = "scene" if "scene" in tables else "probe"
    probe, options = (Scene, SceneOptions) if kind == "scene" else (Probe, ProbeOptions)
    keys = [field.name for field in dataclasses.fields(options)]
    for key in tables[kind].keys() - keys:
        raise TypeError(f"[{kind}] has no key {key!r}; it may have {', '.join(keys)}")
    return probe(options(**tables[kind]), tables)
