"""Homework 5, part 1: PPO, with discrete or continuous actions, from vectors or images."""

from __future__ import annotations

import dataclasses
from typing import Any

from cs285.configs.ppo import PPOConfig
from cs285.experiments.segments import SegmentExperiment
from cs285.infrastructure.base.errors import UserError

FRAMES = 4  # in an observation of an image task: one alone does not show where things move


class PPO(SegmentExperiment[PPOConfig]):
    """Runs of PPO."""

    script, config_class = "run_hw5_ppo", PPOConfig

    def agent_class(self) -> Any:
        """Imports the class of the agent."""
        from cs285.agents.ppo_agent import PPOAgent

        return PPOAgent

    def resolve(self, config: PPOConfig) -> PPOConfig:
        """Fills in what depends on other flags, and checks what flags alone can't."""
        from cs285.infrastructure.environments import atari, envs

        if config.minibatch_size == 1:
            raise UserError(
                "-mb 1: an advantage minus the mean of its minibatch is 0, and nothing is learned: "
                "give 2 or more"
            )
        if config.anneal and not config.has_one_step_size:
            raise UserError(
                "--anneal lets one step size fall, that of -lr: leave --pi_lr, --vf_lr out"
            )
        config = dataclasses.replace(config, sticky_actions=atari.chance_of_repeats(config))
        resolved = super().resolve(config)
        if config.normalize_observations and envs.shows_images(config.env_name, config.env_kwargs):
            raise UserError(
                "--normalize_observations scales vectors; bytes of images are scaled as is"
            )
        return resolved

    def make_env(self, config: PPOConfig, training: bool, render: str | None = None) -> Any:
        """Makes an environment; the newest frames of an image task are stacked."""
        from cs285.infrastructure.environments import atari

        rule = config.task(render) | config.of_game() | {"images": FRAMES}
        return atari.make_any(config.env_name, training=training, **rule)


EXPERIMENT = PPO()
main = EXPERIMENT.main
