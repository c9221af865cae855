"""Homework 3, part 1: DQN and double DQN on Atari games, other images, and vectors."""

from __future__ import annotations

import dataclasses
from typing import Any

from cs285.configs.dqn import PRESETS, DQNConfig
from cs285.experiments.experiment import Experiment
from cs285.experiments.limits import check_buffer, check_repeats
from cs285.infrastructure.base.schedules import schedule_of


class DQN(Experiment[DQNConfig]):
    """Runs of DQN."""

    script, config_class = "run_hw3_dqn", DQNConfig

    def agent_class(self) -> Any:
        """Imports the class of the agent."""
        from cs285.agents.dqn_agent import DQNAgent

        return DQNAgent

    def own_parts(self, config: DQNConfig) -> tuple[str, ...]:
        """Returns the Q-network's name."""
        return ("q",)

    def resolve(self, config: DQNConfig) -> DQNConfig:
        """Fills in the preset's value wherever no flag was given, and checks the flags together."""
        from cs285.infrastructure.environments import atari, envs

        check_repeats(config)
        if config.tau != 1.0 and config.target_update_freq is None:
            config = dataclasses.replace(config, target_update_freq=1)
        images = "images" if envs.shows_images(config.env_name, config.env_kwargs) else "other"
        values = PRESETS["atari" if envs.is_atari(config.env_name) else images]
        values = values | {"sticky_actions": atari.chance_of_repeats(config)}
        missing = {name: v for name, v in values.items() if config[name] is None}
        config = dataclasses.replace(config, **missing)
        schedule_of("learning_rate", config.learning_rate, positive=True)
        schedule_of("exploration", config.exploration)
        check_buffer(config, config.batch_size + config.frame_history_len)
        return super().resolve(config)

    def make_env(self, config: DQNConfig, training: bool, render: str | None = None) -> Any:
        """Makes an environment; that of evaluations stacks frames, because a policy has no memory.

        In learning, the replay buffer stacks them.
        """
        from cs285.infrastructure.environments import atari, spaces

        frames = 1 if training else config.frame_history_len
        rule = config.task(render) | config.of_game() | {"images": frames, "frames": frames}
        env = atari.make_any(config.env_name, training=training, **rule)
        spaces.require_discrete(env, config.env_name)
        return env

    def bytes_of_memory(self, env: Any, config: DQNConfig) -> float:
        """Returns the bytes that the replay buffer takes, of images at least."""
        from cs285.infrastructure.replay.replay_buffer import bytes_needed

        space = env.observation_space
        return bytes_needed(config.buffer_size, space.shape, space.dtype)

    def new_policy(self, env: Any, config: DQNConfig) -> tuple[Any, Any]:
        """Returns the Q-network, and what plays evaluations with it, where frames are stacked."""
        from cs285.critics.dqn_critic import DQNCritic
        from cs285.infrastructure.training.agent import EpsilonGreedyPolicy
        from cs285.policies.argmax_policy import ArgMaxPolicy

        shape, actions = env.observation_space.shape, int(env.action_space.n)
        critic = DQNCritic(shape, actions, config, self.own(config, env))
        epsilon = config.eval_epsilon or 0.0  # older runs have none
        return critic.q_net, EpsilonGreedyPolicy(ArgMaxPolicy(critic), epsilon, critic.ac_dim)


EXPERIMENT = DQN()
main = EXPERIMENT.main
