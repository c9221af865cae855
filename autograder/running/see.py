"""Looks at what a submission does in a probe, in this process.

A worker's process does the same for whoever asks it, see `session.Worker.see`: so there is one way
to run, wherever the code runs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from autograder.base.checks import Check
from autograder.base.seen import PROBE, Seen
from autograder.running import experiments
from autograder.running.probing import Student
from autograder.source.submission import ROOT, Tree, imported_from
from autograder.source.syntax import PACKAGE


def see(tree: Tree, check: Check, seed: int, alone: bool = False) -> Seen:
    """Returns what a submission does in the probe of a check.

    Args:
        tree: The submission.
        check: Its `owners` must be the student's own.
        seed: Of the probe's numbers.
        alone: Whether all other files are the handout's, where the student's do harm on import.
    """
    return student_of(tree, check, seed, alone).seen


def student_of(tree: Tree, check: Check, seed: int, alone: bool = False) -> Student:
    """Runs the probe of a check, as `see`, and returns its student."""
    module, _, function = check.full_probe.partition(":")
    tree.homework = next((n for n in module.split(".") if re.fullmatch(r"hw\d+", n)), "")

    def probe(student: Student) -> None:
        from autograder.running.declared import load  # imports torch

        if function:
            getattr(load(module), function)(student, seed)
        else:
            experiments.run(load(module), student, seed)

    return run(tree, probe, check.owners, seed, alone)


def run(
    tree: Tree,
    probe: Callable[[Student], None],
    owners: tuple[str, ...],
    seed: int,
    alone: bool = False,
) -> Student:
    """Runs a function that tries a student's code; whatever is raised is part of what was seen."""
    import torch

    torch.set_num_threads(1)
    if tree.package != ROOT / PACKAGE:
        sys.path.append(str(tree.package.parent))  # helpers that lie beside it; all else goes first
    torch.default_generator.manual_seed(seed)  # `torch.manual_seed` looks for a GPU, 3 ms long
    with imported_from(tree, owners, alone) as finder:
        student = Student(finder)
        student.try_out(PROBE, lambda _: probe(student))
        student.seen.files = frozenset(finder.touched)
        torch.set_grad_enabled(True)  # in case a student has switched it off for good
        return student
