"""Homework 5, part 2: TRPO, with discrete or continuous actions."""

from __future__ import annotations

from cs285.configs.trpo import TRPOConfig
from cs285.experiments.segments import SegmentExperiment


class TRPO(SegmentExperiment[TRPOConfig]):
    """Runs of TRPO."""

    script, config_class, agent = "run_hw5_trpo", TRPOConfig, "trpo_agent.TRPOAgent"


EXPERIMENT = TRPO()
main = EXPERIMENT.main
