"""The bootstrapped critic: targets, masks, the cut gradient, and the schedule of `update`."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from cs285.configs.actor_critic import ACConfig
from cs285.critics.bootstrapped_continuous_critic import BootstrappedContinuousCritic
from cs285.infrastructure import pytorch_util as ptu

SETTINGS: dict[str, Any] = {
    "n_layers": 2,
    "size": 4,
    "learning_rate": 7e-3,
    "discount": 0.5,
    "num_target_updates": 1,
    "num_grad_steps_per_target_update": 1,
}
ONE_HOT = np.eye(3, dtype=np.float32)


def critic_of(**settings: Any) -> BootstrappedContinuousCritic:
    return BootstrappedContinuousCritic(3, ACConfig(**SETTINGS | settings))


def table_critic(values: list[float], step_size: float, **settings: Any) -> Any:
    """Returns a critic that is a table, V(state i) = values[i], moved by gradient descent."""
    critic: Any = critic_of(**settings)
    critic.critic_network = nn.Linear(3, 1, bias=False)
    with torch.no_grad():
        critic.critic_network.weight.copy_(torch.tensor([values]))
    critic.optimizer = torch.optim.SGD(critic.critic_network.parameters(), lr=step_size)
    return critic


def table(critic: Any) -> np.ndarray:
    return ptu.to_numpy(critic.critic_network.weight)[0]


def random_batch(seed: int, n: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns states, next states (both as indices), rewards and terminals."""
    rng = np.random.default_rng(seed)
    terminals = np.array([0, 0, 1, 0, 1, 0, 0], dtype=np.float32)[:n]  # in the middle
    return rng.integers(3, size=n), rng.integers(3, size=n), rng.normal(size=n), terminals


def update(critic: Any, states: Any, next_states: Any, rewards: Any, terminals: Any) -> float:
    loss = critic.update(
        ob_no=ONE_HOT[states],
        ac_na=np.zeros(len(states), dtype=np.float32),
        next_ob_no=ONE_HOT[next_states],
        reward_n=np.asarray(rewards, dtype=np.float32),
        terminal_n=np.asarray(terminals, dtype=np.float32),
    )
    assert isinstance(loss, float)
    return loss


def oracle(
    values: list[float], batch: tuple[np.ndarray, ...], step_size: float, gamma: float,
    num_targets: int, num_steps: int,
) -> tuple[np.ndarray, float]:  # fmt: skip
    """Runs `update` on a table, one sample at a time; returns the table and the last loss."""
    v, loss = np.array(values, dtype=np.float64), 0.0
    n = len(batch[0])
    for _ in range(num_targets):
        targets = [
            r if terminal else r + gamma * v[s_next]
            for _, s_next, r, terminal in zip(*batch, strict=True)
        ]
        for _ in range(num_steps):
            errors = [v[s] - target for s, target in zip(batch[0], targets, strict=True)]
            loss = sum(error**2 for error in errors) / n
            step = np.zeros(3)
            for s, error in zip(batch[0], errors, strict=True):
                step[s] += 2 * error / n
            v = v - step_size * step
    return v, loss


def test_one_step_by_hand() -> None:
    critic = table_critic([1.0, 2.0, 4.0], step_size=0.3)
    loss = update(critic, [0, 1, 2], [1, 2, 0], [1.0, 2.0, 3.0], [0, 0, 1])
    # Targets 1 + 2/2 = 2, 2 + 4/2 = 4 and, terminal, 3; errors V - target = -1, -2, 1.
    # Each value moves by -0.3 * (2/3) * error = 0.2, 0.4, -0.2; loss (1 + 4 + 1) / 3.
    assert loss == pytest.approx(2.0)
    np.testing.assert_allclose(table(critic), [1.2, 2.4, 3.8], rtol=1e-6)


def test_two_steps_toward_the_same_targets_by_hand() -> None:
    critic = table_critic([1.0, 2.0, 4.0], step_size=0.3, num_grad_steps_per_target_update=2)
    loss = update(critic, [0, 1, 2], [1, 2, 0], [1.0, 2.0, 3.0], [0, 0, 1])
    # The targets 2, 4, 3 stand still, so each step leaves 0.8 of the error: 0.64 after two.
    assert loss == pytest.approx(2.0 * 0.8**2)
    np.testing.assert_allclose(table(critic), [1.36, 2.72, 3.64], rtol=1e-6)


def test_two_sets_of_targets_by_hand() -> None:
    critic = table_critic([1.0, 2.0, 4.0], step_size=0.3, num_target_updates=2)
    update(critic, [0, 1, 2], [1, 2, 0], [1.0, 2.0, 3.0], [0, 0, 1])
    # After the first step V = 1.2, 2.4, 3.8; new targets 2.2, 3.9, 3; errors -1, -1.5, 0.8.
    np.testing.assert_allclose(table(critic), [1.4, 2.7, 3.64], rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("num_targets", "num_steps"), [(1, 1), (1, 5), (5, 1), (2, 3), (3, 2)])
def test_against_a_slow_oracle(seed: int, num_targets: int, num_steps: int) -> None:
    batch, values, gamma, step_size = random_batch(seed), [0.5, -2.0, 3.0], 0.9, 0.7
    critic = table_critic(
        values,
        step_size,
        discount=gamma,
        num_target_updates=num_targets,
        num_grad_steps_per_target_update=num_steps,
    )
    loss = update(critic, *batch)
    expected, expected_loss = oracle(values, batch, step_size, gamma, num_targets, num_steps)
    # float32 against float64 over at most six steps of sums of seven.
    np.testing.assert_allclose(table(critic), expected, rtol=1e-4, atol=1e-5)
    assert loss == pytest.approx(expected_loss, rel=1e-4)


@pytest.mark.parametrize("num_steps", [1, 3])
def test_no_gradient_flows_into_the_targets(num_steps: int) -> None:
    """State 1 is only ever a next state: its value enters targets, and must not move."""
    settings = {"num_target_updates": 2, "num_grad_steps_per_target_update": num_steps}
    critic = table_critic([1.0, 2.0, 4.0], step_size=0.1, **settings)
    update(critic, [0, 2, 0], [1, 1, 1], [0.0, 1.0, 2.0], [0, 0, 0])
    assert table(critic)[1] == 2.0
    assert table(critic)[0] != 1.0
    assert table(critic)[2] != 4.0


def test_only_the_masked_target_moves_with_a_terminal_flag() -> None:
    states, next_states, rewards, terminals = [0, 1, 2], [1, 2, 0], [1.0, 2.0, 3.0], [0, 0, 0]
    before = table_critic([1.0, 2.0, 4.0], step_size=0.3)
    update(before, states, next_states, rewards, terminals)
    after = table_critic([1.0, 2.0, 4.0], step_size=0.3)
    update(after, states, next_states, rewards, [0, 1, 0])
    # Losing gamma * V(s') = 2 moves value 1 by 0.3 * (2/3) * 2 = 0.4, and no other.
    np.testing.assert_allclose(table(before) - table(after), [0.0, 0.4, 0.0], atol=1e-6)


@pytest.mark.parametrize(("num_targets", "num_steps"), [(2, 3), (3, 2)])
def test_schedule_of_targets_and_gradient_steps(
    num_targets: int, num_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    critic = table_critic(
        [1.0, 2.0, 4.0],
        step_size=0.1,
        num_target_updates=num_targets,
        num_grad_steps_per_target_update=num_steps,
    )
    targets: list[tuple[float, ...]] = []
    steps: list[int] = []
    mse, sgd_step = critic.loss, critic.optimizer.step
    monkeypatch.setitem(
        critic._modules, "loss", lambda v, t: (targets.append(tuple(t.tolist())), mse(v, t))[1]
    )
    monkeypatch.setattr(critic.optimizer, "step", lambda: (steps.append(1), sgd_step())[1])
    update(critic, *random_batch(0))
    assert len(steps) == num_targets * num_steps
    groups = [targets[i : i + num_steps] for i in range(0, len(targets), num_steps)]
    assert all(len(set(group)) == 1 for group in groups)  # still within a group
    assert len({group[0] for group in groups}) == num_targets  # new in each


@pytest.mark.parametrize("num_steps", [1, 3])
def test_network_gradient_is_the_semi_gradient(num_steps: int) -> None:
    """With the real network and Adam: as fitting V(s) to targets that NumPy computed before."""
    ptu.seed_everything(0)  # Adam would enlarge rounding where a gradient happens to be 0
    critic, reference = (critic_of(num_grad_steps_per_target_update=num_steps) for _ in range(2))
    reference.load_state_dict(critic.state_dict())
    states, next_states, rewards, terminals = random_batch(1)
    targets = rewards + 0.5 * np.where(terminals == 1, 0, critic.forward_np(ONE_HOT[next_states]))
    update(critic, states, next_states, rewards, terminals)
    for _ in range(num_steps):
        reference.optimizer.zero_grad()
        error = reference(ptu.from_numpy(ONE_HOT[states])) - ptu.from_numpy(targets)
        (error**2).mean().backward()
        reference.optimizer.step()
    for ours, theirs in zip(critic.parameters(), reference.parameters(), strict=True):
        # Adam divides by the gradient's size, so a rounding error of it is all that may differ.
        np.testing.assert_allclose(ptu.to_numpy(ours), ptu.to_numpy(theirs), atol=1e-5)


def test_forward_is_the_network_of_the_settings() -> None:
    """Two hidden layers of 4 tanh units and a linear head, computed once more in NumPy."""
    critic = critic_of()
    obs = np.random.default_rng(0).normal(size=(5, 3))  # float64, as MuJoCo gives
    layers = [m for m in critic.critic_network if isinstance(m, nn.Linear)]
    assert [(m.in_features, m.out_features) for m in layers] == [(3, 4), (4, 4), (4, 1)]
    hidden = obs
    for layer in layers[:-1]:
        hidden = np.tanh(hidden @ ptu.to_numpy(layer.weight).T + ptu.to_numpy(layer.bias))
    expected = hidden @ ptu.to_numpy(layers[-1].weight)[0] + layers[-1].bias.item()
    values = critic.forward_np(obs)
    assert values.shape == (5,)
    np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-6)  # float32
    assert critic(ptu.from_numpy(obs)).tolist() == values.tolist()


def test_forward_of_a_single_row_keeps_its_axis() -> None:
    assert critic_of().forward_np(ONE_HOT[:1]).shape == (1,)


def test_adam_owns_every_parameter() -> None:
    critic = critic_of()
    assert isinstance(critic.optimizer, torch.optim.Adam)
    assert critic.optimizer.param_groups[0]["lr"] == 7e-3
    before = [p.clone() for p in critic.parameters()]
    update(critic, *random_batch(0))
    assert all(not torch.equal(a, b) for a, b in zip(before, critic.parameters(), strict=True))


def test_learns_the_value_of_an_endless_reward() -> None:
    """Reward 1 for ever at discount 0.9: V = 1 / (1 - 0.9) = 10; as a terminal it is 1."""
    for terminal, value in ((0.0, 10.0), (1.0, 1.0)):
        # Step size 1/2 on the mean of one squared error fits it in one step; 0.9^200 < 1e-9.
        critic = table_critic([0.0, 0.0, 0.0], step_size=0.5, discount=0.9, num_target_updates=200)
        update(critic, [1], [1], [1.0], [terminal])
        assert table(critic)[1] == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize("name", ["next_ob_no", "reward_n", "terminal_n"])
def test_shapes_that_would_broadcast_are_refused(name: str) -> None:
    ones = np.ones(7, dtype=np.float32)
    batch = {"ob_no": np.ones((7, 3)), "ac_na": ones, "next_ob_no": np.ones((7, 3))}
    batch |= {"reward_n": ones, "terminal_n": ones}
    batch[name] = batch[name][:, None]
    with pytest.raises(ValueError, match=f"{name} has shape"):
        critic_of().update(**batch)
