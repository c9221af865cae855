"""The tiny environments of our own tests: those that the autograder lets students' agents learn."""

from autograder.hw3.answer_learning import exact_q
from autograder.hw3.tiny_envs import PROBES, ActionAndObservationMatter, AlwaysTruncated, Probe

__all__ = ["PROBES", "ActionAndObservationMatter", "AlwaysTruncated", "Probe", "exact_q"]
