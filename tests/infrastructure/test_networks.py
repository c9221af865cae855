"""What networks begin as, observations scaled by all that was seen, and actions drawn."""

import numpy as np
import pytest
import torch

from cs285.infrastructure import networks
from cs285.infrastructure import pytorch_util as ptu
from cs285.policies.MLP_policy import MLPPolicy


def test_running_norm_knows_all_batches_as_one() -> None:
    rng = np.random.default_rng(0)
    norm = networks.RunningNorm(3)
    inputs = torch.tensor(rng.normal([5.0, -100.0, 0.0], [2.0, 30.0, 0.1], size=(100, 3))).float()
    torch.testing.assert_close(norm(inputs), inputs.clamp(-10, 10), rtol=1e-6, atol=1e-6)
    for part in inputs.split([7, 1, 60, 32]):
        norm.update(part)
    assert norm.count.item() == 100
    torch.testing.assert_close(norm.mean, inputs.mean(dim=0), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(norm.var, inputs.var(dim=0, correction=0), rtol=1e-4, atol=1e-4)
    scaled = norm(inputs)
    torch.testing.assert_close(scaled.mean(dim=0), torch.zeros(3), rtol=0, atol=1e-3)
    torch.testing.assert_close(scaled.std(dim=0, correction=0), torch.ones(3), rtol=1e-3, atol=0)


def test_what_never_varies_does_not_blow_up() -> None:
    norm = networks.RunningNorm(1)
    norm.update(torch.full((5, 1), 3.0))
    assert norm(torch.tensor([[3.0], [4.0]])).tolist() == [[0.0], [10.0]]


def test_orthogonal_init() -> None:
    network = ptu.build_mlp(3, 2, n_layers=1, size=8)
    networks.orthogonal_init(network, head_gain=0.01)
    first, head = network[0], network[2]
    torch.testing.assert_close(first.weight.T @ first.weight, 2 * torch.eye(3))
    torch.testing.assert_close(head.weight @ head.weight.T, 1e-4 * torch.eye(2))
    assert not first.bias.any() and not head.bias.any()


@pytest.mark.parametrize("discrete", [True, False])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_a_sampler_draws_from_its_policys_present_distribution(
    discrete: bool, activation: str
) -> None:
    policy = MLPPolicy(3, 2, 2, 8, discrete, activation=activation)
    network = policy.logits_na or policy.mean_net
    norm = networks.RunningNorm(2)
    network.insert(0, norm)
    sampler = networks.Sampler(policy)
    with torch.no_grad():  # after it was made: what it draws from is never a copy
        for weight in policy.parameters():
            weight += 0.3 * torch.randn_like(weight)
    norm.update(torch.randn(50, 2) * 3 + 1)
    obs = np.random.default_rng(0).normal(size=(4, 2)) * 3
    with torch.no_grad():
        expected = policy(ptu.from_numpy(obs))
        answers = network(ptu.from_numpy(obs)).numpy()
    np.testing.assert_allclose(sampler.outputs(obs.astype(np.float32)), answers, rtol=1e-5)
    n = 20_000
    drawn = sampler.get_action(np.repeat(obs, n, axis=0)).reshape(4, n, -1)
    if discrete:
        shares = np.stack([(drawn == action).mean(axis=1)[:, 0] for action in range(3)], axis=1)
        np.testing.assert_allclose(shares, expected.probs.numpy(), atol=5 * 0.5 / n**0.5)
    else:
        spread = expected.stddev.numpy()
        np.testing.assert_allclose(
            drawn.mean(axis=1), expected.mean.numpy(), atol=5 * spread.max() / n**0.5
        )
        np.testing.assert_allclose(drawn.std(axis=1), spread, rtol=5 / (2 * n) ** 0.5)


def test_a_layer_that_numpy_does_not_know_is_refused() -> None:
    with pytest.raises(KeyError, match="Dropout"):
        networks.NumpyMLP(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout()))


def test_weights_are_set_in_their_own_memory() -> None:
    weights = [torch.zeros(2, 2), torch.zeros(1)]
    before = list(weights)
    networks.set_weights(weights, torch.arange(5.0))
    assert [weight.tolist() for weight in before] == [[[0.0, 1.0], [2.0, 3.0]], [4.0]]


def test_flat_gradient_by_hand() -> None:
    one, other = torch.tensor([2.0, 3.0], requires_grad=True), torch.tensor(5.0, requires_grad=True)
    gradient = networks.flat_gradient(one[0] * one[1] * other, [one, other])
    assert gradient.tolist() == [15.0, 10.0, 6.0] and not gradient.requires_grad
    # Differentiable once more: d(gradient of one[0]) = one[1] * other.
    again = networks.flat_gradient(one[0] ** 3, [one], create_graph=True)
    assert networks.flat_gradient(again[0], [one]).tolist() == [12.0, 0.0]
