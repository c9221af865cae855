"""What the experiments of DDPG, TD3 and SAC share."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

from cs285.configs.off_policy import OffPolicyConfig
from cs285.experiments.experiment import Experiment
from cs285.experiments.limits import check_buffer, check_repeats

ConfigT = TypeVar("ConfigT", bound=OffPolicyConfig)


class OffPolicyExperiment(Experiment[ConfigT]):
    """Runs with a memory of transitions, in tasks of continuous actions."""

    def own_parts(self, config: ConfigT) -> tuple[str, ...]:
        """Returns the names of the actor, and of one critic or two."""
        return "pi", *config.critics

    def resolve(self, config: ConfigT) -> ConfigT:
        """Checks what flags alone can't."""
        check_repeats(config)
        check_buffer(config, config.batch_size)
        return super().resolve(config)

    def make_env(self, config: ConfigT, training: bool = True, render: str | None = None) -> Any:
        """Makes an environment whose actions are in (-1, 1): the same in training and evaluations.

        Raises:
            UserError: If there is no such environment, or its actions are not so, or unbounded.
        """
        from cs285.infrastructure.environments import envs

        return envs.make_env(config.env_name, rescale=True, **config.task(render))

    def bytes_of_memory(self, env: Any, config: ConfigT) -> float:
        """Returns the bytes that the replay buffer takes."""
        from cs285.infrastructure.replay.transition_buffer import bytes_needed

        (ob_dim,), (ac_dim,) = env.observation_space.shape, env.action_space.shape
        return bytes_needed(config.buffer_size, ob_dim, ac_dim)

    def new_policy(self, env: Any, config: ConfigT) -> tuple[Any, Any]:
        """Returns the actor, and what plays evaluations with it; no memory lies beside them."""
        return super().new_policy(env, dataclasses.replace(config, buffer_size=1))
