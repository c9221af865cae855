"""Homework 4, part 2: TD3 on continuous control tasks."""

from __future__ import annotations

from typing import Any

from cs285.configs.td3 import TD3Config
from cs285.experiments import off_policy

SCRIPT, CONFIG = "run_hw4_td3", TD3Config


def agent_class() -> Any:
    """Imports the agent's class."""
    from cs285.agents.td3_agent import TD3Agent

    return TD3Agent


resolve, make_env = off_policy.resolve, off_policy.make_env
bytes_of_memory = off_policy.bytes_of_memory
new_agent, load_policy, build, main = off_policy.experiment(SCRIPT, CONFIG, agent_class, __doc__)
