"""`run.v`: the critic's answer, by hand from the run's weights, in the task's reward units."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

import cs285
from cs285.agents.pg_agent import PGAgent

TINY = {"env": "Pendulum-v1", "n_iter": 2, "batch_size": 60, "eval_episodes": 1, "ep_len": 30}
OBS = np.array([[1.0, 0.0, 0.5], [0.0, -1.0, 4.0]], np.float32)


def by_hand(run: cs285.Run) -> np.ndarray:
    """What the critic's network makes of OBS: scaled where it scales, then layers with tanh."""
    weights = safetensors.numpy.load_file(run.folder / "weights.safetensors")
    first = "critic.critic_network."
    own = {n.removeprefix(first).strip("."): w for n, w in weights.items() if n.startswith(first)}
    units, left = OBS, sorted({int(name.partition(".")[0]) for name in own})
    for number in left:
        part = {name.partition(".")[2]: w for name, w in own.items() if int(name[0]) == number}
        if "mean" in part:
            units = np.clip((units - part["mean"]) / np.sqrt(part["var"] + 1e-8), -10, 10)
            continue
        units = units @ part["weight"].T + part["bias"]
        units = units if number == left[-1] else np.tanh(units)
    return units[:, 0]


@pytest.mark.parametrize(
    ("algorithm", "more"),
    [
        ("actor_critic", {"reward_scale": 4}),
        ("ppo", {"normalize_observations": True, "minibatch_size": 20, "reward_scale": 4}),
        ("trpo", {"normalize_observations": True, "minibatch_size": 20}),
    ],
)
def test_values_of_states(algorithm: str, more: dict[str, Any], tmp_path: Path) -> None:
    run = cs285.train(algorithm, data_dir=tmp_path, **TINY, **more)
    wanted = by_hand(run) / more.get("reward_scale", 1)
    assert run.v(OBS) == pytest.approx(wanted, rel=1e-4, abs=1e-5)
    assert run.v(OBS[1]) == pytest.approx(wanted[1], rel=1e-4, abs=1e-5)
    assert wanted[0] != pytest.approx(wanted[1], abs=1e-3)
    with pytest.raises(
        cs285.Error, match=rf"{algorithm} learns no Q\(s, a\), but V\(s\): v\(obs\)"
    ):
        run.q(OBS)


def test_a_baselines_values_are_returns_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    q_values = []
    fit = PGAgent._fit_baseline
    monkeypatch.setattr(
        PGAgent, "_fit_baseline", lambda *args: [q_values.append(args[-1]), fit(*args)][1]
    )
    given = {"reward_to_go": True, "nn_baseline": True, "reward_scale": 4}
    run = cs285.train("vpg", data_dir=tmp_path, **TINY, **given)
    wanted = (by_hand(run) * q_values[-1].std() + q_values[-1].mean()) / 4
    assert run.v(OBS) == pytest.approx(wanted, rel=1e-4) and wanted.max() < -5
    shutil.rmtree(run.folder / "checkpoints")
    with pytest.raises(cs285.Error, match="only a checkpoint has these two: train with keep_check"):
        run.v(OBS)


def test_q_is_in_the_tasks_reward_units_too(tmp_path: Path) -> None:
    given = {"num_timesteps": 60, "learning_starts": 1000, "ep_len": 30, "eval_freq": -1}
    made = [
        cs285.train(
            "dqn", "CartPole-v1", data_dir=tmp_path / str(factor), reward_scale=factor, **given
        )
        for factor in (1, 4)
    ]
    one, four = (run.q(np.zeros(4)) for run in made)
    assert four.tolist() == pytest.approx((one / 4).tolist()) and abs(one).min() > 1e-4


def test_an_agent_without_v_says_so(tmp_path: Path) -> None:
    given = {"num_timesteps": 3, "eval_freq": -1, "hid": [4], "data_dir": tmp_path}
    with pytest.raises(cs285.Error, match=r"^td3 learns no V\(s\), but Q\(s, a\): q\(obs, ac\)$"):
        cs285.train("td3", **given).v(OBS)
    plain = cs285.train("vpg", data_dir=tmp_path, **TINY)
    with pytest.raises(cs285.Error, match="vpg learned no V.*: train with nn_baseline=True"):
        plain.v(OBS)
    (plain.folder / "weights.safetensors").unlink()
    with pytest.raises(cs285.Error, match="a run leaves its critic when it is finished"):
        plain.v(OBS)
