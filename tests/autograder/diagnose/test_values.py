"""What values say, in the log and of the steps that a checkpoint keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.diagnose import examine
from autograder.diagnose.record import read_record
from tests.autograder.diagnose.made_runs import (
    ROWS,
    perceptron,
    transitions,
    unfinish,
    write_checkpoint,
    write_run,
)

FLAT = {f"{kind}_AverageReturn": 20.0 for kind in ("Train", "Eval")}
Q = "critic.q_net"


def run(folder: Path, memory: dict[str, np.ndarray], nets: Any = None, **log: Any) -> list[str]:
    """Names what is found in a run whose returns do not rise."""
    made = unfinish(write_run(folder, log=FLAT | log))
    write_checkpoint(made, 9000, nets or perceptron(Q) | perceptron(f"{Q}_target"), memory=memory)
    return [finding.name for finding in examine(read_record(made))]


def ending(show: bool = True) -> dict[str, np.ndarray]:
    """A memory in which the first number of an observation is far from 0 at ends, if it shows."""
    found = transitions(rows=800)
    if show:
        found["obs"][:, 0] = np.where(found["done"], 3.0, 0.1 * found["obs"][:, 0])
    return found


def critic(of_step: float, of_end: float) -> dict[str, np.ndarray]:
    """Networks whose values are about `of_step`, and `of_end` where the first number is 3."""
    nets = perceptron(Q) | perceptron(f"{Q}_target")
    nets = {name: array * (0.05 if "weight" in name else 0.0) for name, array in nets.items()}
    for name in (Q, f"{Q}_target"):
        first, second, third = (nets[f"{name}.{layer}.weight."] for layer in (0, 2, 4))
        first[0], second[0] = 0.0, 0.0
        first[0, 0], second[0, 0], third[:, 0] = 1.0, 1.0, (of_end - of_step) / 3.0
        nets[f"{name}.4.bias."] += of_step
        first[1:] *= 20  # so that other units live, and the weights have moved
    return {name: array.astype(np.float32) for name, array in nets.items()}


def test_an_end_that_is_worth_as_much_as_a_step(tmp_path: Path) -> None:
    assert run(tmp_path / "ill", ending(), critic(30.0, 30.0)) == ["values_flat"]
    assert run(tmp_path / "well", ending(), critic(30.0, 1.0)) == []
    assert run(tmp_path / "inverted", ending(), critic(1.0, 2.0)) == ["values_flat"]
    assert run(tmp_path / "young", ending(), critic(0.9, 1.1)) == []


def test_an_end_that_nothing_shows_may_be_worth_as_much(tmp_path: Path) -> None:
    assert run(tmp_path / "run", ending(show=False), critic(30.0, 30.0)) == []


def test_where_returns_rise_the_critic_may_know_only_success(tmp_path: Path) -> None:
    rise = {f"{kind}_AverageReturn": np.linspace(20.0, 130.0, ROWS) for kind in ("Train", "Eval")}
    flat = {"Q_Mean": 60.0, "Q_Max": 60.1}
    assert run(tmp_path / "run", ending(), critic(30.0, 30.0), **rise, **flat) == []


def test_rare_ends_may_not_be_learned_yet(tmp_path: Path) -> None:
    rare = {name: array.repeat(2, axis=0) for name, array in ending().items()}
    rare["done"][np.flatnonzero(rare["done"])[30:]] = False
    assert run(tmp_path / "run", rare, critic(30.0, 30.0)) == []


def test_flat_values_are_right_where_all_episodes_are_alike(tmp_path: Path) -> None:
    flat = {"Q_Mean": 60.0, "Q_Max": 60.1}
    alike = {f"Train_{end}Return": 20.0 + (end == "Max") for end in ("Max", "Min")}
    assert run(tmp_path / "ill", transitions(), **flat) == ["values_flat"]
    assert run(tmp_path / "well", transitions(), **flat, **alike) == []


@pytest.mark.parametrize(
    ("level", "words"), [(60.0, "mask may be missing"), (1.2, "targets lack the future")]
)
def test_the_level_names_a_cause(level: float, words: str, tmp_path: Path) -> None:
    log = FLAT | {"Q_Mean": level, "Q_Max": 1.001 * level}
    (found,) = examine(read_record(write_run(tmp_path / "run", log=log)))
    assert any(words in evidence.message for evidence in found.evidence)


def test_values_of_the_other_sign_than_all_rewards(tmp_path: Path) -> None:
    below = {"Q_Mean": lambda q: -q, "Q_Max": lambda q: -q / 2}
    assert run(tmp_path / "values", transitions(), **below) == ["values_contradict"]
    stored = transitions()
    stored["reward"] *= -1  # the sign is lost on the way into the memory
    assert run(tmp_path / "memory", stored, **below) == ["values_contradict"]
    mixed = transitions()
    mixed["reward"][::2] *= -1  # where rewards have both signs, values may have either
    assert run(tmp_path / "mixed", mixed, **below) == []
