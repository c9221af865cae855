"""What weights reach: the judge's own networks, and the two bounds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from autograder.evidence import bound, judging, policies
from autograder.evidence.claims import Claim
from autograder.evidence.play import Played
from autograder.evidence.policies import (
    make_policy,
    shapes,
    untrained,
)
from autograder.evidence.rules import RunQuestion, questions
from autograder.evidence.run_folder import Run
from cs285.infrastructure import pytorch_util as ptu
from cs285.policies.MLP_policy import MLPPolicyAC


def question(name: str) -> RunQuestion:
    (found,) = [q for q in questions("hw3") if q.id == f"hw3.runs.{name}"]
    return found


def arrays(module: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: tensor.numpy().copy() for name, tensor in module.state_dict().items()}


def network(name: str) -> torch.nn.Module:
    """The course's network for a question."""
    task, settings = question(name).task, question(name).settings
    if task.images:
        return ptu.NatureCNN(4, task.ac_dim)
    if question(name).dqn:
        return ptu.build_mlp(task.ob_dim, task.ac_dim, 2, 64, activation="relu")
    return MLPPolicyAC(task.ac_dim, task.ob_dim, 2, settings["size"], task.discrete)


@pytest.mark.parametrize("name", ["q1", "q2_dqn", "q4_10_10", "q5_pendulum", "q5_cheetah"])
def test_shapes_are_those_of_the_courses_networks(name: str) -> None:
    found = {key: array.shape for key, array in arrays(network(name)).items()}
    assert found == shapes(question(name), question(name).settings)


@pytest.mark.parametrize("name", ["q1", "q2_dqn", "q4_10_10", "q5_cheetah"])
def test_fresh_networks_are_told_from_trained_ones(name: str) -> None:
    weights = arrays(network(name))
    assert untrained(question(name), weights)
    layers = [key.removesuffix(".weight") for key in weights if key.endswith(".weight")]
    for layer in layers:
        assert untrained(question(name), weights) == layer
        weights[f"{layer}.weight"] *= 1.2
    assert not untrained(question(name), weights)


def test_greedy_actions_are_those_of_the_courses_network() -> None:
    net, rng = network("q2_dqn"), np.random.default_rng(0)
    policy = make_policy(question("q2_dqn"), arrays(net), 0.0)
    assert isinstance(policy, partial) and policy.func is policies.greedy
    obs = rng.normal(size=(50, 8)).astype(np.float32)
    wanted = net(torch.from_numpy(obs)).argmax(dim=1).tolist()
    assert [policy(one, rng) for one in obs] == wanted


def test_actions_from_images_are_those_of_the_courses_network() -> None:
    net, rng = network("q1"), np.random.default_rng(0)
    policy = make_policy(question("q1"), arrays(net), 0.0)
    assert isinstance(policy, partial) and policy.func is policies.greedy_on_images
    obs = rng.integers(256, size=(10, 4, 84, 84), dtype=np.uint8)
    with torch.no_grad():
        wanted = net(torch.from_numpy(obs)).argmax(dim=1).tolist()
    assert [policy(one, rng) for one in obs] == wanted


@pytest.mark.parametrize("name", ["q1", "q2_dqn"])
def test_epsilon_is_the_share_of_random_actions(name: str) -> None:
    policy = make_policy(question(name), arrays(network(name)), 1.0)
    rng = np.random.default_rng(0)
    obs = np.zeros((4, 84, 84), np.uint8) if name == "q1" else np.zeros(8, np.float32)
    assert {policy(obs, rng) for _ in range(200)} == set(range(question(name).task.ac_dim))


def test_sampled_actions_follow_the_courses_distribution() -> None:
    net, rng = network("q4_10_10"), np.random.default_rng(0)
    policy = make_policy(question("q4_10_10"), arrays(net), 0.0)
    assert isinstance(policy, partial) and policy.func is policies.sampled
    obs = np.array([1.0, -2.0, 3.0, 0.5], np.float32)
    share = np.mean([policy(obs, rng) for _ in range(4000)])
    with torch.no_grad():
        wanted = net(torch.from_numpy(obs)[None]).probs[0, 1].item()  # type: ignore[attr-defined]
    assert abs(share - wanted) < 5 * 0.5 / np.sqrt(4000)


def test_continuous_actions_have_the_courses_mean_and_spread() -> None:
    net, rng = network("q5_cheetah"), np.random.default_rng(0)
    weights = arrays(net) | {"logstd": np.linspace(-2, 1, 6, dtype=np.float32)}
    policy = make_policy(question("q5_cheetah"), weights, 0.0)
    obs = rng.normal(size=17)
    drawn = np.array([policy(obs, rng) for _ in range(4000)])
    assert drawn.dtype == np.float32
    with torch.no_grad():
        mean = net.mean_net(ptu.from_numpy(obs)[None])[0].numpy()  # type: ignore[operator]
    std = np.exp(weights["logstd"])
    assert (np.abs(drawn.mean(axis=0) - mean) < 5 * std / np.sqrt(4000)).all()
    np.testing.assert_allclose(drawn.std(axis=0), std, rtol=0.1)


def played(returns: Sequence[float], length: float) -> Played:
    return Played(np.array(returns, float), np.full(len(returns), length))


def p_value(claim: float, length: float, steps: int, record: Played) -> float:
    return bound.evaluation_p_value(claim, length, steps, 1, record, np.random.default_rng(0))


def test_one_claimed_episode_above_all_others_is_as_likely_as_any_order() -> None:
    record = played(range(499), 100)
    assert p_value(1000.0, 100, 100, record) == pytest.approx(1 / 500, rel=0.5)


def test_two_claimed_episodes_are_less_likely() -> None:
    record = played(range(98), 100)
    assert p_value(1000.0, 100, 200, record) == pytest.approx((2 / 100) ** 2, rel=0.5)


def test_a_claim_of_what_is_reached_is_likely() -> None:
    assert p_value(50.0, 100, 1000, played(range(100), 100)) > 0.3
    assert p_value(200.0, 200, 400, played([200.0] * 30, 200)) == 1.0


def test_long_episodes_weigh_more_as_in_the_trainers_evaluation() -> None:
    """Nine short episodes of ten, yet a single long one ends an evaluation."""
    record = Played(np.array([10.0] * 90 + [400.0] * 10), np.array([10.0] * 90 + [400.0] * 10))
    rng = np.random.default_rng(0)
    means = []
    for _ in range(2000):
        returns: list[float] = []
        while sum(returns) < 400:
            returns.append(float(rng.choice(record.returns)))
        means.append(np.mean(returns))
    for claim in (50.0, 100.0, 150.0):
        direct = np.mean(np.array(means) >= claim)
        assert p_value(claim, claim, 400, record) == pytest.approx(direct, abs=0.06)


def test_honest_claims_are_doubted_as_often_as_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 300 honest claims about one in ten lies below 0.1, whatever returns look like."""
    monkeypatch.setattr(bound, "DRAWS", 1000)
    rng = np.random.default_rng(1)
    low = 0
    for _ in range(300):
        lengths = rng.geometric(0.03, size=60).clip(8, 200).astype(float)
        steps, count = 0.0, 0
        while steps < 400:
            steps, count = steps + lengths[count], count + 1
        claim, rest = float(lengths[:count].mean()), lengths[count:]
        low += bound.evaluation_p_value(claim, claim, 400, 1, Played(rest, rest), rng) < 0.1
    assert low <= 48  # a binomial count of mean 30 exceeds that once in 1000


def test_half_of_what_was_learned_must_be_left() -> None:
    record = played([100.0, 102.0] * 50, 100)
    assert bound.least_while_learning(200.0, -180.0, record) == pytest.approx(
        10 - 3.09 * 0.1, abs=0.01
    )
    assert bound.least_while_learning(-200.0, -180.0, record) < -200.0


def run_folder(reached: Sequence[float], holds: Sequence[bool]) -> list[judging.JudgedRun]:
    log = {"Step": np.array([1.0]), "Train_AverageReturn": np.array([150.0])}
    return [
        judging.JudgedRun(
            f"run {n}",
            Run(Path(f"run {n}"), "run_hw3_dqn", {"seed": n}, log),
            claims=[Claim("", mean, held, False)],
        )
        for n, (mean, held) in enumerate(zip(reached, holds, strict=True))
    ]


@pytest.mark.parametrize(
    ("reached", "holds", "verdict"),
    [
        ((150.0, 160.0, 140.0), (True, True, True), "passed"),
        ((-190.0, -210.0, -50.0), (False, False, True), "passed"),
        ((-50.0, -50.0, -50.0), (False, False, False), "failed"),
        ((-150.0, -150.0, -150.0), (True, True, True), "failed"),
    ],
)
def test_one_of_three_runs_must_hold(
    reached: Sequence[float], holds: Sequence[bool], verdict: str
) -> None:
    found = judging._judge_group(question("q2_dqn"), run_folder(reached, holds))
    assert found.verdict == verdict
