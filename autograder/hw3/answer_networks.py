"""Answers about given networks: their sizes, activations, optimizers and copies."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping

import numpy as np

from autograder.hw3.probe_networks import (
    ACTIONS,
    BATCH,
    CLIP_AT,
    DECAY,
    FREQUENCY,
    LAYERS,
    OBS,
    RATE,
    WIDTH,
    observations,
)
from autograder.hw3.probe_step_env import STARTS
from autograder.judge import (
    Choice,
    Factor,
    Judgement,
    Outcome,
    close,
    difference,
    explain,
    judge_crash,
    mistakes_in,
)
from autograder.probing import Crash, Observation, Trial

Arrays = Mapping[str, np.ndarray]
SIZES = {"mlp": ACTIONS, "mlp_relu": ACTIONS, "mlp_tanh_output": ACTIONS, "value": 1,
         "logits_na": ACTIONS, "mean_net": ACTIONS}  # fmt: skip
WRONG_HIDDEN, WRONG_OUTPUT = "network.hidden_activation", "network.output_activation"
UNREGISTERED, USED_UP = "network.layers_unregistered", "network.parameters_used_up"
KINDS = ("identity", "tanh", "relu", "sigmoid", "softmax", "log_softmax", "softplus")


def activate(kind: str, x: np.ndarray) -> np.ndarray:
    """Applies an activation to the rows of `x`."""
    shifted = x - x.max(axis=-1, keepdims=True)
    forms: dict[str, Callable[[], np.ndarray]] = {
        "identity": lambda: x,
        "tanh": lambda: np.tanh(x),
        "relu": lambda: np.maximum(x, 0),
        "leaky_relu": lambda: np.where(x > 0, x, 0.01 * x),
        "elu": lambda: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
        "sigmoid": lambda: 1 / (1 + np.exp(-x)),
        "softmax": lambda: np.exp(shifted) / np.exp(shifted).sum(-1, keepdims=True),
        "log_softmax": lambda: shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)),
        "softplus": lambda: np.log1p(np.exp(x)),
    }
    with np.errstate(over="ignore"):
        return np.asarray(forms[kind]())


def factors_of(name: str) -> tuple[Factor, Factor]:
    """Returns the activations that a network may have, and which of them are wrong."""
    hidden: dict[str, str | None] = {"tanh": None, "relu": None, "identity": "network.linear"}
    if name.startswith("mlp"):
        asked = "tanh" if name == "mlp" else "relu"
        others = dict.fromkeys({"tanh", "relu", "sigmoid"} - {asked}, WRONG_HIDDEN)
        hidden = {asked: None, **dict(sorted(others.items())), "identity": "network.linear"}
    else:
        hidden |= dict.fromkeys(("leaky_relu", "elu", "sigmoid"))
    right = "tanh" if name == "mlp_tanh_output" else "identity"
    output: dict[str, str | None] = {right: None}
    if name == "logits_na":  # a constant added to all logits of a row changes no probability
        output["log_softmax"] = None
    for kind in KINDS:
        output.setdefault(kind, WRONG_OUTPUT)
    return Factor("hidden", hidden), Factor("output", output)


def predict_output(
    weights: list[np.ndarray], biases: list[np.ndarray], obs: np.ndarray, choice: Choice
) -> Outcome:
    """Predicts what a perceptron with given weights makes of observations."""
    x = obs.astype(np.float64)
    for number, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        x = x @ (weight.T if weight.shape == (len(bias), x.shape[1]) else weight) + bias
        last = number == len(weights) - 1
        x = activate(choice["output" if last else "hidden"], x)
    return {"output": x}


def judge_networks(seen: Observation, seed: int) -> Judgement:
    """Judges every network that is given to students."""
    verdict = Judgement()
    crashes = [seen[name].crash for name in (*SIZES, "networks", "actor_critic", "learning_step")]
    for name in SIZES:
        _judge_one(name, seen[name].arrays, seed, verdict)
    for crash in crashes:
        if crash and not (foreign(crash) or _follows(crash, verdict)):
            known = USED_UP if "empty parameter list" in crash.text else None
            judge_crash(crash, known, verdict)
    verdict.unknown[:] = dict.fromkeys(verdict.unknown)
    _judge_forward_np(seen["value"].arrays, verdict)
    _judge_agent_sizes(seen["actor_critic"].arrays, verdict)
    _judge_learning_steps(seen["learning_step"].arrays, verdict)
    _judge_critic(seen["networks"], seen["clipped"], verdict)
    _judge_schedule(seen["schedule"], verdict)
    return verdict


def foreign(crash: Crash) -> bool:
    """Tells whether what was looked for is missing: a blank, a package, a file."""
    missing = re.match(r"(partially initialized )?module '|cannot import name", crash.text)
    absent = ("ImportError", "ModuleNotFoundError", "UserError", "DependencyNotInstalled")
    return bool(crash.blank or missing) or crash.kind in absent


def _follows(crash: Crash, verdict: Judgement) -> bool:
    """Tells whether a crash is the consequence of layers that nobody knows of."""
    return "empty parameter list" in crash.text and UNREGISTERED in verdict.mistakes


def _judge_one(name: str, arrays: Arrays, seed: int, verdict: Judgement) -> None:
    """Judges one network: who knows its tensors, what trains them, its sizes and activations."""
    if "output" not in arrays:
        return
    used = int(arrays["used"])
    if used == 0:
        verdict.name("network.no_gradient")
        return
    if int(arrays["known"]) < used:
        verdict.name(UNREGISTERED)
    else:
        _judge_optimizer(arrays, used, verdict)
    expected = _sizes(SIZES[name])
    shapes = [tuple(sorted(shape)) for shape in arrays["shapes"].tolist()]
    if shapes != [tuple(sorted(shape)) for shape in expected]:
        verdict.name("network.depth" if len(shapes) != len(expected) else "network.width")
    elif name == "value" and arrays["output"].shape != (BATCH,):
        verdict.name("network.value_shape")
    else:
        _judge_activations(name, arrays, seed, verdict)


def _sizes(outputs: int) -> list[tuple[int, int]]:
    """Returns the shapes of the weights of a perceptron, from the input on."""
    return [(WIDTH, OBS), *[(WIDTH, WIDTH)] * (LAYERS - 1), (outputs, WIDTH)]


def _judge_optimizer(arrays: Arrays, used: int, verdict: Judgement) -> None:
    """All tensors that a network uses are in its optimizer, with the rate that was asked for."""
    trained = int(arrays.get("trained", np.array(used)))
    if trained < used:
        verdict.name("network.optimizer_holds_other" if not trained else "network.optimizer_misses")
    if not np.isclose(float(arrays.get("rate", np.array(RATE))), RATE):
        verdict.name("network.learning_rate")
    if trained and not arrays.get("logstd_trained", np.array(True)):
        verdict.name("network.logstd_not_trained")


def _judge_activations(name: str, arrays: Arrays, seed: int, verdict: Judgement) -> None:
    """Names the activations that explain a network's output."""
    weights = [arrays[f"weight{i}"] for i in range(LAYERS + 1)]
    biases = [arrays.get(f"bias{i}", np.empty(0)) for i in range(LAYERS + 1)]
    if arrays["output"].size != BATCH * SIZES[name]:
        expected = np.zeros((BATCH, SIZES[name]))
        verdict.unknown.append(difference(f"output of {name}", arrays["output"], expected))
        return
    output = arrays["output"].reshape(BATCH, -1)
    if [len(bias) for bias in biases] != [*[WIDTH] * LAYERS, SIZES[name]]:
        verdict.unknown.append(f"{name}: no layer, or not every layer, has its vector of biases")
        return
    factors = factors_of(name)
    predict = functools.partial(predict_output, weights, biases, observations(seed))
    found = explain(factors, predict, lambda outcome: close(output, outcome["output"]))
    if found:
        verdict.name(*mistakes_in(found, factors))
    elif not {"network.linear", WRONG_HIDDEN, WRONG_OUTPUT} & set(verdict.mistakes):
        right = predict({factor.name: factor.right[0] for factor in factors})
        verdict.unknown.append(difference(f"output of {name}", output, right["output"]))


def _judge_forward_np(arrays: Arrays, verdict: Judgement) -> None:
    """By array, a critic says what it says by tensor, and leaves everything as it was."""
    if "by_array" not in arrays:
        return
    if not arrays["is_array"]:
        verdict.name("network.not_an_array")
    if arrays["by_array"].shape != (BATCH,):
        verdict.name("network.value_shape")
    elif arrays["output"].shape == (BATCH,) and not close(arrays["by_array"], arrays["output"]):
        verdict.name("network.forward_np_differs")
    _judge_modes(arrays, verdict)


def _judge_modes(arrays: Arrays, verdict: Judgement) -> None:
    """Valuing leaves training mode and the recording of gradients as they were."""
    if not arrays.get("mode_kept", np.array(True)):
        verdict.name("network.mode_left")
    if not arrays.get("gradient_on", np.array(True)):
        verdict.name("network.gradient_left_off")


def _judge_agent_sizes(arrays: Arrays, verdict: Judgement) -> None:
    """The agent asks for the sizes that it was asked for itself."""
    if {"network.depth", "network.width"} & set(verdict.mistakes):
        return
    for name, outputs in (("actor", ACTIONS), ("critic", 1)):
        shapes = arrays.get(f"{name}_shapes", np.empty((0, 2))).tolist()
        expected = [sorted(shape) for shape in _sizes(outputs)]
        if shapes and [sorted(shape) for shape in shapes] != expected:
            verdict.name("network.agent_sizes")


def _judge_learning_steps(arrays: Arrays, verdict: Judgement) -> None:
    """DQN learns every so many steps, when it has waited and has enough to learn from."""
    if "ready" not in arrays:
        return
    ready = arrays["ready"]
    if ready[:STARTS].any():
        verdict.name("network.learns_too_early")
    if arrays["too_few"].any():
        verdict.name("network.learns_from_too_few")
    if int(ready[STARTS + 1 :].sum()) != len(ready[STARTS + 1 :]) // FREQUENCY:
        verdict.name("network.learning_freq")


def _judge_critic(networks: Trial, clipped: Trial, verdict: Judgement) -> None:
    """Judges both networks of DQN's critic."""
    arrays = networks.arrays
    if "moved_target" in arrays:
        shared = _judge_start(arrays, verdict)
        if "qa" in arrays:
            _judge_qa(arrays, shared, verdict)
            _judge_modes(arrays, verdict)
        if "later_target" in arrays and not shared:
            _judge_sync(arrays, verdict)
    if not clipped.crash and float(clipped.arrays.get("largest", np.array(0))) > 1.01 * CLIP_AT:
        verdict.name("network.clips_nothing")


def _judge_schedule(trial: Trial, verdict: Judgement) -> None:
    """The learning rate follows its schedule, whether the critic or the agent moves that on."""
    arrays = trial.arrays
    if trial.crash:
        return
    updates, rates = arrays["rates"].T
    stands = arrays["inline"] and np.allclose(rates, 1)  # so it was in Fall 2022
    if not stands and not np.allclose(rates, DECAY**updates):
        verdict.name("network.schedule")


def _judge_start(arrays: Arrays, verdict: Judgement) -> bool:
    """Judges how the critic begins; returns whether its networks share anything."""
    shared = _moved(arrays, "start", "moved", "target")
    held, size = int(arrays["q_net_held"]), int(arrays["q_net_size"])
    if shared:
        verdict.name("network.target_shared")
    elif int(arrays["q_net_target_held"]) and held:
        verdict.name("network.target_in_optimizer")
    equal = np.array_equal(arrays["start_online"], arrays["start_target"]) and np.array_equal(
        arrays["start_online_buffers"], arrays["start_target_buffers"]
    )
    if not equal:
        verdict.name("network.differ_at_start")
    if held < size:
        verdict.name("network.optimizer_misses" if held else "network.optimizer_holds_other")
    return shared


def _moved(arrays: Arrays, before: str, after: str, net: str) -> bool:
    """Tells whether a network is another one `after` than `before`."""
    names = (net, f"{net}_buffers")
    return any(not np.array_equal(arrays[f"{before}_{n}"], arrays[f"{after}_{n}"]) for n in names)


def _judge_qa(arrays: Arrays, shared: bool, verdict: Judgement) -> None:
    """Action values are the online network's."""
    if not arrays["qa_is_array"]:
        verdict.name("network.not_an_array")
    if close(arrays["qa"], arrays["qa_of_q_net"]):
        return
    if close(arrays["qa"], arrays["qa_of_q_net_target"]) and not shared:
        verdict.name("network.qa_of_target")
    else:
        verdict.unknown.append(difference("qa_values", arrays["qa"], arrays["qa_of_q_net"]))


def _judge_sync(arrays: Arrays, verdict: Judgement) -> None:
    """The target network becomes the online one, and then stands still."""
    if _moved(arrays, "moved", "synced", "online"):
        reversed_ = np.array_equal(arrays["synced_online"], arrays["moved_target"])
        verdict.name("network.sync_reversed" if reversed_ else "network.sync_moves_online")
    elif not _moved(arrays, "moved", "synced", "target"):
        verdict.name("network.no_sync")
    elif not np.allclose(arrays["synced_target"], arrays["synced_online"]):
        verdict.name("network.sync_partial")
    elif not np.allclose(arrays["synced_target_buffers"], arrays["synced_online_buffers"]):
        verdict.name("network.buffers_not_copied")
    if _moved(arrays, "synced", "later", "target"):
        verdict.name("network.sync_shares")
