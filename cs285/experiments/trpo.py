"""Homework 5, part 2: TRPO, with discrete or continuous actions."""

from __future__ import annotations

from typing import Any

from cs285.configs.trpo import TRPOConfig
from cs285.experiments.segments import SegmentExperiment


class TRPO(SegmentExperiment[TRPOConfig]):
    """Runs of TRPO."""

    script, config_class = "run_hw5_trpo", TRPOConfig

    def agent_class(self) -> Any:
        """Imports the class of the agent."""
        from cs285.agents.trpo_agent import TRPOAgent

        return TRPOAgent


EXPERIMENT = TRPO()
main = EXPERIMENT.main
