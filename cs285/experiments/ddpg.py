"""Homework 4, part 1: DDPG on continuous control tasks."""

from __future__ import annotations

from typing import Any

from cs285.configs.ddpg import DDPGConfig
from cs285.experiments.off_policy import OffPolicyExperiment


class DDPG(OffPolicyExperiment[DDPGConfig]):
    """Runs of DDPG."""

    script, config_class = "run_hw4_ddpg", DDPGConfig

    def agent_class(self) -> Any:
        """Imports the class of the agent."""
        from cs285.agents.ddpg_agent import DDPGAgent

        return DDPGAgent


EXPERIMENT = DDPG()
main = EXPERIMENT.main
