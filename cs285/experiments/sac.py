"""Homework 4, part 3: SAC on continuous control tasks."""

from __future__ import annotations

from cs285.configs.sac import SACConfig
from cs285.experiments.off_policy import OffPolicyExperiment


class SAC(OffPolicyExperiment[SACConfig]):
    """Runs of SAC."""

    script, config_class, agent = "run_hw4_sac", SACConfig, "sac_agent.SACAgent"


EXPERIMENT = SAC()
main = EXPERIMENT.main
