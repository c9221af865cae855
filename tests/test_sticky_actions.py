"""The chance that an Atari game repeats its last action: as its id has it, or as a flag says."""

from __future__ import annotations

import dataclasses
from typing import Any

import gymnasium as gym
import pytest

from cs285.experiments import dqn, ppo
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments import atari

EXPERIMENTS: dict[str, tuple[Any, Any]] = {
    "dqn": (dqn.EXPERIMENT, dqn.DQNConfig),
    "ppo": (ppo.EXPERIMENT, ppo.PPOConfig),
}


def resolved(name: str, **settings: Any) -> Any:
    experiment, config_class = EXPERIMENTS[name]
    return experiment.resolve(dataclasses.replace(config_class(), **settings))


def chance_played(name: str, config: Any) -> float:
    """What the emulator itself was given, in training and in evaluation."""
    experiment, _ = EXPERIMENTS[name]
    both = [experiment.make_env(config, training=training) for training in (True, False)]
    (chance,) = {env.unwrapped.ale.getFloat("repeat_action_probability") for env in both}
    return float(chance)


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.parametrize(
    ("env_name", "asked", "chance"),
    [
        ("MsPacman-v0", None, 0.25),
        ("MsPacman-v0", 0.0, 0.0),
        ("MsPacman-v0", 0.5, 0.5),
        ("PongNoFrameskip-v4", None, 0.0),
        ("ALE/Pong-v5", None, 0.25),
    ],
)
def test_what_is_recorded_is_played(
    name: str, env_name: str, asked: float | None, chance: float
) -> None:
    config = resolved(name, env_name=env_name, sticky_actions=asked)
    assert config.sticky_actions == chance
    assert chance_played(name, config) == chance


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_environments_own_word_still_works(name: str) -> None:
    kwargs = {atari.REPEAT: 0.1}
    config = resolved(name, env_name="MsPacman-v0", env_kwargs=kwargs)
    assert config.sticky_actions is None
    assert chance_played(name, config) == pytest.approx(0.1)
    with pytest.raises(UserError, match="give one of them"):
        resolved(name, env_name="MsPacman-v0", env_kwargs=kwargs, sticky_actions=0.1)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_other_task_has_it(name: str) -> None:
    with pytest.raises(UserError, match="CartPole-v1 is no Atari game"):
        resolved(name, env_name="CartPole-v1", sticky_actions=0.0)
    assert resolved(name, env_name="CartPole-v1").sticky_actions is None


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_both_play_the_courses_game_of_longer_steps(name: str) -> None:
    experiment, _ = EXPERIMENTS[name]
    for frame_skip, longer in (("4", False), ("2-4x4", True)):
        config = resolved(name, env_name="MsPacman-v0", frame_skip=frame_skip)
        env = experiment.make_env(config, training=True)
        while isinstance(env, gym.Wrapper) and not isinstance(env, atari.OwnSkip):
            env = env.env
        assert isinstance(env, atari.OwnSkip) == longer


def test_an_older_run_is_played_as_its_id_has_it() -> None:
    """Its config.json has no such setting."""
    config = dataclasses.replace(resolved("dqn", env_name="MsPacman-v0"), sticky_actions=None)
    assert chance_played("dqn", config) == 0.25
