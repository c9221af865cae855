"""Homework 4, part 2: TD3 on continuous control tasks."""

from __future__ import annotations

from typing import Any

from cs285.configs.td3 import TD3Config
from cs285.experiments.off_policy import OffPolicyExperiment


class TD3(OffPolicyExperiment[TD3Config]):
    """Runs of TD3."""

    script, config_class = "run_hw4_td3", TD3Config

    def agent_class(self) -> Any:
        """Imports the class of the agent."""
        from cs285.agents.td3_agent import TD3Agent

        return TD3Agent


EXPERIMENT = TD3()
main = EXPERIMENT.main
