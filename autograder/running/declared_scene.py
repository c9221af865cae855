"""A [scene]: an object, or code that keeps something, asked turn by turn.

Rows of [reads] stay if the code raises something in a later turn. Flags: `inputs_changed` (an array
of a turn), `without_gradients` (they were switched off), `keeps_graphs` (`self` has tensors with
graphs).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from autograder.running.declared import Declared, Options, same
from autograder.running.declared_cases import values
from autograder.running.probing import Student, kept_graphs


@dataclass(frozen=True)
class SceneOptions(Options):
    """The keys of [scene]."""

    anew: bool = False


class Scene(Declared):
    """Asks an object."""

    how: SceneOptions

    def begins(self, nth: int) -> bool:
        """Returns whether objects are made before this turn."""
        return nth == 0 or self.how.anew

    def take_turn(self, names: dict[str, Any], turn: Mapping[str, Any]) -> None:
        """Writes a turn's arrays where those of the last turn are: what is kept of them shows."""
        for name, row in turn.items():
            names[name] = self._written(names.get(name) if names["nth"] else None, row)
        names["given"] = dict(turn)

    def _written(self, buffer: Any, row: Any) -> Any:
        if np.ndim(row) == 0:
            return row.item() if isinstance(row, np.generic) else row
        array = np.asarray(row)
        if buffer is None or tuple(buffer.shape) != array.shape:
            return array.copy() if self.how.numpy else torch.tensor(array)
        if isinstance(buffer, np.ndarray):
            buffer[...] = array
        else:
            with torch.no_grad():
                buffer.detach_().copy_(torch.as_tensor(array))  # a body may put a graph into it
        return buffer

    def ask(self, student: Student, names: dict[str, Any]) -> bool:
        """Asks once, and notes a row of what is read."""
        with student.up_to_a_crash():
            names["result"] = self.called(names)
        switched = not torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        given = names["given"]
        changed = not all(same(names[name], row) for name, row in given.items() if np.ndim(row))
        graphs = "self" in names and kept_graphs(names["self"]) > 0
        flags = {"inputs_changed": changed, "without_gradients": switched, "keeps_graphs": graphs}
        if student.crashed is None:
            self.note(student, values(self.tables.get("reads", {}), names), in_rows=True)
        self.raise_flags(student, flags)
        return student.crashed is None
