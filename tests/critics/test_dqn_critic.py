"""The critic of DQN: targets by hand and by an oracle, and what one gradient step moves.

The networks are tables, Q(state i, a) = table[i, a], made of a linear layer over one-hot states.
Where no two rows of a batch share an entry of the table, and no error is larger than 1, the
gradient of the Huber loss is (Q - target) / n; so gradient descent with step size n puts each
visited entry exactly on its target, whatever the style of the code.
"""

import copy
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import nn

from cs285.configs.dqn import DQNConfig
from cs285.critics.dqn_critic import DQNCritic
from cs285.infrastructure import pytorch_util as ptu

STATES, ACTIONS, N = 5, 3, 7  # different primes, so that no axis can be taken for another
ONE_HOT = np.eye(STATES, dtype=np.float32)
# Each entry is a sum of a few float32 numbers below 1.
ATOL = 1e-6


class Transitions(NamedTuple):
    """A batch for tables, with states as numbers."""

    state: Any
    action: Any
    next_state: Any
    reward: Any
    terminal: Any


SETTINGS: dict[str, Any] = {
    "frame_history_len": 1,
    "discount": 0.5,
    "learning_rate": "1e-3",
    "adam_eps": 1e-8,
    "tau": 1.0,
}


def critic_of(network: Any, **settings: Any) -> DQNCritic:
    """Returns a critic whose networks are what `network` returns, a linear layer or a table."""
    layer = network()
    own = SimpleNamespace(part=lambda name: network())
    shape = ((layer.in_features,), layer.out_features)
    return DQNCritic(*shape, DQNConfig(**SETTINGS | settings), own)


def table_critic(online: Any, target: Any, step_size: float, **settings: Any) -> DQNCritic:
    """Returns a critic whose two networks are tables, shape (states, actions)."""
    critic = critic_of(lambda: nn.Linear(*np.shape(online), bias=False), **settings)
    critic.optimizer = torch.optim.SGD(critic.weights, step_size)
    for network, table in ((critic.q_net, online), (critic.q_net_target, target)):
        with torch.no_grad():
            network.weight.copy_(torch.tensor(np.array(table)).T)
    return critic


def table(network: Any) -> np.ndarray:
    return ptu.to_numpy(network.weight).T.copy()


def update(critic: DQNCritic, batch: Transitions, dtype: Any = np.float32) -> float:
    one_hot = np.eye(critic.ob_dim[0]).astype(dtype)
    log = critic.update(
        ob_no=one_hot[batch.state],
        ac_na=np.asarray(batch.action),
        next_ob_no=one_hot[batch.next_state],
        reward_n=np.asarray(batch.reward, np.float32),
        terminal_n=np.asarray(batch.terminal, np.float32),
    )
    assert list(log) == ["Training Loss"]
    assert isinstance(log["Training Loss"], float)
    return log["Training Loss"]


def random_case(seed: int) -> tuple[np.ndarray, np.ndarray, Transitions]:
    """Returns two tables and a batch that visits no entry twice; all errors are below 1."""
    rng = np.random.default_rng(seed)
    online, target = rng.uniform(0.0, 0.5, (2, STATES, ACTIONS))
    state, action = np.divmod(rng.permutation(STATES * ACTIONS)[:N], ACTIONS)
    terminal = np.array([0, 0, 1, 0, 0, 1, 0])  # in the middle
    next_state = rng.integers(STATES, size=N)
    return online, target, Transitions(state, action, next_state, rng.uniform(0, 0.4, N), terminal)


def oracle_targets(
    online: np.ndarray, target: np.ndarray, batch: Transitions, gamma: float, form: str
) -> np.ndarray:
    """Computes the targets one transition at a time, rightly or in a wrong form of faults.csv."""
    values = []
    for s, _, s_next, reward, terminal in zip(*batch, strict=True):
        future = {
            "dqn": max(target[s_next]),
            "double": target[s_next][list(online[s_next]).index(max(online[s_next]))],
            "Q01": target[s_next][list(online[s]).index(max(online[s]))],
            "Q02": target[s_next][list(target[s_next]).index(max(target[s_next]))],
            "Q03": max(online[s_next]),
        }[form]
        values.append(reward if terminal else reward + gamma * future)
    return np.array(values)


BY_HAND = Transitions([0, 1, 2], [0, 1, 0], [1, 2, 0], [0.1, 0.2, 0.3], [0, 0, 1])
ONLINE = [[0.0, 0.2], [0.2, 0.6], [0.4, 0.0]]
TARGET = [[0.2, 0.6], [0.8, 0.4], [0.0, 0.4]]


def test_dqn_targets_by_hand() -> None:
    critic = table_critic(ONLINE, TARGET, step_size=3)
    loss = update(critic, BY_HAND)
    # 0.1 + 0.8 / 2 = 0.5;  0.2 + 0.4 / 2 = 0.4;  terminal, 0.3. Other entries stay.
    expected = [[0.5, 0.2], [0.2, 0.4], [0.3, 0.0]]
    np.testing.assert_allclose(table(critic.q_net), expected, atol=ATOL)
    # Errors -0.5, 0.2, 0.1 before the step, each costing half its square.
    assert loss == pytest.approx((0.25 + 0.04 + 0.01) / 2 / 3)


def test_double_q_targets_by_hand() -> None:
    critic = table_critic(ONLINE, TARGET, step_size=3, double_q=True)
    update(critic, BY_HAND)
    # In state 1 the online table prefers action 1, in state 2 action 0: 0.1 + 0.4 / 2 = 0.3;
    # 0.2 + 0.0 / 2 = 0.2;  terminal, 0.3.
    expected = [[0.3, 0.2], [0.2, 0.2], [0.3, 0.0]]
    np.testing.assert_allclose(table(critic.q_net), expected, atol=ATOL)


@pytest.mark.parametrize("gamma", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("double_q", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_three_updates_against_a_slow_oracle(seed: int, double_q: bool, gamma: float) -> None:
    """Three, so that a gradient left over from the last update would be seen."""
    online, target, _ = random_case(seed)
    critic = table_critic(online, target, step_size=N, discount=gamma, double_q=double_q)
    form = "double" if double_q else "dqn"
    for number in range(3):
        batch = random_case(100 * seed + number)[2]
        update(critic, batch)
        targets = oracle_targets(online, target, batch, gamma, form)
        online[batch.state, batch.action] = targets
        np.testing.assert_allclose(table(critic.q_net), online, atol=ATOL)


@pytest.mark.parametrize("wrong_form", ["Q01", "Q02", "Q03"])
@pytest.mark.parametrize("seed", [0, 2, 5])
def test_double_q_is_none_of_its_wrong_forms(seed: int, wrong_form: str) -> None:
    online, target, batch = random_case(seed)
    critic = table_critic(online, target, step_size=N, double_q=True)
    update(critic, batch)
    learned = table(critic.q_net)[batch.state, batch.action]
    right = oracle_targets(online, target, batch, 0.5, "double")
    wrong = oracle_targets(online, target, batch, 0.5, wrong_form)
    assert np.abs(right - wrong).max() > 0.05  # this batch can tell the two apart
    np.testing.assert_allclose(learned, right, atol=ATOL)


@pytest.mark.parametrize("double_q", [False, True])
@pytest.mark.parametrize("row", [1, 3])
def test_a_terminal_flag_takes_the_future_from_its_own_target_only(
    row: int, double_q: bool
) -> None:
    online, target, batch = random_case(0)
    learned = []
    for flag in (0, 1):
        terminal = batch.terminal.copy()
        terminal[row] = flag
        critic = table_critic(online, target, step_size=N, double_q=double_q)
        update(critic, batch._replace(terminal=terminal))
        learned.append(table(critic.q_net)[batch.state, batch.action])
    lost = learned[0] - learned[1]
    assert lost[row] > 0.1
    np.testing.assert_allclose(np.delete(lost, row), 0, atol=ATOL)
    assert learned[1][row] == pytest.approx(batch.reward[row], abs=ATOL)


@pytest.mark.parametrize("double_q", [False, True])
def test_no_gradient_flows_into_the_targets(double_q: bool) -> None:
    """State 3 is only ever a next state: its values enter targets, and must not move."""
    online, target, _ = random_case(1)
    critic = table_critic(online, target, step_size=3, double_q=double_q)
    before = table(critic.q_net)
    update(critic, Transitions([0, 1, 2], [0, 1, 2], [3, 3, 3], [0.1, 0.2, 0.3], [0, 0, 0]))
    after = table(critic.q_net)
    np.testing.assert_array_equal(after[3], before[3])
    assert (after[[0, 1, 2], [0, 1, 2]] != before[[0, 1, 2], [0, 1, 2]]).all()


@pytest.mark.parametrize("double_q", [False, True])
def test_only_the_online_network_moves(double_q: bool) -> None:
    online, target, batch = random_case(2)
    critic = table_critic(online, target, step_size=N, double_q=double_q)
    before = table(critic.q_net), table(critic.q_net_target)
    update(critic, batch)
    assert not np.array_equal(table(critic.q_net), before[0])
    np.testing.assert_array_equal(table(critic.q_net_target), before[1])
    assert all(p.grad is None for p in critic.q_net_target.parameters())


def test_a_large_error_counts_linearly() -> None:
    """Huber: the gradient of an error of 100 is 1, as that of an error of 1."""
    critic = table_critic([[0.0, 0.0]], [[0.0, 0.0]], step_size=1)
    loss = update(critic, Transitions([0], [1], [0], [100.0], [1]))
    np.testing.assert_allclose(table(critic.q_net), [[0.0, 1.0]], atol=ATOL)
    assert loss == pytest.approx(99.5)


def test_gradient_values_are_clipped_one_by_one() -> None:
    critic = table_critic([[0.0], [0.0]], [[0.0], [0.0]], step_size=1, grad_value_clipping=0.1)
    update(critic, Transitions([0, 1], [0, 0], [0, 0], [0.6, 0.04], [1, 1]))
    # Gradients -0.6 / 2, clipped to -0.1, and -0.04 / 2, which a clipped norm would shrink too.
    np.testing.assert_allclose(table(critic.q_net), [[0.1], [0.02]], atol=ATOL)


def test_the_step_size_is_that_of_the_time_it_is_given() -> None:
    critic = table_critic([[0.0]], [[0.0]], step_size=9, learning_rate="0:1,100:0.5,200:0.25")
    values = []
    for t in (0, 100, 200, 150):
        critic.set_step_size(t)
        update(critic, Transitions([0], [0], [0], [1000.0], [1]))  # a gradient of -1
        values.append(table(critic.q_net).item())
    assert np.diff(values, prepend=0).tolist() == [1, 0.5, 0.25, 0.375]


class Scaled(nn.Linear):
    """A linear layer with a buffer, as batch normalization has."""

    def __init__(self) -> None:
        super().__init__(STATES, ACTIONS)
        self.register_buffer("scale", torch.rand(ACTIONS))

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        return super().forward(obs) * self.scale


def everything(network: nn.Module) -> list[torch.Tensor]:
    return [*network.parameters(), *network.buffers()]


def test_networks_begin_equal_and_share_nothing() -> None:
    critic = critic_of(Scaled)
    for ours, theirs in zip(everything(critic.q_net), everything(critic.q_net_target), strict=True):
        assert torch.equal(ours, theirs)
        assert ours.data_ptr() != theirs.data_ptr()


def test_sync_copies_parameters_and_buffers() -> None:
    critic = critic_of(Scaled)
    with torch.no_grad():
        for number, tensor in enumerate(everything(critic.q_net)):
            tensor.fill_(number + 1)
    critic.update_target_network()
    for number, tensor in enumerate(everything(critic.q_net_target)):
        assert (tensor == number + 1).all()
    # Copies, not aliases: what the online network does next, the target must not follow.
    with torch.no_grad():
        for tensor in everything(critic.q_net):
            tensor.fill_(0.0)
    for number, tensor in enumerate(everything(critic.q_net_target)):
        assert (tensor == number + 1).all()


def test_optimizer_still_owns_the_online_network_after_a_sync() -> None:
    online, target, batch = random_case(0)
    critic = table_critic(online, target, step_size=N)
    critic.update_target_network()
    np.testing.assert_array_equal(table(critic.q_net_target), table(critic.q_net))
    update(critic, batch)
    online[batch.state, batch.action] = oracle_targets(online, online, batch, 0.5, "dqn")
    np.testing.assert_allclose(table(critic.q_net), online, atol=ATOL)


def test_qa_values_are_those_of_the_online_network() -> None:
    online, target, _ = random_case(0)
    critic = table_critic(online, target, step_size=N)
    qa_values = critic.qa_values(ONE_HOT[[3, 1]])
    assert isinstance(qa_values, np.ndarray)
    np.testing.assert_allclose(qa_values, online[[3, 1]], atol=ATOL)


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_observations_may_be_of_any_type_of_number(dtype: Any) -> None:
    """MuJoCo's are float64; a discrete state made one-hot is int64."""
    online, target, batch = random_case(0)
    critics = [table_critic(online, target, step_size=N, double_q=True) for _ in range(2)]
    update(critics[0], batch)
    update(critics[1], batch, dtype=dtype)
    np.testing.assert_array_equal(table(critics[0].q_net), table(critics[1].q_net))
    assert critics[0].qa_values(ONE_HOT.astype(dtype)).shape == (STATES, ACTIONS)


def test_update_leaves_the_batch_as_it_is() -> None:
    rng = np.random.default_rng(0)
    batch = {
        "ob_no": ONE_HOT[rng.integers(STATES, size=N)],
        "ac_na": rng.integers(ACTIONS, size=N),
        "next_ob_no": ONE_HOT[rng.integers(STATES, size=N)],
        "reward_n": rng.normal(size=N).astype(np.float32),
        "terminal_n": (np.arange(N) == 3).astype(np.float32),
    }
    before = {name: array.copy() for name, array in batch.items()}
    table_critic(*random_case(0)[:2], step_size=N, double_q=True).update(**batch)
    for name, array in batch.items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


@pytest.mark.parametrize("name", ["reward_n", "terminal_n"])
def test_shapes_that_would_broadcast_are_refused(name: str) -> None:
    batch = {"ob_no": ONE_HOT[:4], "ac_na": np.zeros(4), "next_ob_no": ONE_HOT[:4]}
    batch |= {"reward_n": np.zeros(4), "terminal_n": np.zeros(4)}
    batch[name] = batch[name][:, None]
    with pytest.raises(ValueError, match="shape|too many values"):
        table_critic(*random_case(0)[:2], step_size=N).update(**batch)


def test_restored_critic_goes_on_alike() -> None:
    """Networks and Adam's moments all matter for the second update."""

    def adam_critic() -> DQNCritic:
        more = {"hidden": "8", "double_q": True, "learning_rate": "0.1"}
        return DQNCritic((STATES,), ACTIONS, DQNConfig(**SETTINGS | more))

    batch = random_case(0)[2]
    critic, restored = adam_critic(), adam_critic()
    update(critic, batch)
    restored.load_state_dict(copy.deepcopy(critic.state_dict()))
    assert update(critic, batch) == update(restored, batch)
    for network in ("q_net", "q_net_target"):
        pair = (getattr(twin, network).parameters() for twin in (critic, restored))
        assert all(torch.equal(ours, theirs) for ours, theirs in zip(*pair, strict=True))
