"""Homework 4, part 3: SAC on continuous control tasks."""

from __future__ import annotations

from typing import Any

from cs285.configs.sac import SACConfig
from cs285.experiments.off_policy import OffPolicyExperiment


class SAC(OffPolicyExperiment[SACConfig]):
    """Runs of SAC."""

    script, config_class = "run_hw4_sac", SACConfig

    def agent_class(self) -> Any:
        """Imports the class of the agent."""
        from cs285.agents.sac_agent import SACAgent

        return SACAgent


EXPERIMENT = SAC()
main = EXPERIMENT.main
