"""When an update is plain, and when compiled: phases, guards, changed settings, hooks, lines."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest
import torch

from cs285.infrastructure.base.schedules import PiecewiseSchedule
from cs285.infrastructure.compiled import cache, capture, reasons, traced_adam
from cs285.infrastructure.compiled.updates import PLAIN_CALLS
from tests import compiled
from tests.compiled import Watched, difference, dqn, learn_beside, needs_compiler

LEARNED = PLAIN_CALLS + 3  # updates after which it is compiled, and has been called so


def test_these_are_the_private_names_of_this_torch() -> None:
    """With another version: bring capture.py up to it, run the slow tests, then set TORCH."""
    here = torch.__version__
    assert capture.right_version(), (
        f"torch {here} is installed, and compiled updates are written for {capture.TORCH}: until "
        "cs285/infrastructure/compiled/capture.py is adapted, --compile does nothing but say so"
    )


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("TORCH", "1.0", "compiled updates are made for 1.0"),
        ("CXX", "/nowhere/g++", "there is no C++ compiler: '/nowhere/g++' is not found"),
        ("CXX", "", "there is no C++ compiler: '' is not found"),
    ],
)
def test_without_what_it_needs_it_is_plain(
    name: str, value: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "CXX":
        if not capture.right_version():
            pytest.skip(f"this is torch {torch.__version__}")
        monkeypatch.setenv(name, value)
    else:
        monkeypatch.setattr(capture, name, value)
        monkeypatch.setattr(cache, name, value)
    plain, other = dqn(), dqn()
    watched = Watched(other.updates())
    learn_beside(plain, other, 0, LEARNED)
    assert difference(plain, other) == 0.0
    assert watched.ways == ["plain"] and not watched.compiling
    assert len(watched.lines) == 1 and line in watched.lines[0]


def test_a_student_reads_the_reason_and_the_line() -> None:
    error = (
        "Failed to trace builtin operator `print`\n  Explanation: ...\n\nfrom user code:\n"
        '   File "/a/capture.py", line 3, in compiled_update\n    return method(*args)\n'
        '  File "/b/dqn_critic.py", line 127, in gradient_step\n    print(q_tp1)\n'
    )
    assert reasons.of_error(Exception(error)) == "it prints (dqn_critic.py, line 127: print(q_tp1))"
    guard = (
        "G['method'].__self__.gamma == 0.99      # y = r + self.gamma * q  "
        "# cs285/critics/dqn_critic.py:125 in gradient_step"
    )
    assert reasons.of_guard(guard) == (
        "what it depends on has changed, it was: self.gamma == 0.99 "
        "(dqn_critic.py, line 125: y = r + self.gamma * q)"
    )


# Changes from outside between two updates: what is changed, and what the line must say; without a
# line, the update goes on as a graph.
STEADY = PiecewiseSchedule.parse("0.05")
CHANGES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "nothing": (lambda critic: None, ""),
    "step size": (lambda critic: setattr(critic, "step_sizes", STEADY), ""),
    "averages": (lambda critic: halve_averages(critic), ""),
    "averages in place": (lambda critic: averages(critic)["exp_avg"].mul_(0.5), ""),
    "loaded state": (lambda critic: critic.load_state_dict(compiled.copied_of(critic)), ""),
    "weights": (lambda critic: critic.weights[0].data.mul_(1.5), ""),
    "targets": (lambda critic: critic.update_target_network(), ""),
    "gradient": (lambda critic: setattr(critic.weights[0], "grad", None), ""),
    "discount": (lambda critic: setattr(critic, "gamma", 0.5), "self.gamma == 0.9"),
    "double": (lambda critic: setattr(critic, "double_q", False), "self.double_q"),
    "clipping": (lambda critic: setattr(critic, "grad_norm_clipping", 0.01), "grad_norm_clipping"),
    "betas": (lambda critic: critic.optimizer.param_groups[0].update(betas=(0.5, 0.9)), "0.9"),
    "eps": (lambda critic: critic.optimizer.param_groups[0].update(eps=0.1), "eps"),
    "decay": (lambda critic: critic.optimizer.param_groups[0].update(weight_decay=0.1), "decay"),
    "loss": (lambda critic: setattr(critic, "loss", torch.nn.MSELoss()), "self.loss"),
    "huber": (lambda critic: setattr(critic.loss, "beta", 0.1), "beta"),
    "activation": (lambda critic: exchange(critic.q_net, 1, torch.nn.Tanh()), "_modules"),
    "network": (lambda critic: renew(critic), ""),
    "frozen": (lambda critic: critic.weights[-1].requires_grad_(False), "requires_grad"),
    "step hook": (lambda critic: hook_steps(critic.optimizer), "its optimizer has a hook"),
    "weight's hook": (lambda critic: hook_weight(critic), "a parameter has a hook"),
    "layer's hook": (lambda critic: hook_layer(critic), "hooks"),
    "method": (lambda critic: rebind(critic), "double_q_values"),
}


def averages(critic: Any) -> dict[str, torch.Tensor]:
    state: dict[str, torch.Tensor] = critic.optimizer.state[critic.weights[0]]
    return state


def halve_averages(critic: Any) -> None:
    state = averages(critic)
    state["exp_avg"] = 0.5 * state["exp_avg"]


def exchange(network: Any, number: int, layer: Any) -> None:
    network[number] = layer


def renew(critic: Any) -> None:
    """Another target network of the same shape: the graph must read its weights."""
    torch.manual_seed(9)
    critic.q_net_target = compiled.critic().q_net_target
    for weight in critic.q_net_target.parameters():
        weight.data.add_(0.1)


def hook_steps(optimizer: Any) -> None:
    optimizer.register_step_post_hook(lambda its, *_: its.param_groups[0]["params"][0].data.mul_(2))


def hook_weight(critic: Any) -> None:
    critic.weights[0].register_hook(lambda gradient: 10.0 * gradient)


def hook_layer(critic: Any) -> None:
    critic.q_net[0].register_forward_hook(lambda module, inputs, output: 2.0 * output)


def rebind(critic: Any) -> None:
    critic.double_q_values = types.MethodType(lambda self, obs: obs[:, 0], critic)


def check_change(name: str, backend: str) -> Watched:
    change, line = CHANGES[name]
    plain, other = dqn(), dqn()
    watched = Watched(other.updates(), backend)
    learn_beside(plain, other, 0, LEARNED)
    assert watched.ways != ["plain"]
    untouched = compiled.copied(plain)
    for learner in (plain, other):
        change(learner.critic)
    learn_beside(plain, other, LEARNED, LEARNED + 5)
    assert difference(plain, other) < 1e-6, watched.lines
    assert (watched.ways == ["plain"]) == bool(line), watched.lines
    assert line in watched.why
    assert untouched is not None
    return watched


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_what_is_changed_counts_at_once(name: str) -> None:
    """Of a graph that is only traced: guards and the optimizer's checks are the same there."""
    check_change(name, "eager")


@needs_compiler
@pytest.mark.slow
def test_the_shorter_way_looks_at_all_that_torch_does() -> None:
    """Of one compiled graph: each change that others notice is noticed; the others take effect."""
    plain, other = dqn(), dqn()
    watched = Watched(other.updates())
    learn_beside(plain, other, 0, LEARNED)
    (update,) = watched.all.updates
    batch = [torch.from_numpy(column) for column in compiled.transitions(0)]
    seed = LEARNED
    for name, (change, line) in CHANGES.items():
        assert update.captured is not None and update.captured.short is not None, name
        assert unchanged(update, batch), name
        if not line:
            for learner in (plain, other):
                change(learner.critic)
            learn_beside(plain, other, seed, seed := seed + 3)
            assert difference(plain, other) < 1e-6, name
            continue
        restore = snapshot(other.critic)
        change(other.critic)
        assert not unchanged(update, batch), name
        restore()


def unchanged(update: Any, batch: list[torch.Tensor]) -> bool:
    """Whether the next call of an update would be one of its graph, by the shorter way."""
    (optimizer,) = update.optimizers
    if traced_adam.refresh(optimizer):
        return False
    return bool(update.captured.short.check({"args": tuple(batch)}))


def snapshot(critic: Any) -> Callable[[], None]:
    """Returns a function that undoes what `CHANGES` do."""
    held, layers = dict(vars(critic)), dict(critic.q_net._modules)
    group = dict(critic.optimizer.param_groups[0])

    def restore() -> None:
        vars(critic).clear()
        vars(critic).update(held)
        critic.q_net._modules.update(layers)
        critic.optimizer.param_groups[0].update(group)
        critic.optimizer._optimizer_step_post_hooks.clear()
        critic.loss.beta = 1.0
        critic.q_net[0]._forward_hooks.clear()
        critic.weights[-1].requires_grad_(True)
        critic.weights[0]._backward_hooks = None

    return restore


def test_batches_of_another_size_are_plain() -> None:
    plain, other = dqn(), dqn()
    watched = Watched(other.updates(), "eager")
    learn_beside(plain, other, 0, LEARNED)
    batch = compiled.transitions(1)
    for learner in (plain, other):
        learner.critic.update(*(column[:4] for column in batch))
    assert difference(plain, other) < 1e-6
    learn_beside(plain, other, LEARNED, LEARNED + 2)
    assert watched.ways == ["torch"] and difference(plain, other) < 1e-6


def test_it_goes_on_in_its_phase() -> None:
    """One that was compiled is so from its first update on; one that was plain stays plain."""
    first = dqn()
    watched = Watched(first.updates(), "eager")
    for seed in range(LEARNED):
        first.learn(seed)
    state = watched.all.state_dict()
    again = dqn()
    resumed = Watched(again.updates(), "eager")
    resumed.all.load_state_dict(state)
    again.learn(0)
    assert resumed.ways == ["torch"]

    (update,) = watched.all.updates
    update.plain, update.captured = "it was so", None
    third = dqn()
    plain = Watched(third.updates(), "eager")
    plain.all.load_state_dict(watched.all.state_dict() | {"compiler": "another"})
    for seed in range(LEARNED):
        third.learn(seed)
    assert plain.ways == ["plain"] and not plain.compiling
    assert "begun with another" in plain.lines[0] and "it was so" in plain.lines[1]
