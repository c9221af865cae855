"""PPO: its parts by hand and by autograd-free oracles, coverage, the stop on KL, resumption."""

import copy
from typing import Any

import numpy as np
import pytest
import torch

from cs285.agents.ppo_agent import (
    PPOAgent,
    clipped_surrogate_loss,
    kl_estimate,
    minibatches,
    standardize,
)
from cs285.configs.ppo import PPOConfig
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.rollouts import PathDict
from tests.by_hand import Nowhere
from tests.segments import joined

N = 11


def make_agent(discrete: bool = True, **changes: Any) -> Any:
    env: Any = Nowhere(discrete=discrete)
    return PPOAgent(env, PPOConfig(**{"hidden": "8", "minibatch_size": 4} | changes))


def paths(discrete: bool = True, seed: int = 0) -> list[PathDict]:
    """A path of 7 steps that was cut, and one of 4 that ended."""
    rng = np.random.default_rng(seed)
    found = []
    for length, terminal in ((7, False), (4, True)):
        acs = rng.integers(2, size=length) if discrete else rng.normal(size=(length, 2))
        obs = rng.normal(size=(length + 1, 3)).astype(np.float32)
        found.append(
            {
                "observation": obs[:-1],
                "next_observation": obs[1:],
                "action": acs.astype(np.float32),
                "reward": rng.normal(size=length).astype(np.float32),
                "terminal": np.eye(length, dtype=np.float32)[-1] * terminal,
            }
        )
    return found


def log_ratios(ratios: list[float]) -> torch.Tensor:
    return torch.tensor(ratios, dtype=torch.float64).log().requires_grad_()


def test_advantages_and_targets_by_hand() -> None:
    agent = make_agent(discount=0.5, gae_lambda=0.5)
    agent.critic.forward_np = lambda obs: obs[:, 0]
    obs = np.zeros((4, 3), np.float32)
    obs[:, 0] = [1.0, 2.0, 3.0, 8.0]
    path = {"observation": obs[:-1], "next_observation": obs[1:], "action": np.zeros(3)}
    path |= {"reward": np.array([1.0, 2.0, 4.0]), "terminal": np.zeros(3)}
    ob_no, _, re_n, next_ob_no, terminal_n, path_ends_n = joined([path])
    adv_n, target_n = agent.estimate_advantage(ob_no, next_ob_no, re_n, terminal_n, path_ends_n)
    # One-step errors 1 + 1 - 1, 2 + 1.5 - 2, 4 + 4 - 3 (only cut); each passes a quarter back.
    expected = np.array([1 + (1.5 + 5 / 4) / 4, 1.5 + 5 / 4, 5.0])
    np.testing.assert_allclose(adv_n, expected)
    np.testing.assert_allclose(target_n, expected + [1, 2, 3])


@pytest.mark.parametrize("n", [1, 8, 11])
def test_minibatches_deal_out_each_row_once(n: int) -> None:
    epochs = [minibatches(n, 4) for _ in range(2)]
    for dealt in epochs:
        assert sorted(torch.cat(list(dealt)).tolist()) == list(range(n))
        assert all(len(rows) == 4 for rows in dealt[:-1])
        assert len(dealt) == -(-n // 4)
    if n == 11:
        assert torch.cat(list(epochs[0])).tolist() != torch.cat(list(epochs[1])).tolist()


def test_clipped_loss_by_hand() -> None:
    log_ratio_n = log_ratios([1.5, 1.5, 0.5, 0.5])
    adv_n = torch.tensor([1.0, -1.0, 1.0, -1.0], dtype=torch.float64)
    loss = clipped_surrogate_loss(log_ratio_n, adv_n, 0.2)
    # The smaller of the two promises: 1.2, -1.5, 0.5, -0.8.
    assert loss.item() == pytest.approx(-(1.2 - 1.5 + 0.5 - 0.8) / 4, rel=1e-6)
    loss.backward()
    # Beyond the clip there is nothing to gain, and no gradient; a loss there still has one.
    assert log_ratio_n.grad is not None
    expected = [0.0, 1.5 / 4, -0.5 / 4, 0.0]
    np.testing.assert_allclose(log_ratio_n.grad.numpy(), expected, rtol=1e-6, atol=1e-12)


def test_the_clip_is_where_it_is_asked_for() -> None:
    loss = clipped_surrogate_loss(torch.tensor([3.0]).log(), torch.tensor([2.0]), 0.5)
    assert loss.item() == pytest.approx(-1.5 * 2)


def test_standardize_by_hand() -> None:
    # Mean 4, deviations -3, -1, 1, 3: their mean square is 5, and not 20 / 3.
    scaled = standardize(torch.tensor([1.0, 3.0, 5.0, 7.0]))
    torch.testing.assert_close(scaled, torch.tensor([-3.0, -1.0, 1.0, 3.0]) / 5**0.5)
    assert standardize(torch.tensor([2.0])).tolist() == [0.0]


def test_kl_estimate_by_hand_and_on_average() -> None:
    assert kl_estimate(torch.zeros(3)) == 0.0
    by_hand = (2 - 1 - np.log(2) + 0.5 - 1 + np.log(2)) / 2
    assert kl_estimate(torch.tensor([2.0, 0.5]).log()) == pytest.approx(by_hand, rel=1e-5)
    old = torch.distributions.Normal(0.0, 1.0)
    new = torch.distributions.Normal(0.3, 1.2)
    acs = old.sample((200_000,))
    exact = torch.distributions.kl_divergence(old, new).item()
    # The spread of the mean of 200,000 is below 0.0005.
    estimate = kl_estimate(new.log_prob(acs) - old.log_prob(acs))
    assert estimate == pytest.approx(exact, abs=0.002)


def tensors(agent: Any, discrete: bool = True) -> tuple[torch.Tensor, ...]:
    rng = np.random.default_rng(1)
    obs = ptu.from_numpy(rng.normal(size=(5, 3)))
    acs = ptu.from_numpy(rng.integers(2, size=5) if discrete else rng.normal(size=(5, 2)))
    adv, target = ptu.from_numpy(rng.normal(size=5)), ptu.from_numpy(rng.normal(size=5))
    with torch.no_grad():
        return obs, acs, adv, target, agent.actor(obs).log_prob(acs)


@pytest.mark.parametrize("discrete", [True, False])
def test_gradient_is_that_of_the_three_losses(discrete: bool) -> None:
    agent = make_agent(discrete=discrete, value_coef=0.7, entropy_coef=0.3, max_grad_norm=1e9)
    batch = obs, acs, adv, target, _ = tensors(agent, discrete)
    agent.optimizer = torch.optim.SGD(agent.weights, lr=1.0)
    before = [weight.detach().clone() for weight in agent.weights]
    twin = copy.deepcopy(agent)
    log, kl = agent.update(*batch)
    assert kl.item() == 0.0
    pi = twin.actor(obs)
    scaled = (adv - adv.mean()) / (adv.var(correction=0).sqrt() + 1e-8)
    # At ratio 1 the surrogate's gradient is that of the plain policy gradient.
    value_loss = ((twin.critic(obs) - target) ** 2).sum() / 5
    loss = -(pi.log_prob(acs) * scaled).sum() / 5 + 0.7 * value_loss - 0.3 * pi.entropy().sum() / 5
    gradients = torch.autograd.grad(loss, twin.weights)
    for old, new, gradient in zip(before, agent.weights, gradients, strict=True):
        torch.testing.assert_close(old - new.detach(), gradient, rtol=1e-3, atol=1e-6)
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm().item()
    assert log["Gradient_Norm"] == pytest.approx(norm, rel=1e-4)
    assert log["Critic_Loss"] == pytest.approx(value_loss.item(), rel=1e-5)
    assert log["Entropy"] == pytest.approx(pi.entropy().mean().item(), rel=1e-5)
    assert log["Clip_Fraction"] == 0.0


def test_gradient_is_clipped_as_one() -> None:
    agent = make_agent(max_grad_norm=0.01)
    batch = tensors(agent)
    agent.optimizer = torch.optim.SGD(agent.weights, lr=1.0)
    before = torch.cat([weight.detach().flatten().clone() for weight in agent.weights])
    log, _ = agent.update(*batch)
    after = torch.cat([weight.detach().flatten() for weight in agent.weights])
    assert log["Gradient_Norm"] > 0.1
    assert (after - before).norm().item() == pytest.approx(0.01, rel=1e-3)


def test_it_stops_before_the_step_that_goes_on_too_far() -> None:
    agent = make_agent(target_kl=0.01)
    batch = list(tensors(agent))
    batch[4] = batch[4] + torch.tensor([0.5, -0.5, 0.5, -0.5, 0.5])  # played by another policy
    before = [weight.detach().clone() for weight in agent.weights]
    log, kl = agent.update(*batch)
    assert kl.item() > 0.015 and log == {}
    assert all(torch.equal(a, b) for a, b in zip(before, agent.weights, strict=True))


def spied(agent: Any, stop_at: int = -1) -> list[Any]:
    """Trains an agent whose `update` only takes notes; returns them."""
    calls: list[Any] = []

    def update(*batch: torch.Tensor) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        calls.append(batch)
        log = {} if len(calls) == stop_at else {"Actor_Loss": torch.tensor(float(len(calls)))}
        return log, torch.tensor(len(calls) / 64)

    agent.update = update
    agent.logged = agent.train(*joined(paths()))
    return calls


def test_every_epoch_covers_the_batch_and_rows_stay_rows() -> None:
    agent = make_agent(num_epochs=3)
    calls = spied(agent)
    assert len(calls) == 3 * 3
    ob_no, ac_na, re_n, next_ob_no, terminal_n, path_ends_n = joined(paths())
    adv_n, target_n = agent.estimate_advantage(ob_no, next_ob_no, re_n, terminal_n, path_ends_n)
    with torch.no_grad():
        log_prob_n = agent.actor(ptu.from_numpy(ob_no)).log_prob(ptu.from_numpy(ac_na)).numpy()
    whole = (ob_no, ac_na, adv_n, target_n, log_prob_n)
    for epoch in (calls[:3], calls[3:6], calls[6:]):
        together = [torch.cat(columns).numpy() for columns in zip(*epoch, strict=True)]
        order = [int(np.flatnonzero((ob_no == ob).all(axis=1))[0]) for ob in together[0]]
        assert sorted(order) == list(range(N))
        for got, column in zip(together, whole, strict=True):
            np.testing.assert_allclose(got, column[order], rtol=1e-5, atol=1e-6)
    assert agent.logged["Actor_Loss"] == 5.0
    explained = 1 - np.var(target_n - (target_n - adv_n)) / np.var(target_n)
    assert agent.logged["Explained_Variance"] == pytest.approx(explained, rel=1e-5)


@pytest.mark.parametrize(("over", "rates"), [(4, [0.75, 0.5, 0.25, 0.0]), (None, [1.0] * 4)])
def test_the_step_size_falls_to_0_over_the_run(over: int | None, rates: list[float]) -> None:
    settings = {} if over is None else {"anneal": True, "n_iter": over}
    agent, record = make_agent(**settings, learning_rate=1e-3), []
    for _ in rates:
        agent.train(*joined(paths()))
        agent = resumed(agent)
        record.append(agent.optimizer.param_groups[0]["lr"])
    np.testing.assert_allclose(record, np.array(rates) * 1e-3, atol=1e-12)


def resumed(agent: Any) -> Any:
    again = PPOAgent(agent.env, agent.settings)
    again.load_state_dict(copy.deepcopy(agent.state_dict()))
    return again


def test_the_stop_ends_all_epochs() -> None:
    agent = make_agent(num_epochs=5)
    assert len(spied(agent, stop_at=5)) == 5
    assert agent.logged["Actor_Loss"] == 2.5  # of the four steps that were taken
    assert agent.logged["KL"] == 5 / 64


def test_a_policy_begins_nearly_the_same_everywhere() -> None:
    agent = make_agent()
    obs = torch.randn(50, 3)
    probs = agent.actor(obs).probs
    assert (probs - 0.5).abs().max().item() < 0.02  # orthogonal head of gain 0.01
    for layer in (agent.actor.logits_na[0], agent.critic.critic_network[0]):
        gram = layer.weight.T @ layer.weight  # 8 x 3: orthogonal columns of length sqrt(2)
        torch.testing.assert_close(gram, 2 * torch.eye(3), rtol=1e-4, atol=1e-5)
        assert not layer.bias.any()
    assert agent.optimizer.param_groups[0]["eps"] == 1e-5


@pytest.mark.parametrize("discrete", [True, False])
def test_resumed_training_is_the_same_bit_for_bit(discrete: bool) -> None:
    agent, resumed = make_agent(discrete=discrete), make_agent(discrete=discrete)
    first = agent.train(*joined(paths(discrete)))
    names = ["Actor_Loss", "Critic_Loss", "Entropy", "Clip_Fraction", "Gradient_Norm"]
    assert list(first) == [*names, "KL", "Explained_Variance"]
    assert all(np.isfinite(number) for number in first.values())
    resumed.load_state_dict(copy.deepcopy(agent.state_dict()))
    logs = []
    for each in (agent, resumed):
        torch.manual_seed(0)  # of the shuffles; a checkpoint holds that too
        logs.append(each.train(*joined(paths(discrete))))
    assert logs[0] == logs[1]
    for weight, other in zip(agent.weights, resumed.weights, strict=True):
        assert torch.equal(weight, other)


@pytest.mark.parametrize("normalize", [True, False])
def test_observations_are_scaled_for_the_next_batch_only(normalize: bool) -> None:
    agent = make_agent(normalize_observations=normalize, num_epochs=1)
    calls = spied(agent)
    ob_no = joined(paths()).ob_no
    assert torch.cat([batch[0] for batch in calls]).mean(dim=0).numpy() == pytest.approx(
        ob_no.mean(axis=0), abs=1e-5
    )
    np.testing.assert_allclose(agent.norm.mean, ob_no.mean(axis=0), rtol=1e-4, atol=1e-6)
    first = (agent.actor.logits_na[0], agent.critic.critic_network[0])
    assert [layer is agent.norm for layer in first] == [normalize] * 2
    assert ("logits_na.0.mean" in agent.policy_state_dict()) == normalize


def test_step_sizes_of_their_own_are_two_groups_of_one_optimizer() -> None:
    for settings in ({"actor_learning_rate": 1e-2}, {"critic_learning_rate": 1e-2}):
        agent = make_agent(**settings, learning_rate=1e-3)
        rates = [1e-2, 1e-3] if "actor_learning_rate" in settings else [1e-3, 1e-2]
        assert [group["lr"] for group in agent.optimizer.param_groups] == rates
        for group, network in zip(
            agent.optimizer.param_groups, (agent.actor, agent.critic), strict=True
        ):
            ours = {id(weight) for weight in network.parameters()}
            assert {id(weight) for weight in group["params"]} == ours
    (group,) = make_agent(learning_rate=1e-3).optimizer.param_groups  # one call of Adam's kernel
    assert group["lr"] == 1e-3
