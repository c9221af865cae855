"""Each illness is recognised in a small log, and healthy runs have none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.diagnose import examine, illnesses, settings, values
from autograder.diagnose.findings import ILLNESSES
from autograder.diagnose.record import read_record
from tests.autograder.diagnose.made_runs import ROWS, SCRIPTS, perceptron, weights, write_run
from tests.running import ROOT

FLAT = {f"{kind}_{name}Return": 20.0 for kind in ("Eval", "Train") for name in ("Average",)}
SAME = {f"Train_{name}Return": 0.0 for name in ("Average", "Max", "Min", "Std")}
NOW_NAN = np.where(np.arange(ROWS) < 6, 0.3, np.nan)


def scaled(factor: float, *kinds: str) -> dict[str, Any]:
    names = [f"{kind}_{name}Return" for kind in kinds for name in ("Average", "Max", "Min", "Std")]
    return {name: lambda column: factor * column for name in names}


def dead(name: str, value: float = -100.0) -> dict[str, np.ndarray]:
    nets = weights("DQN")
    nets[name] = np.full_like(nets[name], value)
    return nets


def still(*names: str) -> dict[str, np.ndarray]:
    nets = [perceptron(name, trained=0.0) for name in names]
    others = {k: v for k, v in weights("DQN").items() if not k.startswith(tuple(names))}
    return {name: array for net in (*nets, others) for name, array in net.items()}


# name, algorithm, and what is other than in a healthy run: log, settings, networks
ILL: list[tuple[str, str, dict[str, Any]]] = [
    ("learning_never_began", "DQN", {
        "log": {"Num_Param_Updates": 0.0}, "settings": {"learning_starts": 20_000},
    }),
    ("learning_never_began", "DDPG", {"log": {"Num_Param_Updates": 0.0}}),
    ("reward_never_seen", "DQN", {"log": SAME}),
    ("reward_never_seen", "PPO", {"log": {name: -200.0 for name in SAME}}),
    ("reward_scale", "DDPG", {"log": scaled(1e4, "Train", "Eval")}),
    ("reward_scale", "VPG", {"log": scaled(1e-5, "Train", "Eval")}),
    ("rate_too_high", "PPO", {"settings": {"learning_rate": 0.1}, "log": FLAT}),
    ("rate_too_high", "DQN", {"log": {"Learning_Rate": 0.5}}),
    ("rate_too_low", "actor-critic", {"settings": {"learning_rate": 1e-8}}),
    ("rate_too_low", "TRPO", {"settings": {"critic_learning_rate": 1e-8}}),
    ("discount_unfit", "SAC", {"settings": {"discount": 0.3}}),
    ("batch_too_small", "DQN", {"settings": {"batch_size": 1}}),
    ("batch_too_small", "DDPG", {"settings": {"buffer_size": 300}}),
    ("batch_too_small", "VPG", {"settings": {"batch_size": 10}}),
    ("exploration_stuck", "DQN", {"log": {"Exploration_Epsilon": 1.0}}),
    ("exploration_stuck", "DDPG", {"settings": {"exploration_noise": 5.0}}),
    ("exploration_absent", "DQN", {"log": {"Exploration_Epsilon": 0.0}}),
    ("exploration_absent", "DDPG", {"settings": {"exploration_noise": 0.0}}),
    ("target_frozen", "DQN", {"nets": still("critic.q_net_target")}),
    ("target_frozen", "DQN", {"settings": {"target_update_freq": 10**6}}),
    ("target_frozen", "SAC", {"settings": {"tau": 0}}),
    ("advantages_flat", "VPG", {"log": {"Actor_Loss": 0.0}}),
    ("advantages_flat", "PPO", {"log": {"Actor_Loss": 1e-9, "Explained_Variance": 1.0}}),
    ("dead_units", "DQN", {"nets": dead("critic.q_net.0.bias.")}),
    ("dead_units", "DQN", {"nets": dead("critic.q_net.2.bias."), "log": FLAT}),
    ("parameters_frozen", "DQN", {"nets": still("critic.q_net", "critic.q_net_target")}),
    ("parameters_frozen", "PPO", {
        "nets": {
            name: array * ("bias" not in name) for name, array in perceptron("actor.net").items()
        },
        "settings": {"learning_rate": 5e-3},
    }),
    ("parameters_frozen", "TRPO", {"log": {"Step_Fraction": 0.0}}),
    ("values_diverge", "DQN", {"log": {"Q_Max": lambda q: q**4}}),
    ("values_diverge", "DDPG", {"log": {"Critic_Loss": lambda loss: 10 ** (4 + 2 * loss)}}),
    ("values_flat", "DQN", {"log": {**FLAT, "Q_Max": lambda q: (q - 20) * 60 / 70 + 10.02}}),
    ("values_flat", "SAC", {"log": {**FLAT, "Q_Mean": 99.0, "Q_Max": 99.3}}),
    ("not_finite", "DQN", {"log": {"Training Loss": NOW_NAN}}),
    ("not_finite", "SAC", {"log": {"Q_Mean": np.where(np.isnan(NOW_NAN), np.inf, 1.0)}}),
    ("not_finite", "DQN", {"nets": dead("critic.q_net.4.bias.", np.inf)}),
    ("kl_out_of_range", "PPO", {"log": {"KL": 0.9}}),
    ("kl_out_of_range", "PPO", {"log": {"Clip_Fraction": 0.8}}),
    ("kl_out_of_range", "TRPO", {"log": {"KL": 2.0}}),
    ("entropy_collapsed", "VPG", {"log": {**FLAT, "Entropy": 1e-3}}),
    ("entropy_collapsed", "actor-critic", {"log": {**FLAT, "Entropy": 1e-5}}),
    ("entropy_collapsed", "SAC", {"log": {**FLAT, "Entropy": -9.0}}),
    ("evaluation_differs", "VPG", {"log": scaled(10, "Eval")}),
    ("evaluation_differs", "DDPG", {"log": scaled(0.02, "Eval")}),
]  # fmt: skip


def names(folder: Path) -> list[str]:
    return [finding.name for finding in examine(read_record(folder))]


@pytest.mark.parametrize(("name", "algorithm", "other"), ILL)
def test_it_is_named_before_all_else(
    name: str, algorithm: str, other: dict[str, Any], tmp_path: Path
) -> None:
    folder = write_run(tmp_path / "run", algorithm, **other)
    assert names(folder)[:1] == [name]


@pytest.mark.parametrize("algorithm", SCRIPTS)
def test_a_healthy_run_has_none(algorithm: str, tmp_path: Path) -> None:
    assert names(write_run(tmp_path / "run", algorithm)) == []


@pytest.mark.parametrize("algorithm", SCRIPTS)
def test_nor_has_a_young_one(algorithm: str, tmp_path: Path) -> None:
    """Returns have not risen yet, and DQN still warms up."""
    log: dict[str, Any] = dict(FLAT)
    if algorithm == "DQN":
        log |= {"Num_Param_Updates": 0.0, "Exploration_Epsilon": lambda e: 0.9 + 0.1 * e}
    settings = {"learning_starts": 50_000, "num_timesteps": 10**6} if algorithm == "DQN" else {}
    assert names(write_run(tmp_path / "run", algorithm, log, settings)) == []


def as_portfolio(folder: Path) -> Path:
    document = json.loads((folder / "config.json").read_text())
    held = document["settings"]
    settings = {"seed": 1, "env_name": "CartPole-v1", "members": "dqn,dqn:learning_rate=1e-12"}
    settings |= {n: held[n] for n in ("num_timesteps", "learning_starts", "batch_size")}
    (folder / "config.json").write_text(json.dumps({"script": "run_hw6", "settings": settings}))
    return folder


def test_a_member_that_has_not_learned_yet_does_not_ail_a_portfolio(tmp_path: Path) -> None:
    """Who plays in the last row may have no Q yet, and one may be broken on purpose."""
    nets = perceptron("members.0.critic.q_net") | perceptron("members.1.critic.q_net", trained=0.0)
    who_plays = np.where(np.arange(ROWS) % 3, 20.0, np.nan)
    log = {"Q_Mean": who_plays[::-1], "Q_Max": who_plays[::-1]}
    log |= {"Num_Param_Updates": 3000.0 * (np.arange(ROWS) % 3 > 0)}
    folder = as_portfolio(write_run(tmp_path / "run", "DQN", log, nets=nets))
    assert names(folder) == []
    for name in ("policy.safetensors", "best_policy.safetensors"):
        (folder / name).write_bytes((folder / "weights.safetensors").read_bytes())
    assert names(folder) == []


def test_a_portfolio_of_which_nobody_learns_ails(tmp_path: Path) -> None:
    log = {"Num_Param_Updates": 0.0}
    folder = write_run(tmp_path / "run", log=log, settings={"learning_starts": 20_000})
    assert names(as_portfolio(folder))[:1] == ["learning_never_began"]


def test_where_nothing_is_counted_nothing_is_said_of_updates(tmp_path: Path) -> None:
    assert names(write_run(tmp_path / "run", "DDPG", {"Num_Param_Updates": np.nan})) == []


def test_no_real_run_has_any_but_those_made_ill_on_purpose() -> None:
    """What homework 4 asks in its last question: a target network that never moves.

    Homework 3's critic takes one step only, and the policy collapses on four of five seeds. Its DQN
    copies the target too often, and values diverge. And homework 5's PPO without its clip moves
    far. That is what these questions show.
    """
    runs = [file.parent for file in sorted((ROOT / "docs/results/data").glob("*/log.csv"))]
    assert len(runs) > 100
    frozen = {run.name: ["target_frozen"] for run in runs if "_tau0_" in run.name}
    assert len(frozen) == 3
    found = {run.name: names(run) for run in runs if names(run)}
    collapsed = {name for name in found if "_q4_ac_1_1_" in name}
    assert len(collapsed) == 4
    far = {run.name: ["kl_out_of_range"] for run in runs if "_q1_no_clip_" in run.name}
    assert len(far) == 5
    chased = {run.name: ["values_diverge"] for run in runs if "_q3_hparam_300_" in run.name}
    assert len(chased) == 3
    assert found == frozen | far | chased | dict.fromkeys(collapsed, ["entropy_collapsed"])


def test_the_same_weights_as_of_an_earlier_evaluation_never_moved(tmp_path: Path) -> None:
    fell = {f"Eval_Average{name}": np.linspace(30.0, 20.0, ROWS) for name in ("Return", "EpLen")}
    folder = write_run(tmp_path / "run", "VPG", fell, nets={})
    policy = (folder / "weights.safetensors").read_bytes()
    for name in ("policy.safetensors", "best_policy.safetensors"):
        (folder / name).write_bytes(policy)
    assert names(folder) == []  # no numbers, so nothing is the same
    from safetensors.numpy import save_file

    for name in ("policy.safetensors", "best_policy.safetensors"):
        save_file(perceptron("logits_na"), folder / name)
    assert names(folder) == ["parameters_frozen"]


def test_a_cause_stands_before_what_it_brings(tmp_path: Path) -> None:
    log = {"Learning_Rate": 0.5, "Training Loss": NOW_NAN}
    first, second = examine(read_record(write_run(tmp_path / "run", "DQN", log)))
    assert (first.name, first.after) == ("rate_too_high", "")
    assert (second.name, second.after) == ("not_finite", "rate_too_high")


def test_every_illness_has_words_a_check_and_a_test() -> None:
    functions = {**vars(illnesses), **vars(settings), **vars(values)}.items()
    checks = [
        n for n, f in functions if getattr(f, "__annotations__", {}).get("return") == "Evidences"
    ]
    assert sorted(ILLNESSES) == sorted(checks)
    assert set(ILLNESSES) - {"values_contradict"} == {
        name for name, _, _ in ILL
    }  # test_values has that
    order = list(ILLNESSES)
    for name, words in ILLNESSES.items():
        assert all(order.index(name) < order.index(other) for other in words.brings), name
        assert len(words.title) < 90 and words.title.endswith(".")
