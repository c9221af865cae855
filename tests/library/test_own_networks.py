"""Networks of one's own take the place of an agent's, and come back with the run."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import torch

import cs285
from cs285.infrastructure import own_networks
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import OwnNetworkFlags
from cs285.infrastructure.own_networks import OwnNetworks
from tests.running import load_script

from own_nets import Actions, OffPolicy, OnPolicy, Shared  # isort: skip

ON = {"n_iter": 2, "batch_size": 60, "eval_episodes": 1, "ep_len": 30}
OFF = {"num_timesteps": 130, "learning_starts": 50, "eval_freq": -1, "ep_len": 30, "threads": 1}
CASES = {
    "vpg": (OnPolicy, ON | {"env": "Pendulum-v1", "nn_baseline": True}),
    "actor_critic": (OnPolicy, ON),
    "ppo": (OnPolicy, ON | {"minibatch_size": 30}),
    "trpo": (OnPolicy, ON | {"env": "Pendulum-v1", "minibatch_size": 30}),
    "ddpg": (OffPolicy, OFF),
    "td3": (OffPolicy, OFF),
    "sac": (OffPolicy, OFF),
    "dqn": (Actions, OFF | {"env": "CartPole-v1"}),
}


@pytest.mark.parametrize(
    "algorithm",
    [pytest.param(name, marks=[] if name == "ppo" else pytest.mark.slow) for name in CASES],
)
def test_they_learn_and_come_back(algorithm: str, tmp_path: Path) -> None:
    builder, settings = CASES[algorithm]
    kwargs = {"units": 5} | ({"gauss": True} if algorithm == "sac" else {})
    run = cs285.train(
        algorithm, data_dir=tmp_path, actor_critic=builder, ac_kwargs=kwargs, **settings
    )
    assert run.settings["actor_critic"] == f"own_nets:{builder.__name__}"
    weights = own_weights(run.folder / "policy.safetensors")
    assert (5, 3 if "Pend" in run.settings["env_name"] else 4) in weights  # their first layer
    size = cs285.env_info(run.settings["env_name"], verbose=False)["state_dim"]
    obs = np.random.default_rng(0).normal(size=(2, size))
    actions = cs285.load(run.folder).policy(obs)
    assert len(actions) == 2
    longer = {name: 2 * settings[name] for name in ("n_iter", "num_timesteps") if name in settings}
    run.resume(**longer)  # the optimizers too come back
    if builder is not Actions:  # whose two actions may be valued as before
        assert not np.array_equal(run.policy(obs), actions) or builder is OnPolicy


def own_weights(file: Path) -> list[tuple[int, ...]]:
    """The shapes of all weights in a file."""
    import safetensors.torch

    return [tuple(weight.shape) for weight in safetensors.torch.load_file(file).values()]


def networks(builder, env_name: str = "Pendulum-v1", outputs: int = 1, **kwargs) -> OwnNetworks:
    env = gym.make(env_name)
    spaces = (env.observation_space, env.action_space)
    return OwnNetworks("nets:It", builder, spaces, kwargs, outputs)


WRONG = {
    "there is no module q; this agent needs pi, q": (OnPolicy, ("pi", "q"), {}),
    "pi returned shape (2, 1) for two observations, not (2, 2)": (OffPolicy, ("pi",), {"n": 2}),
    "v and pi share weights: give each its own": (Shared, ("pi", "v"), {}),
    "unexpected keyword argument 'size'": (OnPolicy, ("pi",), {"size": 3}),
    "returned dict, no torch module": (lambda *spaces: {}, ("pi",), {}),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_does_not_fit_is_one_line(message: str) -> None:
    builder, parts, kwargs = WRONG[message]
    kwargs = dict(kwargs)
    outputs = kwargs.pop("n", 1)
    with pytest.raises(UserError) as caught:
        networks(builder, outputs=outputs, **kwargs).check(parts)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_distribution_needs_its_deviation() -> None:
    class Bare(OnPolicy):
        def __init__(self, *spaces) -> None:
            super().__init__(*spaces)
            pi = torch.nn.Module()
            pi.forward = lambda obs: torch.distributions.Normal(obs[:, :1], 1.0)
            self.pi = pi

    with pytest.raises(UserError, match="a Normal needs log_std beside it"):
        networks(Bare).check(["pi"])


def test_the_deviation_is_theirs_and_is_learned() -> None:
    from cs285.policies.MLP_policy import MLPPolicyAC

    torch.manual_seed(0)
    policy = MLPPolicyAC(1, 3, 2, 8)
    networks(OnPolicy).install(policy)
    assert policy.logstd is policy.mean_net.part.log_std and policy.logstd.item() == -0.5
    obs = np.float32([[1, 0, 0], [0, 1, 0]])
    before = [weight.clone() for weight in policy.parameters()]
    policy.update(obs, np.float32([[0.3], [1.0]]), np.float32([1.0, -2.0]))
    assert all(not torch.equal(a, b) for a, b in zip(before, policy.parameters(), strict=True))


def test_names_that_lead_nowhere_are_one_line(tmp_path: Path, capsys, monkeypatch) -> None:
    script = load_script("run_hw5_ppo")
    monkeypatch.chdir(tmp_path)
    for words, message in {
        "--actor_critic nowhere:Net": "nowhere:Net: No module named 'nowhere'; write module:name",
        "--actor_critic json:Net": "json:Net: module 'json' has no attribute 'Net'",
        '--ac_kwargs {"bias":0}': "--ac_kwargs are those of --actor_critic: give both",
        "--actor_critic own_nets:OnPolicy --ac_kwargs [1]": "--ac_kwargs takes a JSON object",
        "--actor_critic own_nets:OnPolicy --normalize_observations": "has to scale them itself",
    }.items():
        assert script.main([*words.split(), "-n", "1"]) == 2
        error = capsys.readouterr().err
        assert message in error and error.count("\n") == 1, error
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_working_directory_is_found(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "nets_of_a_person.py").write_text("class Net:\n    size = 3\n")
    monkeypatch.chdir(tmp_path)
    assert own_networks.find("nets_of_a_person:Net").size == 3


def test_settings_of_earlier_versions_have_none() -> None:
    config = OwnNetworkFlags()
    assert own_networks.asked_for(config, None, "pi") is None
    assert dataclasses.asdict(config) == {"actor_critic": None, "ac_kwargs": None}
