"""The networks of a run and its replay memory: at its end, or in its newest whole checkpoint.

A run may train at this very moment. Each file is replaced at once, but a checkpoint's folder may
vanish between two files of it: then the next one is there already, and all is looked up again.
"""

from __future__ import annotations

import json
import math
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from autograder.base.text import one_line
from autograder.diagnose.memory import Memory, read_memory
from autograder.evidence.files import UnreadableError, entries, read_text

Tensors = Mapping[str, np.ndarray]
WHOLE, LAST, BEST = "weights.safetensors", "policy.safetensors", "best_policy.safetensors"
MOST_NUMBERS = 2**24  # of one array; of a memory of more, the beginning is enough
MOST_STATE = 2**24  # bytes of state.json
TRIES = 3  # a checkpoint is replaced every minute at most, unless somebody asks for more
IN_AGENT = re.compile(r"\d+ tree/(?:trainer/)?agent/(.+?)\.?$")  # a name in a checkpoint


@dataclass(frozen=True)
class Snapshot:
    """Networks at one moment of a run.

    Attributes:
        tensors: Their weights, named as in a module; without those of optimizers.
        step: When that was, in steps or iterations of the run; nan if it is not known.
        updates: What they have learned from by then, in batches; nan if it is not known.
        memory: What was played, if it was kept.
    """

    tensors: Tensors = field(default_factory=dict)
    step: float = math.nan
    updates: float = math.nan
    memory: Memory | None = None


def is_finished(folder: Path) -> bool:
    """Returns whether a run has come to its end; those of earlier versions left less behind."""
    left = (folder / LAST).exists() and not (folder / "checkpoints").exists()
    return (folder / WHOLE).exists() or left


def read_snapshot(folder: Path, remarks: list[str]) -> Snapshot:
    """Returns the newest networks of a run; empty if there are none that can be read.

    Args:
        folder: The run's.
        remarks: Gets a line about each file that cannot be read.
    """
    if (folder / WHOLE).exists():
        return Snapshot(tensors_of(folder, WHOLE, remarks), memory=_newest(folder).memory)
    problems: list[str] = []
    for _ in range(TRIES):
        problems.clear()
        found = _newest(folder, problems)
        if found.tensors or not problems:
            break
    if problems and checkpoints(folder):  # else the run has come to its end meanwhile
        remarks += problems
    return found


def _newest(folder: Path, problems: list[str] | None = None) -> Snapshot:
    """Returns what is in the newest checkpoint that can be read; empty if there is none.

    A line about each that cannot be read is added to `problems`.
    """
    problems = [] if problems is None else problems
    for step, path in checkpoints(folder):
        try:
            return _read_checkpoint(path, step)
        except UnreadableError as error:
            problems.append(f"{one_line(path.name)}: {one_line(str(error))}; it was left out")
    return Snapshot()


def checkpoints(folder: Path) -> list[tuple[int, Path]]:
    """Returns step and path of a run's checkpoints, the newest first."""
    saved = folder / "checkpoints"
    try:
        names = [entry.name for entry in entries(saved)] if saved.is_dir() else []
    except UnreadableError:  # a run that ends removes it, and a link is not followed
        return []
    matches = [re.fullmatch(r"step_(\d{1,15})(?:-(\d{1,9}))?", name) for name in names]
    found = [(int(m[1]), int(m[2] or 0), saved / m[0]) for m in matches if m]
    return [(step, path) for step, _, path in sorted(found, reverse=True)]


def _read_checkpoint(path: Path, step: int) -> Snapshot:
    state = _read_state(path / "state.json")
    arrays = read_arrays(path / "arrays.safetensors", lambda name: "/agent/" in name)
    of_agent = {
        match[1].replace("/", "."): array
        for name, array in arrays.items()
        if "optimizer" not in name and (match := IN_AGENT.match(name))
    }
    updates = state.get("num_param_updates", math.nan)
    tensors = {n: a for n, a in of_agent.items() if a.dtype == np.float32}
    return Snapshot(tensors, step, updates, read_memory(path, state, of_agent))


def _read_state(file: Path) -> dict[str, Any]:
    """Returns the agent's part of a state tree: of nested parts, by path: "replay_buffer.frames".

    Raises:
        UnreadableError: If the file is not there, or no such tree.
    """
    try:
        tree = json.loads(read_text(file, MOST_STATE))
        trainer = dict(dict(tree["dict"]).get("trainer", tree)["dict"])
        return _flat(trainer["agent"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UnreadableError(f"{file.name} is no state of an agent") from None


def _flat(tree: Any, where: str = "") -> dict[str, Any]:
    """Returns the plain values in nested dicts of a state tree, by their path."""
    if not isinstance(tree, dict) or not isinstance(tree.get("dict"), list):
        return {where: tree}
    found: dict[str, Any] = {}
    for name, part in tree["dict"]:
        found |= _flat(part, f"{where}.{name}" if where else str(name))
    return found


def read_arrays(file: Path, wanted: Callable[[str], bool]) -> dict[str, np.ndarray]:
    """Reads those arrays of a safetensors file whose names are wanted.

    Of one with more than `MOST_NUMBERS` numbers, the first rows are read.

    Raises:
        UnreadableError: If the file is not there, a link, no plain file, or not of that format.
    """
    name = one_line(file.name)
    try:
        mode = file.lstat().st_mode
    except OSError:
        raise UnreadableError(f"{name} is not there") from None
    if stat.S_ISLNK(mode):
        raise UnreadableError(f"{name} is a link, and links are not followed")
    if not stat.S_ISREG(mode):
        raise UnreadableError(f"{name} is no plain file")
    found = {}
    try:
        with safe_open(file, framework="numpy") as arrays:
            for key in filter(wanted, arrays.keys()):
                part = arrays.get_slice(key)
                shape = part.get_shape()
                rows = max(1, MOST_NUMBERS // max(1, math.prod(shape[1:]))) if shape else 1
                cut = bool(shape) and shape[0] > rows
                found[key] = part[:rows] if cut else arrays.get_tensor(key)
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, AttributeError):
        raise UnreadableError(f"{name} contains no weights that can be read") from None
    return found


def tensors_of(folder: Path, name: str, remarks: list[str]) -> Tensors:
    """Returns the float32 arrays of a file; none, and a remark, if it cannot be read."""
    if not (folder / name).exists():
        return {}
    try:
        found = read_arrays(folder / name, lambda _: True)
    except UnreadableError as error:
        remarks.append(f"{one_line(str(error))}; it was left out")
        return {}
    return {key.rstrip("."): a for key, a in found.items() if a.dtype == np.float32}
