"""Batched Q-networks against one perceptron after the other, and their soft copies."""

import copy

import numpy as np
import pytest
import torch

from cs285.critics.q_critic import QCritic, QNetworks, polyak_update
from cs285.infrastructure import fast_torch as fast
from tests.off_policy import AC, OB, N, batch, q_value


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("hidden", [(7,), (7, 4)])
def test_forward_is_k_perceptrons_side_by_side(k: int, hidden: tuple[int, ...]) -> None:
    q_net = QNetworks(k, OB + AC, hidden).double()
    ob_no, ac_na, *_ = batch()
    q_kn = q_net(ob_no, ac_na)
    assert q_kn.shape == (k, N)
    for j in range(k):
        for i in range(N):
            one = q_value(q_net, j, ob_no[i].numpy(), ac_na[i].numpy())
            assert q_kn[j, i].item() == pytest.approx(one)
    first = q_net(ob_no, ac_na, only_first=True)
    torch.testing.assert_close(first, q_kn[:1])


def test_no_two_networks_begin_the_same() -> None:
    q_net = QNetworks(2, OB + AC, (64, 64))
    for parameter in q_net.parameters():
        assert (parameter[0] != parameter[1]).any()
    # As nn.Linear: uniform within 1 / sqrt(inputs), so the deviation is that / sqrt(3).
    assert q_net.weights[1].abs().max() <= 1 / 8
    assert q_net.weights[1].std().item() == pytest.approx(1 / 8 / np.sqrt(3), rel=0.05)


def test_soft_copy_by_hand() -> None:
    source = [torch.tensor([3.0, 0.0]), torch.tensor([[8.0]])]
    target = [torch.tensor([1.0, 4.0]), torch.tensor([[0.0]])]
    polyak_update(source, target, 0.25)
    assert [t.tolist() for t in target] == [[1.5, 3.0], [[2.0]]]
    assert [s.tolist() for s in source] == [[3.0, 0.0], [[8.0]]]
    polyak_update(source, target, 0.0)
    assert target[0].tolist() == [1.5, 3.0]
    polyak_update(source, target, 1.0)
    assert target[0].tolist() == [3.0, 0.0]


def gradient_step(q: QCritic, loss: torch.Tensor) -> torch.Tensor:
    q.optimizer.zero_grad()
    loss.backward(inputs=q.weights)
    q.optimizer.step()
    return fast.grad_norm(q.weights)


def critic() -> QCritic:
    return QCritic(OB, AC, (7,), 2, learning_rate=0.1)


def test_target_networks_follow_slowly_and_never_learn() -> None:
    q = critic()
    for weight, target in zip(q.weights, q.target_weights, strict=True):
        torch.testing.assert_close(weight, target, rtol=0, atol=0)
        assert weight.data_ptr() != target.data_ptr() and not target.requires_grad
    before = copy.deepcopy(q.target_weights)
    ob_no, ac_na, *_ = (x.float() for x in batch())
    gradient_step(q, (q.q_net(ob_no, ac_na) - 1.0).square().mean())
    for target, old in zip(q.target_weights, before, strict=True):
        torch.testing.assert_close(target, old, rtol=0, atol=0)
    polyak_update(q.weights, q.target_weights, 0.25)
    for weight, target, old in zip(q.weights, q.target_weights, before, strict=True):
        torch.testing.assert_close(target, 0.75 * old + 0.25 * weight.detach())


def test_a_gradient_step_returns_the_length_of_the_gradient_and_goes_down() -> None:
    q = critic()
    ob_no, ac_na, *_ = (x.float() for x in batch())
    losses = []
    for _ in range(20):
        loss = (q.q_net(ob_no, ac_na) - 1.0).square().mean()
        norm = gradient_step(q, loss)
        losses.append(loss.item())
        entries = np.concatenate([w.grad.numpy().ravel() for w in q.weights])
        assert norm.item() == pytest.approx(np.sqrt((entries**2).sum()), rel=1e-5)
    assert losses[-1] < 0.1 * losses[0]


def test_state_comes_back() -> None:
    q, twin = critic(), critic()
    ob_no, ac_na, *_ = (x.float() for x in batch())
    for _ in range(3):
        gradient_step(q, q.q_net(ob_no, ac_na).square().mean())
        polyak_update(q.weights, q.target_weights, 0.25)
    twin.load_state_dict(copy.deepcopy(q.state_dict()))
    for either in (q, twin):
        gradient_step(either, either.q_net(ob_no, ac_na).square().mean())
        polyak_update(either.weights, either.target_weights, 0.25)
    for one, other in ((q.weights, twin.weights), (q.target_weights, twin.target_weights)):
        for a, b in zip(one, other, strict=True):
            assert torch.equal(a, b)
