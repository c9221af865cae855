"""Algorithms as functions: an environment and networks that are handed in."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import pytest
import torch

import studies
from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.errors import UserError
from studies import callable as functions
from studies import scripts
from studies.grid import ExperimentGrid


class OwnTask(gym.Wrapper):
    """A task that `gymnasium.make` makes no part of."""


def test_there_are_no_others() -> None:
    assert studies.ppo_pytorch is studies.algorithm("ppo_pytorch")
    with pytest.raises(AttributeError, match="studies has no ppx"):
        studies.ppx  # noqa: B018


def test_a_grid_takes_a_function(capsys: pytest.CaptureFixture[str]) -> None:
    grid = ExperimentGrid("bench")
    grid.add("seed", [0, 1])
    assert grid.study(studies.ppo) == grid.study("ppo") != grid.study("vpg")


def test_an_environment_may_be_made_by_a_function() -> None:
    assert functions.id_of(lambda: gym.make("CartPole-v1")) == "CartPole-v1"
    own = lambda: OwnTask(gym.make("CartPole-v1"))  # noqa: E731  (as people type it)
    for given in (own, own()):  # its id is CartPole's: without the wrapper, another task
        with pytest.raises(UserError, match=r"gymnasium.register\('OwnTask-v0'"):
            functions.id_of(given)


def test_networks_become_flags() -> None:
    usual = {"hidden_sizes": (32, 32), "activation": torch.nn.Tanh}
    assert functions.network_flags(None, usual) == {"hid": (32, 32), "act": torch.nn.Tanh}
    own = functions.network_flags(torch.nn.Linear, {"bias": False})
    assert own["actor_critic"].endswith(":Linear") and own["ac_kwargs"] == '{"bias": false}'
    with pytest.raises(UserError, match="ac_kwargs has units; the usual networks have hidden_si"):
        functions.network_flags(None, {"units": 3})


def test_runs_of_earlier_versions_are_the_same_still() -> None:
    before = {"seed": 1, "discount": 0.9}
    assert scripts.learned(before | {"actor_critic": None, "ac_kwargs": None}) == before
    assert scripts.learned(before | {"actor_critic": "m:N"}) != before


@pytest.mark.slow
def test_a_function_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tiny = {"n_iter": 1, "batch_size": 60, "eval_episodes": 1, "minibatch_size": 30}
    kwargs = {"hidden_sizes": (8, 8)}
    status = studies.ppo(lambda: gym.make("CartPole-v1"), ac_kwargs=kwargs, seed=3, **tiny)
    settings = read_config_json(tmp_path / "data/ppo/ppo_s3")["settings"]
    assert status == 0 and settings["env_name"] == "CartPole-v1" and settings["hidden"] == "8,8"
