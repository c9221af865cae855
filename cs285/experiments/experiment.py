"""The runs of an algorithm: from settings to environments, agent and trainer."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from cs285.experiments.launch import closed_later, launch, set_up
from cs285.experiments.limits import check_memory, count_episodes, path_lengths
from cs285.infrastructure.base.config import cli, config_from_dict
from cs285.infrastructure.base.settings import LayerConfig, RunConfig

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import torch

    from cs285.infrastructure.rl_trainer import RL_Trainer

ConfigT = TypeVar("ConfigT", bound=RunConfig)


class Experiment(Generic[ConfigT]):
    """How the runs of an algorithm begin, and what plays with what they have left."""

    script: ClassVar[str]
    """The name of its script."""
    config_class: type[ConfigT]
    """Its flags."""
    plays_paths: ClassVar[bool] = False
    """Whether the trainer plays for the agent, whose memory then scales the rewards of paths."""
    members: ClassVar[Mapping[str, Any]] = {}
    """The experiments that its runs may contain, by the names of their algorithms."""

    def agent_class(self) -> Callable[..., Any]:
        """Imports the class of the agent."""
        raise NotImplementedError

    def own_parts(self, config: ConfigT) -> tuple[str, ...]:
        """Returns what networks of one's own must have: some of "pi", "v", "q", "q1" and "q2"."""
        return "pi", "v"

    def resolve(self, config: ConfigT) -> ConfigT:
        """Fills in what depends on other flags, and checks what flags alone can't."""
        given = vars(config)
        # Networks of 64 units are too small to share between cores.
        missing: dict[str, Any] = {"threads": config.threads or 1}
        if given["eval_freq"] is None:
            missing["eval_freq"] = given["scalar_log_freq"]
        if isinstance(config, LayerConfig):
            sizes = config.hidden_sizes()
            missing |= {"n_layers": len(sizes), "size": sizes[0]} if config.hidden is None else {}
        return dataclasses.replace(count_episodes(config), **missing)

    def make_env(self, config: ConfigT, training: bool, render: str | None = None) -> Any:
        """Makes an environment to learn in, or one whose episodes are whole and scores unclipped.

        Raises:
            UserError: If there is no such environment, or the agent cannot act in it.
        """
        from cs285.infrastructure.environments import envs

        return envs.make_env(config.env_name, **config.task(render))

    def in_learning(self, config: ConfigT) -> Any:
        """Makes the environment that the agent learns in, or several side by side."""
        from cs285.infrastructure.environments.scaled_rewards import scaled

        env = self.make_env(config, training=True)
        return env if self.plays_paths else scaled(env, config.reward_scale)

    def bytes_of_memory(self, env: Any, config: ConfigT) -> float:
        """Returns the bytes that the replay buffer takes, at least."""
        return 0.0

    def parameters(self, config: ConfigT) -> dict[str, Any]:
        """Returns what the trainer reads."""
        return dataclasses.asdict(config) | path_lengths(config) | config.loop()

    def own(self, config: ConfigT, eval_env: Any) -> Any:
        """Returns networks of one's own for an environment of evaluations; None without any."""
        from cs285.infrastructure import own_networks

        return own_networks.asked_for(config, eval_env, *self.own_parts(config))

    def new_agent(self, env: Any, config: ConfigT, eval_env: Any) -> Any:
        """Builds the agent, which plays in `env`."""
        return self.agent_class()(env, config, self.own(config, eval_env))

    def new_policy(self, env: Any, config: ConfigT) -> tuple[Any, Any]:
        """Returns what the weights of a run are loaded into, and what plays evaluations with it."""
        agent = self.new_agent(env, config, env)
        return agent.actor, agent.eval_policy

    def load_policy(
        self, settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
    ) -> tuple[Any, Any]:
        """Returns the environment and the policy of a run's evaluations, from its config.json."""
        config = config_from_dict(self.config_class, settings, fill_in=True)
        env = self.make_env(config, training=False, render=render)
        network, policy = self.new_policy(env, config)
        network.load_state_dict(weights)
        return env, policy

    def build(self, config: ConfigT, run_dir: Path) -> RL_Trainer:
        """Builds environments, agent and trainer of a run that writes into `run_dir`."""
        render = "rgb_array" if vars(config)["video_log_freq"] > 0 else None
        # What is wrong with the task is reported before torch is imported.
        eval_env = closed_later(self.make_env(config, training=False, render=render))
        env = closed_later(self.in_learning(config))
        check_memory(self.bytes_of_memory(env, config), config)
        from cs285.infrastructure.rl_trainer import RL_Trainer

        set_up(config, env, eval_env)
        agent = self.new_agent(env, config, eval_env)
        return RL_Trainer(self.parameters(config), agent, env, eval_env, run_dir)

    def main(self, argv: Sequence[str] | None = None) -> int:
        """Trains, or resumes a training, as a command line says; returns the exit status."""
        return cli(lambda words: launch(self, words))(argv)
