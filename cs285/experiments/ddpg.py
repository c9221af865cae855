"""Homework 4, part 1: DDPG on continuous control tasks."""

from __future__ import annotations

from typing import Any

from cs285.configs.ddpg import DDPGConfig
from cs285.experiments import off_policy

SCRIPT, CONFIG = "run_hw4_ddpg", DDPGConfig


def agent_class() -> Any:
    """Imports the agent's class."""
    from cs285.agents.ddpg_agent import DDPGAgent

    return DDPGAgent


resolve, make_env = off_policy.resolve, off_policy.make_env
bytes_of_memory = off_policy.bytes_of_memory
new_agent, load_policy, build, main = off_policy.experiment(SCRIPT, CONFIG, agent_class, __doc__)
