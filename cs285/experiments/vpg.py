"""Homework 2: policy gradient, with reward-to-go, a learned baseline and GAE."""

from __future__ import annotations

import dataclasses
from typing import Any

from cs285.configs.vpg import PGConfig
from cs285.experiments.experiment import Experiment
from cs285.infrastructure.base.errors import UserError


class PolicyGradient(Experiment[PGConfig]):
    """Runs of policy gradient."""

    script, config_class, plays_paths = "run_hw2", PGConfig, True

    def agent_class(self) -> Any:
        """Imports the class of the agent."""
        from cs285.agents.pg_agent import PGAgent

        return PGAgent

    def own_parts(self, config: PGConfig) -> tuple[str, ...]:
        """Returns the names of the policy, and of a baseline if there is one."""
        return ("pi", "v") if config.nn_baseline else ("pi",)

    def resolve(self, config: PGConfig) -> PGConfig:
        """Translates the newer dialect into the older, and checks what flags alone can't."""
        older = config.dont_standardize_advantages or config.nn_baseline
        newer = config.normalize_advantages or config.use_baseline
        if older and newer:
            raise UserError(
                "-dsa and --nn_baseline are the course's flags until 2022, -na and --use_baseline "
                "those since 2023, and they standardise by opposite rules: give those of one time "
                "only"
            )
        if config.gae_lambda is not None and not (config.nn_baseline or config.use_baseline):
            raise UserError(
                f"--gae_lambda {config.gae_lambda:g} weighs what a baseline predicts: "
                "add --nn_baseline, or leave --gae_lambda out"
            )
        if config.gae_lambda is not None and not config.reward_to_go:
            raise UserError(
                f"--gae_lambda {config.gae_lambda:g} adds up values of states, and without -rtg "
                "the baseline learns whole returns: add -rtg, or leave --gae_lambda out"
            )
        return dataclasses.replace(
            super().resolve(config),
            nn_baseline=config.nn_baseline or config.use_baseline,
            dont_standardize_advantages=(
                not config.normalize_advantages if newer else config.dont_standardize_advantages
            ),
        )

    def make_env(self, config: PGConfig, training: bool, render: str | None = None) -> Any:
        """Makes the task, its noise included; raises UserError if the agent cannot act there."""
        from gymnasium.spaces import Discrete
        from gymnasium.wrappers import TransformAction

        env = super().make_env(config, training, render)
        space = env.action_space
        if config.action_noise_std == 0.0:
            return env
        if isinstance(space, Discrete):
            raise UserError(
                f"--action_noise_std: the actions of {config.env_name} are not continuous"
            )
        # The task gets the noisy action, or the nearest one within its bounds. The generator is the
        # space's own, since that is saved with the environment.
        return TransformAction(
            env,
            lambda ac: ac + config.action_noise_std * space.np_random.standard_normal(ac.shape),
            space,
        )


EXPERIMENT = PolicyGradient()
main = EXPERIMENT.main
