"""What a student's file uses behaves as plain PyTorch: the same errors, the same hooks."""

from __future__ import annotations

import copy
import pickle
import re
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn, optim

from cs285.configs.actor_critic import ACConfig
from cs285.critics.bootstrapped_continuous_critic import BootstrappedContinuousCritic
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.fast_torch import FusedAdam, LeanSequential
from cs285.policies.deterministic_policy import DeterministicActor
from cs285.policies.pg_policy import MLPPolicyPG
from cs285.policies.squashed_policy import SquashedPolicy
from tests.running import ROOT

N, OB = 6, 3


def networks(activation: str) -> tuple[nn.Sequential, nn.Sequential]:
    """A network of `build_mlp`, and one of torch's own layers with the same weights."""
    torch.manual_seed(0)
    ours = ptu.build_mlp(OB, 1, 2, 5, activation)
    torch.manual_seed(0)
    layer = {"relu": nn.ReLU, "tanh": nn.Tanh}[activation]
    theirs = nn.Sequential(
        nn.Linear(OB, 5), layer(), nn.Linear(5, 5), layer(), nn.Linear(5, 1), nn.Identity()
    )
    return ours, theirs


def pairs(activation: str) -> list[tuple[nn.Sequential, optim.Optimizer]]:
    ours, theirs = networks(activation)
    return [
        (ours, FusedAdam(ours.parameters(), lr=0.1)),
        (theirs, optim.Adam(theirs.parameters(), lr=0.1)),
    ]


def fit(network: nn.Sequential, optimizer: optim.Optimizer, retain_graph: bool) -> None:
    """Fits V(s) to targets that somebody forgot to detach, by two steps for one set of them."""
    obs, next_obs = torch.ones(N, OB), torch.full((N, OB), 2.0)
    target = 1.0 + 0.9 * network(next_obs).squeeze(1)
    for _ in range(2):
        loss = (network(obs).squeeze(1) - target).square().mean()
        optimizer.zero_grad()
        loss.backward(retain_graph=retain_graph)
        optimizer.step()


def message_of(act: Callable[[], object]) -> str:
    with pytest.raises(RuntimeError) as raised:
        act()
    return str(raised.value)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize(
    ("retain_graph", "words"),
    [(False, "backward through the graph a second time"), (True, "by an inplace operation")],
)
def test_a_target_with_a_graph_raises_torchs_own_error(
    activation: str, retain_graph: bool, words: str
) -> None:
    ours, theirs = (
        message_of(lambda pair=pair: fit(*pair, retain_graph))  # type: ignore[misc]
        for pair in pairs(activation)
    )
    assert words in ours
    assert ours == theirs


class GraphInTarget(BootstrappedContinuousCritic):
    """The critic of actor-critic with the first version of a body that students wrote."""

    def update(
        self,
        ob_no: np.ndarray,
        ac_na: np.ndarray,
        next_ob_no: np.ndarray,
        reward_n: np.ndarray,
        terminal_n: np.ndarray,
    ) -> float:
        obs, rewards, terminals = map(ptu.from_numpy, (ob_no, reward_n, terminal_n))
        for _ in range(self.num_target_updates):
            v_next = self(ptu.from_numpy(next_ob_no))
            target = rewards + self.gamma * v_next * (1 - terminals)
            for _ in range(self.num_grad_steps_per_target_update):
                loss = self.loss(self(obs), target)
                self.optimizer.zero_grad()
                loss.backward(retain_graph=True)
                self.optimizer.step()
        return float(loss.item())


def critic_and_batch() -> tuple[GraphInTarget, list[np.ndarray]]:
    updates = {"num_target_updates": 2, "num_grad_steps_per_target_update": 3}
    critic = GraphInTarget(OB, ACConfig(size=8, learning_rate=0.1, discount=0.9, **updates))
    obs = np.random.default_rng(0).normal(size=(N, OB)).astype(np.float32)
    return critic, [obs, np.zeros(N), obs[::-1].copy(), np.ones(N), np.zeros(N)]


def test_the_critic_of_actor_critic_is_not_trained_by_a_wrong_gradient() -> None:
    critic, batch = critic_and_batch()
    assert "modified by an inplace operation" in message_of(lambda: critic.update(*batch))


def test_anomaly_mode_names_the_line_that_made_the_graph() -> None:
    critic, batch = critic_and_batch()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with torch.autograd.set_detect_anomaly(True), pytest.raises(RuntimeError):
            critic.update(*batch)
    text = "".join(str(one.message) for one in found)
    assert "v_next = self(ptu.from_numpy(next_ob_no))" in text


HOOKS = ["forward_hook", "forward_pre_hook", "full_backward_hook", "full_backward_pre_hook"]


def seen_by_hooks(network: nn.Sequential, kind: str, layers: range) -> list[list[float]]:
    """What hooks on these layers were given, looked at after the whole pass."""
    given: list[torch.Tensor] = []

    def note(_: nn.Module, *parts: Any) -> None:
        for part in parts:
            given.extend(part if isinstance(part, tuple) else [part])

    handles = [getattr(network[i], f"register_{kind}")(note) for i in layers]
    network(torch.ones(2, OB, requires_grad=True)).square().sum().backward()
    for handle in handles:
        handle.remove()
    return [np.round(t.detach().flatten().numpy(), 5).tolist() for t in given if t is not None]


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("kind", HOOKS)
@pytest.mark.parametrize("layers", [range(1), range(1, 2), range(6)], ids=["0", "1", "all"])
def test_hooks_on_layers_of_build_mlp(activation: str, kind: str, layers: range) -> None:
    ours, theirs = (seen_by_hooks(one, kind, layers) for one in networks(activation))
    assert ours == theirs
    assert len(ours) >= len(layers)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("kind", HOOKS)
def test_global_hooks(activation: str, kind: str) -> None:
    found = []
    for network in networks(activation):
        names: list[str] = []
        register = getattr(nn.modules.module, f"register_module_{kind}")
        handle = register(lambda module, *_, names=names: names.append(type(module).__name__))
        network(torch.ones(2, OB, requires_grad=True)).sum().backward()
        handle.remove()
        found.append([name.replace("LeanSequential", "Sequential") for name in names])
    assert found[0] == found[1]
    assert len(found[0]) >= 6


def test_a_relu_leaves_its_own_input_alone() -> None:
    """In place is only what nobody else has: not the input, not what a hook or a view has seen."""
    inputs = torch.tensor([[-1.0, 2.0]])
    assert LeanSequential(nn.ReLU())(inputs).tolist() == [[0.0, 2.0]]
    assert LeanSequential(nn.Flatten(), nn.ReLU())(inputs).tolist() == [[0.0, 2.0]]
    assert inputs.tolist() == [[-1.0, 2.0]]
    network = ptu.build_mlp(2, 2, 1, 3, "relu")
    first = network[0](inputs)
    before = first.clone()
    network[1](first)
    assert torch.equal(first, before)


def trained(make: Callable[..., optim.Optimizer], change: Callable[..., object]) -> nn.Module:
    """Takes steps before and after something is changed; returns the network."""
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(OB, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = make([*network[0].parameters()], lr=0.1)

    def steps() -> None:
        for _ in range(3):
            optimizer.zero_grad()
            network(torch.ones(2, OB)).square().sum().backward()
            optimizer.step()

    steps()
    change(optimizer, network)
    steps()
    return network


def new_state_of_one(optimizer: optim.Optimizer, network: nn.Sequential) -> None:
    entry = optimizer.state[network[0].weight]
    optimizer.state[network[0].weight] = {name: value * 0.5 for name, value in entry.items()}


def new_average(optimizer: optim.Optimizer, network: nn.Sequential) -> None:
    optimizer.state[network[0].bias]["exp_avg"] = torch.ones(4)


def same_state_anew(optimizer: optim.Optimizer, network: nn.Sequential) -> None:
    state = copy.deepcopy(optimizer.state_dict())
    for entry in state["state"].values():
        entry["exp_avg"] += 1.0
    optimizer.load_state_dict(state)


def without_state(optimizer: optim.Optimizer, network: nn.Sequential) -> None:
    optimizer.state.clear()


def one_more_group(optimizer: optim.Optimizer, network: nn.Sequential) -> None:
    optimizer.add_param_group({"params": [*network[2].parameters()], "lr": 0.01})


def one_weight_stays(optimizer: optim.Optimizer, network: nn.Sequential) -> None:
    network[0].bias.requires_grad_(False)


def the_other_way(optimizer: optim.Optimizer, network: nn.Sequential) -> None:
    optimizer.param_groups[0] |= {"maximize": True, "weight_decay": 0.1}


CHANGES = [
    new_state_of_one,
    new_average,
    same_state_anew,
    without_state,
    one_more_group,
    one_weight_stays,
    the_other_way,
]


@pytest.mark.parametrize("change", CHANGES)
def test_adam_notices_what_is_changed_between_steps(change: Callable[..., object]) -> None:
    ours = trained(FusedAdam, change)
    theirs = trained(lambda params, lr: optim.Adam(params, lr, fused=True), change)
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
def test_a_copied_optimizer_steps_on(copied: Callable[[Any], Any]) -> None:
    weight = nn.Parameter(torch.ones(2))
    optimizer = FusedAdam([weight], lr=0.1)
    for _ in range(2):
        weight.grad = torch.ones(2)
        optimizer.step()
    twin = copied(optimizer)
    (other,) = twin.param_groups[0]["params"]
    for one in (weight, other):
        one.grad = torch.full((2,), 2.0)
    optimizer.step()
    twin.step()
    assert torch.equal(weight, other) and weight is not other


def test_gradients_can_be_set_to_zero_instead_of_none() -> None:
    weight = nn.Parameter(torch.ones(2))
    optimizer = FusedAdam([weight], lr=0.1)
    weight.grad = torch.ones(2)
    optimizer.zero_grad(set_to_none=False)
    assert weight.grad is not None and weight.grad.tolist() == [0.0, 0.0]
    optimizer.zero_grad()
    assert weight.grad is None


@pytest.mark.parametrize("hooked", [False, True])
def test_a_step_may_have_a_closure(hooked: bool) -> None:
    weight = nn.Parameter(torch.ones(2))
    optimizer = FusedAdam([weight], lr=0.1)
    if hooked:
        optimizer.register_step_pre_hook(lambda *_: None)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = weight.square().sum()
        loss.backward()
        return loss

    with torch.no_grad():  # a closure computes gradients in any case
        assert optimizer.step(closure).item() == 2.0
    assert weight.tolist() == pytest.approx([0.9, 0.9])


class RunningMean(nn.Module):
    """A layer such as students write: it subtracts a mean that it follows."""

    def __init__(self) -> None:
        super().__init__()
        self.mean = torch.zeros(OB)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        self.mean = 0.9 * self.mean + 0.1 * inputs.mean(0)
        return (inputs - self.mean) * self.mean


POLICIES = {
    "pg": lambda: MLPPolicyPG(2, OB, 1, 4, discrete=True),
    "deterministic": lambda: DeterministicActor(OB, 2, (4,), 0.1),
    "squashed": lambda: SquashedPolicy(OB, 2, (4,)),
}


@pytest.mark.parametrize("name", POLICIES)
def test_what_a_layer_keeps_of_acting_may_be_used_in_learning(name: str) -> None:
    policy: Any = POLICIES[name]()
    network = next(m for m in policy.modules() if isinstance(m, LeanSequential))
    network.insert(0, RunningMean())
    for _ in range(2):
        policy.get_action(np.ones(OB, np.float32))
        inputs = torch.ones(N, OB, requires_grad=True)
        network(inputs).sum().backward()  # "Inference tensors cannot be saved for backward"
        assert inputs.grad is not None


def snippets() -> dict[str, str]:
    """The pieces of Python in homework 3's section about this error, by their first line."""
    text = (ROOT / "docs/hw3/blanks.md").read_text(encoding="utf-8")
    section = text.split("## An error that explains itself\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return {block.splitlines()[0]: block for block in blocks}


def outcome(source: str, names: dict[str, Any]) -> str:
    try:
        exec(compile(source, "<the handout>", "exec"), names)
    except RuntimeError:
        return traceback.format_exc()
    return ""


def test_the_handout_shows_what_happens() -> None:
    setup, mistake = snippets().values()
    names: dict[str, Any] = {}
    assert outcome(setup, names) == ""
    assert "modified by an inplace operation" in outcome(mistake, names)
    without = mistake.replace("retain_graph=True", "")
    assert without != mistake
    assert "backward through the graph a second time" in outcome(without, names)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with torch.autograd.set_detect_anomaly(True):
            assert "inplace" in outcome(mistake, names)
    assert any("Error detected in" in str(one.message) for one in found)
    one_step = mistake.replace("range(2)", "range(1)")
    assert outcome(one_step, names) == "" and names["target"].requires_grad
    cure = mistake.replace("\nfor", "\ntarget = target.detach()\nfor")
    assert outcome(cure.replace("retain_graph=True", ""), names) == ""
    assert not names["target"].requires_grad
