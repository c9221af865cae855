"""Homework 4, part 2: TD3 on continuous control tasks."""

from __future__ import annotations

from cs285.configs.td3 import TD3Config
from cs285.experiments.off_policy import OffPolicyExperiment


class TD3(OffPolicyExperiment[TD3Config]):
    """Runs of TD3."""

    script, config_class, agent = "run_hw4_td3", TD3Config, "td3_agent.TD3Agent"


EXPERIMENT = TD3()
main = EXPERIMENT.main
