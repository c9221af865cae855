"""Writes down what secret functions return, for the copy that students are given."""

from __future__ import annotations

import dataclasses
import importlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from safetensors.numpy import save

from autograder import homework as homeworks
from autograder.recording import KINDS, PUBLIC_SEEDS, SECRETS, fields_of
from autograder.release import ReleaseError


class Recorder:
    """A store in the making, see `autograder.recording.Store`; what is equal is kept once."""

    def __init__(self) -> None:
        """Begins empty."""
        self.rows: dict[str, list[np.ndarray]] = {kind: [] for kind in KINDS}
        self.sizes = dict.fromkeys(KINDS, 0)
        self.arrays: list[tuple[str, int, list[int]]] = []
        self.numbers: dict[tuple[str, tuple[int, ...], bytes], int] = {}
        self.known: dict[int, tuple[Any, list[Any]]] = {}
        self.cases: dict[str, list[list[int]]] = {}
        self.keys: dict[str, list[str]] = {}
        self.answers: dict[str, list[tuple[list[Any], Any]]] = {}

    def record(self, name: str, seeds: Sequence[int]) -> None:
        """Asks a secret function all that it will be asked, and keeps its answers.

        Raises:
            ReleaseError: If it does not say what it will be asked.
        """
        function, asked = SECRETS[name]
        if asked is None:
            raise ReleaseError(f"{name} does not say what it will be asked")
        questions = [args for seed in seeds for args in asked(seed)]
        choices = [value for args in questions for value in args if isinstance(value, Mapping)]
        self.keys[name] = keys = sorted({key for choice in choices for key in choice})
        answers: dict[str, tuple[list[Any], Any]] = {}
        for args in questions:
            plain = [self._plain(value, keys) for value in args]
            key = json.dumps(plain)
            if key not in answers:
                answers[key] = (plain, self._kept(function(*args)))
        self.answers[name] = list(answers.values())

    def as_bytes(self) -> bytes:
        """Returns the store as a safetensors file: three rows of numbers, and JSON."""
        plain = {
            "arrays": self.arrays,
            "cases": self.cases,
            "keys": self.keys,
            "answers": self.answers,
        }
        numbers: dict[str, np.ndarray] = {
            kind: np.concatenate([np.empty(0), *rows]).astype(KINDS[kind])
            for kind, rows in self.rows.items()
        }
        return bytes(save(numbers, {"json": json.dumps(plain, separators=(",", ":"))}))

    def _plain(self, value: Any, keys: Sequence[str]) -> Any:
        """Returns an argument as it is kept."""
        if isinstance(value, Mapping):
            return [value.get(key) for key in keys]
        if isinstance(value, np.ndarray) or dataclasses.is_dataclass(value):
            if id(value) not in self.known:
                self.known[id(value)] = (value, self._case(value))  # kept, so its id stays its own
            return self.known[id(value)][1]
        return value

    def _case(self, value: Any) -> list[Any]:
        """Keeps an argument that is no plain value; returns its class and number."""
        kind, fields = fields_of(value)
        kept = [self._array(field) for field in fields]
        known = self.cases.setdefault(kind, [])
        if kept not in known:
            known.append(kept)
        return [kind, known.index(kept)]

    def _kept(self, value: Any) -> Any:
        """Returns what a function returned as it is kept."""
        if isinstance(value, np.ndarray):
            return {"array": self._array(value)}
        if isinstance(value, Mapping):
            return {"dict": [[self._kept(k), self._kept(v)] for k, v in value.items()]}
        if isinstance(value, list | tuple):
            kind = "list" if isinstance(value, list) else "tuple"
            return {kind: [self._kept(part) for part in value]}
        return value.item() if isinstance(value, np.generic) else value

    def _array(self, array: np.ndarray) -> int:
        """Keeps an array; returns its number."""
        kind = {"u": "i"}.get(array.dtype.kind, array.dtype.kind)
        row: np.ndarray = np.ascontiguousarray(array).astype(KINDS[kind]).reshape(-1)
        key = (kind, array.shape, row.tobytes())
        if key not in self.numbers:
            self.numbers[key] = len(self.arrays)
            self.arrays.append((kind, self.sizes[kind], list(array.shape)))
            self.rows[kind].append(row)
            self.sizes[kind] += row.size
        return self.numbers[key]


def record(homework: str) -> bytes:
    """Returns the store of a homework's secret functions.

    Raises:
        ReleaseError: If one of them does not say what it will be asked.
    """
    for check in homeworks.checks(homework):
        importlib.import_module(f"autograder.{check.answer.split(':')[0]}")
    recorder = Recorder()
    for name in sorted(SECRETS):
        if name.startswith(f"autograder.{homework}."):
            recorder.record(name, PUBLIC_SEEDS)
    return recorder.as_bytes()
