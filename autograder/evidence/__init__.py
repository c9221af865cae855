"""Handed-in runs as evidence: settings, log, events and weights, checked against each other."""

from autograder.evidence.curves import Curve, curves, reference_band
from autograder.evidence.judging import judge_each, judge_runs, questions

__all__ = ["Curve", "curves", "judge_each", "judge_runs", "questions", "reference_band"]
