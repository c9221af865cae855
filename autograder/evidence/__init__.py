"""Handed-in runs as evidence: settings, log, events and weights, checked against each other."""

from autograder.evidence.curves import Curve, curves, reference_band
from autograder.evidence.duplicates import Sketch, copies
from autograder.evidence.judging import (
    judge_each,
    judge_runs,
    questions,
    read_folder,
    sketches,
)

__all__ = [
    "Curve",
    "Sketch",
    "copies",
    "curves",
    "judge_each",
    "judge_runs",
    "questions",
    "read_folder",
    "reference_band",
    "sketches",
]
