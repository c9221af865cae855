"""Homework 4, part 1: DDPG on continuous control tasks."""

from __future__ import annotations

from cs285.configs.ddpg import DDPGConfig
from cs285.experiments.off_policy import OffPolicyExperiment


class DDPG(OffPolicyExperiment[DDPGConfig]):
    """Runs of DDPG."""

    script, config_class, agent = "run_hw4_ddpg", DDPGConfig, "ddpg_agent.DDPGAgent"


EXPERIMENT = DDPG()
main = EXPERIMENT.main
