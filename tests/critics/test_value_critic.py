"""V(s) by regression: one step by hand, shapes, and exact answers in the end."""

import numpy as np
import pytest
import torch
from torch import nn

from cs285.critics.value_critic import ValueCritic
from cs285.infrastructure import pytorch_util as ptu


def table_critic() -> ValueCritic:
    """A critic that is a table: over one-hot observations, its weights are the values."""
    critic = ValueCritic(3, n_layers=1, size=4, learning_rate=0.1)
    critic.critic_network = nn.Linear(3, 1, bias=False)
    nn.init.zeros_(critic.critic_network.weight)
    critic.optimizer = torch.optim.SGD(critic.parameters(), lr=0.25)
    return critic


def test_one_step_by_hand() -> None:
    critic = table_critic()
    loss = critic.update(np.eye(3)[[0, 1]], np.array([4.0, -2.0]))
    assert loss == (16 + 4) / 2
    # V - lr * 2 (V - target) / n
    assert ptu.to_numpy(critic.critic_network.weight).tolist() == [[1.0, -0.5, 0.0]]


def test_shapes() -> None:
    critic = ValueCritic(3, n_layers=2, size=8, learning_rate=1e-3)
    obs = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    assert critic.forward_np(obs).shape == (5,)
    with pytest.raises(ValueError, match=r"target_n has shape \(5, 1\), expected \(5,\)"):
        critic.update(obs, np.zeros((5, 1)))


def test_learns_given_values() -> None:
    critic = ValueCritic(3, n_layers=1, size=16, learning_rate=0.03)
    targets = np.array([-1.0, 0.5, 2.0])
    for _ in range(300):
        critic.update(np.eye(3), targets)
    np.testing.assert_allclose(critic.forward_np(np.eye(3)), targets, atol=1e-2)
