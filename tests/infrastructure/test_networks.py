"""What networks begin as, and observations scaled by all that was seen."""

import numpy as np
import torch

from cs285.agents.segment_agent import orthogonal_init
from cs285.agents.trpo_agent import flat_gradient, set_weights
from cs285.infrastructure import pytorch_util as ptu


def test_running_norm_knows_all_batches_as_one() -> None:
    rng = np.random.default_rng(0)
    norm = ptu.RunningNorm(3)
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
    norm = ptu.RunningNorm(1)
    norm.update(torch.full((5, 1), 3.0))
    assert norm(torch.tensor([[3.0], [4.0]])).tolist() == [[0.0], [10.0]]


def test_orthogonal_init() -> None:
    network = ptu.build_mlp(3, 2, n_layers=1, size=8)
    orthogonal_init(network, head_gain=0.01)
    first, head = network[0], network[2]
    torch.testing.assert_close(first.weight.T @ first.weight, 2 * torch.eye(3))
    torch.testing.assert_close(head.weight @ head.weight.T, 1e-4 * torch.eye(2))
    assert not first.bias.any() and not head.bias.any()


def test_weights_are_set_in_their_own_memory() -> None:
    weights = [torch.zeros(2, 2), torch.zeros(1)]
    before = list(weights)
    set_weights(weights, torch.arange(5.0))
    assert [weight.tolist() for weight in before] == [[[0.0, 1.0], [2.0, 3.0]], [4.0]]


def test_flat_gradient_by_hand() -> None:
    one, other = torch.tensor([2.0, 3.0], requires_grad=True), torch.tensor(5.0, requires_grad=True)
    gradient = flat_gradient(one[0] * one[1] * other, [one, other])
    assert gradient.tolist() == [15.0, 10.0, 6.0] and not gradient.requires_grad
    # Differentiable once more: d(gradient of one[0]) = one[1] * other.
    again = flat_gradient(one[0] ** 3, [one], create_graph=True)
    assert flat_gradient(again[0], [one]).tolist() == [12.0, 0.0]
