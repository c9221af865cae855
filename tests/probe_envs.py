"""The tiny environments of our own tests: those that the autograder lets students' agents learn."""

from autograder.homeworks.hw3.fakes.tiny_envs import (
    PROBES,
    ActionAndObservationMatter,
    AlwaysTruncated,
    Probe,
)
from autograder.homeworks.hw3.levels.judge_learning import exact_q

__all__ = ["PROBES", "ActionAndObservationMatter", "AlwaysTruncated", "Probe", "exact_q"]
