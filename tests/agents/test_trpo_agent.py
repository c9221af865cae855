"""TRPO: Fisher products by an explicit matrix, the step's length, the line search, resumption."""

import copy
from typing import Any

import numpy as np
import pytest
import torch

from cs285.agents.trpo_agent import Played, TRPOAgent, TRPOSettings
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.returns import generalized_advantages
from tests.agents.test_ppo_agent import N, paths
from tests.segments import Nowhere, hold

SETTINGS: dict[str, Any] = {"ob_dim": 3, "ac_dim": 2, "discrete": True, "hidden": (4,)}
both_kinds = pytest.mark.parametrize("discrete", [True, False])


def make_agent(**changes: Any) -> Any:
    return TRPOAgent(Nowhere(), TRPOSettings(**SETTINGS | changes))


def played(agent: Any) -> Played:
    rng = np.random.default_rng(1)
    discrete = agent.settings.discrete
    acs = rng.integers(2, size=N) if discrete else rng.normal(size=(N, 2))
    return agent.played(rng.normal(size=(N, 3)), acs, rng.normal(size=N))


def flat(agent: Any) -> torch.Tensor:
    return torch.cat([weight.detach().flatten() for weight in agent.weights])


def test_at_the_old_policy_nothing_is_gained_and_nothing_has_moved() -> None:
    agent = make_agent()
    data = played(agent)
    assert agent.surrogate(data).item() == pytest.approx(0.0, abs=1e-6)  # mean of the advantages
    assert agent.mean_kl(data).item() == pytest.approx(0.0, abs=1e-6)
    assert agent.flat_gradient(agent.mean_kl(data)).abs().max().item() < 1e-6


def test_surrogate_by_hand() -> None:
    agent = make_agent()
    obs, acs = torch.zeros(3, 3), torch.zeros(3)
    with torch.no_grad():
        pi = agent.actor(obs)
    ratios, adv_n = torch.tensor([2.0, 0.5, 1.0]), torch.tensor([1.0, 4.0, -3.0])
    data = Played(obs, acs, adv_n, pi, pi.log_prob(acs) - ratios.log())
    assert agent.surrogate(data).item() == pytest.approx((2 + 2 - 3) / 3, rel=1e-5)


@both_kinds
def test_surrogate_has_the_policy_gradient(discrete: bool) -> None:
    agent = make_agent(discrete=discrete)
    data = played(agent)
    log_prob_n = agent.actor(data.ob_no).log_prob(data.ac_na)
    expected = agent.flat_gradient((log_prob_n * data.adv_n).mean())
    torch.testing.assert_close(agent.flat_gradient(agent.surrogate(data)), expected)


@both_kinds
def test_fisher_product_is_that_of_the_explicit_matrix(discrete: bool) -> None:
    """The Fisher matrix as the expected outer product of scores: no second derivative in it."""
    agent = make_agent(discrete=discrete, damping=0.3)
    torch.nn.init.normal_((agent.actor.logits_na or agent.actor.mean_net)[2].weight)
    data = played(agent)
    d = len(flat(agent))
    fisher = torch.zeros(d, d)
    for ob in data.ob_no:
        pi = agent.actor(ob[None])
        if discrete:
            for action in range(2):
                log_prob = pi.log_prob(torch.tensor([action]))[0]
                score = agent.flat_gradient(log_prob)
                fisher += log_prob.exp().item() * torch.outer(score, score) / N
        else:  # of a Gaussian: J' diag(1 / std^2) J for the mean, 2 for each log std
            mean, std = pi.base_dist.loc[0], pi.base_dist.scale[0].detach()
            weights, agent.weights = agent.weights, list(agent.actor.mean_net.parameters())
            for i in range(2):
                score = agent.flat_gradient(mean[i]) / std[i]
                fisher[2:, 2:] += torch.outer(score, score) / N
            agent.weights = weights
            fisher[:2, :2] += 2 * torch.eye(2) / N
    kl_gradient = agent.flat_gradient(agent.mean_kl(data), create_graph=True)
    vector = torch.randn(d)
    product = agent.fisher_product(kl_gradient, vector)
    assert not product.requires_grad
    torch.testing.assert_close(product, fisher @ vector + 0.3 * vector, rtol=1e-3, atol=1e-4)
    # Once more: the graph must still be there.
    torch.testing.assert_close(agent.fisher_product(kl_gradient, vector), product)


def test_step_by_hand() -> None:
    agent = make_agent(max_kl=0.02)
    direction = torch.tensor([3.0, 4.0])
    step = agent.longest_step(direction, 4.0 * direction)
    torch.testing.assert_close(step, torch.tensor([0.06, 0.08]))  # x'Hx = 100; sqrt(0.04 / 100)
    assert not agent.longest_step(torch.zeros(2), torch.zeros(2)).any()


@both_kinds
def test_without_damping_the_step_ends_near_the_edge(discrete: bool) -> None:
    agent = make_agent(discrete=discrete, max_kl=1e-4, damping=1e-4, line_search_shrink=0.95)
    torch.nn.init.normal_((agent.actor.logits_na or agent.actor.mean_net)[2].weight)
    data = played(agent)
    log = agent.update_policy(data)
    # For a small step, the divergence is its quadratic form, up to what damping takes.
    assert 0.7e-4 < log["KL"] <= 1e-4
    assert log["Actor_Loss"] < 0.0 < log["Step_Fraction"]


def test_line_search_takes_the_first_fraction_that_helps() -> None:
    agent = make_agent(line_search_shrink=0.5, max_kl=1.0)
    start = flat(agent)
    step = torch.ones_like(start)
    tried = []

    def distance() -> float:
        return (flat(agent) - start)[0].item()

    def surrogate(_: Any) -> torch.Tensor:
        tried.append(round(distance(), 3))
        return torch.tensor({0.5: -1.0}.get(tried[-1], tried[-1]))  # a half of the step is worse

    agent.surrogate = surrogate
    agent.mean_kl = lambda _: torch.tensor(3.0 * distance())  # too far until a third of the step
    assert agent.line_search(step, None) == 0.25
    assert tried == [0.0, 1.0, 0.5, 0.25]
    torch.testing.assert_close(flat(agent), start + 0.25)


@pytest.mark.parametrize("fault", ["worse", "equal", "far", "nan"])
def test_a_step_that_never_helps_is_taken_back(fault: str) -> None:
    agent = make_agent()
    start = flat(agent)
    gains = {"worse": -1.0, "equal": 0.0, "far": 1.0, "nan": np.nan}
    agent.surrogate = lambda _: torch.tensor(
        0.0 if torch.equal(flat(agent), start) else gains[fault]
    )
    agent.mean_kl = lambda _: torch.tensor(1.0 if fault == "far" else 0.0)
    assert agent.line_search(torch.ones_like(start), None) == 0.0
    assert torch.equal(flat(agent), start)


def test_a_step_that_is_not_a_number_is_taken_back() -> None:
    agent = make_agent()
    data, start = played(agent), flat(agent)
    assert agent.line_search(torch.full_like(start, np.nan), data) == 0.0
    assert torch.equal(flat(agent), start)


def test_equal_advantages_move_nothing() -> None:
    agent = make_agent()
    start = flat(agent)
    data = played(agent)._replace(adv_n=torch.zeros(N))
    assert agent.update_policy(data)["Step_Fraction"] == 0.0
    assert torch.equal(flat(agent), start)


def test_train_hands_on_advantages_and_targets() -> None:
    agent = make_agent(num_epochs=2, minibatch_size=4)
    hold(agent, paths())
    ob_no, ac_na, re_n, next_ob_no, terminal_n = agent.sample(N)
    value_n = agent.critic.forward_np(ob_no)
    adv_n = generalized_advantages(
        re_n,
        value_n,
        agent.critic.forward_np(next_ob_no),
        terminal_n,
        np.isin(np.arange(N), [6, 10]),
        0.99,
        0.95,
    )
    record, fitted = [], []
    agent.update_policy = lambda data: record.append(data) or {"KL": 0.5}
    agent.critic.update = lambda obs, targets: fitted.append((obs, targets)) or len(fitted)
    log = agent.train(ob_no, ac_na, re_n, next_ob_no, terminal_n)
    standardised = (adv_n - adv_n.mean()) / adv_n.std()
    np.testing.assert_allclose(ptu.to_numpy(record[0].adv_n), standardised, rtol=1e-5, atol=1e-6)
    assert [len(targets) for _, targets in fitted] == [4, 4, 3] * 2
    for epoch in (fitted[:3], fitted[3:]):
        obs, targets = (np.concatenate(columns) for columns in zip(*epoch, strict=True))
        order = [int(np.flatnonzero((ob_no == ob).all(axis=1))[0]) for ob in obs]
        assert sorted(order) == list(range(N))
        np.testing.assert_allclose(targets, (adv_n + value_n)[order], rtol=1e-6)
    assert log["Critic_Loss"] == 5.0 and log["KL"] == 0.5


@both_kinds
def test_resumed_training_is_the_same_bit_for_bit(discrete: bool) -> None:
    agent, resumed = make_agent(discrete=discrete), make_agent(discrete=discrete)
    hold(agent, paths(discrete))
    agent.train(*agent.sample(N))
    resumed.load_state_dict(copy.deepcopy(agent.state_dict()))
    logs = []
    for each in (agent, resumed):
        hold(each, paths(discrete))
        torch.manual_seed(0)  # of the shuffles; a checkpoint holds that too
        logs.append(each.train(*each.sample(N)))
    assert logs[0] == logs[1]
    assert all(np.isfinite(number) for number in logs[0].values())
    assert torch.equal(flat(agent), flat(resumed))
