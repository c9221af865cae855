"""TRPO: Fisher products by an explicit matrix, the step's length, the line search, resumption."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import distributions

from cs285.agents.returns import generalized_advantages
from cs285.agents.trpo_agent import (
    TRPOAgent,
    fisher_product,
    flat_gradient,
    line_search,
    mean_kl,
    scale_to_trust_region,
    surrogate,
)
from cs285.configs.trpo import TRPOConfig
from cs285.infrastructure import pytorch_util as ptu
from tests.agents.test_ppo_agent import N, paths
from tests.by_hand import Nowhere
from tests.segments import joined

both_kinds = pytest.mark.parametrize("discrete", [True, False])


def make_agent(discrete: bool = True, **changes: Any) -> Any:
    env: Any = Nowhere(discrete=discrete)
    return TRPOAgent(env, TRPOConfig(hidden="4", **changes))


def batch_of(agent: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(1)
    discrete = agent.actor.discrete
    acs = rng.integers(2, size=N) if discrete else rng.normal(size=(N, 2))
    adv_n = rng.normal(size=N)
    columns = (rng.normal(size=(N, 3)), acs, (adv_n - adv_n.mean()) / adv_n.std())
    return tuple(ptu.from_numpy(column) for column in columns)  # type: ignore[return-value]


def detached(agent: Any, ob_no: torch.Tensor) -> distributions.Distribution:
    with torch.no_grad():
        return agent.actor(ob_no)


def flat(agent: Any) -> torch.Tensor:
    return torch.cat([weight.detach().flatten() for weight in agent.weights])


def test_at_the_old_policy_nothing_is_gained_and_nothing_has_moved() -> None:
    agent = make_agent()
    ob_no, ac_na, adv_n = batch_of(agent)
    old_pi, pi = detached(agent, ob_no), agent.actor(ob_no)
    objective = surrogate(pi.log_prob(ac_na), old_pi.log_prob(ac_na), adv_n)
    assert objective.item() == pytest.approx(0.0, abs=1e-6)  # mean of the advantages
    kl = mean_kl(old_pi, pi)
    assert kl.item() == pytest.approx(0.0, abs=1e-6)
    assert flat_gradient(kl, agent.weights).abs().max().item() < 1e-6


def test_surrogate_by_hand() -> None:
    log_prob_n = torch.tensor([0.4, 0.1, 0.3]).log()
    old_log_prob_n = torch.tensor([0.2, 0.2, 0.3]).log()  # ratios 2, 1/2, 1
    objective = surrogate(log_prob_n, old_log_prob_n, torch.tensor([1.0, 4.0, -3.0]))
    assert objective.item() == pytest.approx((2 + 2 - 3) / 3, rel=1e-5)


def test_mean_kl_by_hand() -> None:
    old = distributions.Categorical(torch.tensor([[0.5, 0.5], [0.25, 0.75]]))
    new = distributions.Categorical(torch.tensor([[0.25, 0.75], [0.25, 0.75]]))
    # 1/2 log(2) + 1/2 log(2/3) in the first state, 0 in the second.
    assert mean_kl(old, new).item() == pytest.approx(0.5 * np.log(4 / 3) / 2, rel=1e-5)


@both_kinds
def test_surrogate_has_the_policy_gradient(discrete: bool) -> None:
    agent = make_agent(discrete=discrete)
    ob_no, ac_na, adv_n = batch_of(agent)
    log_prob_n = agent.actor(ob_no).log_prob(ac_na)
    expected = flat_gradient((log_prob_n * adv_n).mean(), agent.weights)
    objective = surrogate(log_prob_n, log_prob_n.detach(), adv_n)
    torch.testing.assert_close(flat_gradient(objective, agent.weights), expected)


@both_kinds
def test_fisher_product_is_that_of_the_explicit_matrix(discrete: bool) -> None:
    """The Fisher matrix as the expected outer product of scores: no second derivative in it."""
    agent = make_agent(discrete=discrete)
    torch.nn.init.normal_((agent.actor.logits_na or agent.actor.mean_net)[2].weight)
    ob_no, _, _ = batch_of(agent)
    d = len(flat(agent))
    fisher = torch.zeros(d, d)
    for ob in ob_no:
        pi = agent.actor(ob[None])
        if discrete:
            for action in range(2):
                log_prob = pi.log_prob(torch.tensor([action]))[0]
                score = flat_gradient(log_prob, agent.weights)
                fisher += log_prob.exp().item() * torch.outer(score, score) / N
        else:  # of a Gaussian: J' diag(1 / std^2) J for the mean, 2 for each log std
            mean, std = pi.base_dist.loc[0], pi.base_dist.scale[0].detach()
            weights = list(agent.actor.mean_net.parameters())
            for i in range(2):
                score = flat_gradient(mean[i], weights) / std[i]
                fisher[2:, 2:] += torch.outer(score, score) / N
            fisher[:2, :2] += 2 * torch.eye(2) / N
    kl = mean_kl(detached(agent, ob_no), agent.actor(ob_no))
    kl_gradient = flat_gradient(kl, agent.weights, create_graph=True)
    vector = torch.randn(d)
    product = fisher_product(kl_gradient, vector, agent.weights, 0.3)
    assert not product.requires_grad
    torch.testing.assert_close(product, fisher @ vector + 0.3 * vector, rtol=1e-3, atol=1e-4)
    # Once more: the graph must still be there.
    torch.testing.assert_close(fisher_product(kl_gradient, vector, agent.weights, 0.3), product)


def test_fisher_product_by_hand() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    # f = x1^2 x2: gradient (2 x1 x2, x1^2), second derivative ((2 x2, 2 x1), (2 x1, 0)).
    gradient = flat_gradient(x[0] ** 2 * x[1], [x], create_graph=True)
    product = fisher_product(gradient, torch.tensor([1.0, 10.0]), [x], damping=0.5)
    assert product.tolist() == [4 + 20 + 0.5, 2 + 5.0]


def test_step_by_hand() -> None:
    direction = torch.tensor([3.0, 4.0])
    step = scale_to_trust_region(direction, 4.0 * direction, max_kl=0.02)
    torch.testing.assert_close(step, torch.tensor([0.06, 0.08]))  # x'Hx = 100; sqrt(0.04 / 100)
    assert not scale_to_trust_region(torch.zeros(2), torch.zeros(2), 0.02).any()


@both_kinds
def test_without_damping_the_step_ends_near_the_edge(discrete: bool) -> None:
    agent = make_agent(discrete=discrete, max_kl=1e-4, damping=1e-4, line_search_shrink=0.95)
    torch.nn.init.normal_((agent.actor.logits_na or agent.actor.mean_net)[2].weight)
    batch = ob_no, ac_na, adv_n = batch_of(agent)
    old_pi = detached(agent, ob_no)
    log = agent.update(*batch)
    # For a small step, the divergence is its quadratic form, up to what damping takes.
    assert 0.7e-4 < log["KL"] <= 1e-4
    assert log["Actor_Loss"] < 0.0 < log["Step_Fraction"]
    # The log is about the weights that are left.
    pi = detached(agent, ob_no)
    assert log["KL"].item() == mean_kl(old_pi, pi).item()
    gain = surrogate(pi.log_prob(ac_na), old_pi.log_prob(ac_na), adv_n)
    assert log["Actor_Loss"].item() == -gain.item()
    assert log["Entropy"].item() == pi.entropy().mean().item()
    assert not any(getattr(number, "requires_grad", False) for number in log.values())


Judged = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


def along(
    objectives: dict[float, float], kl: Callable[[float], float]
) -> tuple[Judged, list[float]]:
    """What `line_search` asks, by the distance from weights 5; and the distances that it tried."""
    tried: list[float] = []

    def objective_and_kl(theta: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        tried.append(round(theta[0].item() - 5.0, 3))
        objective = objectives.get(tried[-1], tried[-1])
        return torch.tensor(objective), torch.tensor(kl(tried[-1]))

    return objective_and_kl, tried


def test_line_search_takes_the_first_fraction_that_helps() -> None:
    settings = TRPOConfig(line_search_shrink=0.5, max_kl=1.0)
    # A half of the step is worse, and until a third of it, it is too far.
    judged, tried = along({0.5: -1.0}, kl=lambda distance: 3.0 * distance)
    start = torch.full((2,), 5.0)
    theta, fraction = line_search(judged, start, torch.ones(2), settings)
    assert (theta.tolist(), fraction) == ([5.25, 5.25], 0.25)
    assert tried == [0.0, 1.0, 0.5, 0.25]


@pytest.mark.parametrize("fault", ["worse", "equal", "far", "nan"])
def test_a_step_that_never_helps_is_taken_back(fault: str) -> None:
    settings = TRPOConfig(line_search_shrink=0.5, line_search_steps=3)
    gain = {"worse": -1.0, "equal": 0.0, "far": 1.0, "nan": np.nan}[fault]
    judged, tried = along({1.0: gain, 0.5: gain, 0.25: gain}, lambda _: float(fault == "far"))
    start = torch.full((2,), 5.0)
    theta, fraction = line_search(judged, start, torch.ones(2), settings)
    assert (theta.tolist(), fraction) == ([5.0, 5.0], 0.0)
    assert tried == [0.0, 1.0, 0.5, 0.25]


def test_the_edge_of_the_region_is_within_it() -> None:
    settings = TRPOConfig(max_kl=0.5)
    judged, _ = along({}, kl=lambda _: 0.5)
    assert line_search(judged, torch.full((2,), 5.0), torch.ones(2), settings)[1] == 1.0


def test_a_step_that_is_not_a_number_is_taken_back() -> None:
    agent = make_agent()
    ob_no, ac_na, adv_n = batch_of(agent)
    start = flat(agent)
    assert agent.update(ob_no, ac_na, adv_n * np.nan)["Step_Fraction"] == 0.0
    assert torch.equal(flat(agent), start)


def test_equal_advantages_move_nothing() -> None:
    agent = make_agent()
    start = flat(agent)
    ob_no, ac_na, adv_n = batch_of(agent)
    assert agent.update(ob_no, ac_na, torch.zeros_like(adv_n))["Step_Fraction"] == 0.0
    assert torch.equal(flat(agent), start)


def test_train_hands_on_advantages_and_targets() -> None:
    agent = make_agent(num_epochs=2, minibatch_size=4)
    ob_no, ac_na, re_n, next_ob_no, terminal_n, path_ends_n = joined(paths())
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
    agent.update = lambda *batch: record.append(batch) or {"KL": torch.tensor(0.5)}
    agent.critic.update = lambda obs, targets: fitted.append((obs, targets)) or len(fitted)
    log = agent.train(ob_no, ac_na, re_n, next_ob_no, terminal_n, path_ends_n)
    standardised = (adv_n - adv_n.mean()) / adv_n.std()
    for got, column in zip(record[0], (ob_no, ac_na, standardised), strict=True):
        np.testing.assert_allclose(ptu.to_numpy(got), column, rtol=1e-5, atol=1e-6)
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
    agent.train(*joined(paths(discrete)))
    resumed.load_state_dict(copy.deepcopy(agent.state_dict()))
    logs = []
    for each in (agent, resumed):
        torch.manual_seed(0)  # of the shuffles; a checkpoint holds that too
        logs.append(each.train(*joined(paths(discrete))))
    assert logs[0] == logs[1]
    assert all(np.isfinite(number) for number in logs[0].values())
    assert torch.equal(flat(agent), flat(resumed))
