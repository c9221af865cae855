"""What the experiments of PPO and TRPO share."""

from __future__ import annotations

from typing import Any, TypeVar

from cs285.configs.segments import SegmentConfig
from cs285.experiments.experiment import Experiment
from cs285.infrastructure.base.errors import UserError

ConfigT = TypeVar("ConfigT", bound=SegmentConfig)


class SegmentExperiment(Experiment[ConfigT]):
    """Runs that learn from segments of play, in environments side by side."""

    def resolve(self, config: ConfigT) -> ConfigT:
        """Fills in what depends on other flags, and checks what flags alone can't."""
        if config.minibatch_size > config.batch_size:
            raise UserError(
                f"-mb {config.minibatch_size} is more than -b {config.batch_size} holds: "
                "give a smaller minibatch or a larger batch"
            )
        if config.batch_size == 1:
            raise UserError(
                "-b 1: an advantage minus the mean of its batch is 0, and nothing is learned: "
                "give 2 or more"
            )
        if config.batch_size % config.num_envs:
            raise UserError(
                f"-b {config.batch_size} can't be shared equally by --num_envs {config.num_envs}: "
                "give a multiple"
            )
        return super().resolve(config)

    def in_learning(self, config: ConfigT) -> Any:
        """Makes `num_envs` environments side by side."""
        from cs285.infrastructure.training.rollout_collector import VectorEnv

        one = super().in_learning
        return VectorEnv(lambda: one(config), config.num_envs)

    def new_policy(self, env: Any, config: ConfigT) -> tuple[Any, Any]:
        """Returns the actor, and what plays its likeliest actions."""
        from cs285.agents.segment_agent import build_networks
        from cs285.infrastructure.training.agent import DeterministicPolicy

        spaces = env.observation_space, env.action_space
        policy, _, _ = build_networks(spaces, config, self.own(config, env))
        return policy, DeterministicPolicy(policy)
