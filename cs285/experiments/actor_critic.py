"""Homework 3, part 2: actor-critic with a bootstrapped critic, discrete or continuous actions."""

from __future__ import annotations

import dataclasses
from typing import Any

from cs285.configs.actor_critic import ACConfig
from cs285.experiments.experiment import Experiment
from cs285.infrastructure.base.errors import UserError


class ActorCritic(Experiment[ACConfig]):
    """Runs of actor-critic."""

    script, config_class, plays_paths = "run_hw3_actor_critic", ACConfig, True

    def agent_class(self) -> Any:
        """Imports the class of the agent."""
        from cs285.agents.ac_agent import ACAgent

        return ACAgent

    def resolve(self, config: ACConfig) -> ACConfig:
        """Fills in what depends on other flags, and checks what flags alone can't."""
        if config.train_batch_size not in (None, config.batch_size):
            raise UserError(
                f"-tb {config.train_batch_size} differs from -b {config.batch_size}: "
                "on-policy learning uses the whole batch, so leave -tb out"
            )
        return super().resolve(dataclasses.replace(config, train_batch_size=config.batch_size))

    def new_policy(self, env: Any, config: ACConfig) -> tuple[Any, Any]:
        """Returns the policy alone: building a critic would change what it draws."""
        from cs285.infrastructure import rollouts
        from cs285.policies.MLP_policy import MLPPolicyAC

        ob_dim, ac_dim, discrete = rollouts.sizes(env.observation_space, env.action_space)
        sizes = config.hidden_sizes()
        policy = MLPPolicyAC(
            ac_dim, ob_dim, len(sizes), sizes, discrete, activation=config.activation
        )
        if own := self.own(config, env):
            own.install(policy)
        return policy, policy


EXPERIMENT = ActorCritic()
main = EXPERIMENT.main
