"""Small run folders, healthy as they are made here, for tests to make ill."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file

from cs285.infrastructure.pytorch_util import GlobalGenerators
from cs285.infrastructure.training.checkpoint import CheckpointStore
from cs285.infrastructure.training.run_folder import FORMAT

ROWS = 12
SCRIPTS = {
    "DQN": "run_hw3_dqn",
    "actor-critic": "run_hw3_actor_critic",
    "VPG": "run_hw2",
    "DDPG": "run_hw4_ddpg",
    "SAC": "run_hw4_sac",
    "PPO": "run_hw5_ppo",
    "TRPO": "run_hw5_trpo",
}
OFF_POLICY = {"num_timesteps": 12_000, "learning_starts": 1000, "buffer_size": 50_000}
SETTINGS: dict[str, dict[str, Any]] = {
    "DQN": {**OFF_POLICY, "learning_rate": "1e-3", "batch_size": 32, "target_update_freq": 300},
    "DDPG": {**OFF_POLICY, "learning_rate": 1e-3, "batch_size": 256, "tau": 0.005},
    "SAC": {**OFF_POLICY, "learning_rate": 1e-3, "batch_size": 256, "tau": 0.005},
    "actor-critic": {"learning_rate": 5e-3, "batch_size": 1000},
    "VPG": {"learning_rate": 5e-3, "batch_size": 1000},
    "PPO": {"learning_rate": 3e-4, "batch_size": 2048, "minibatch_size": 64},
    "TRPO": {"critic_learning_rate": 1e-3, "batch_size": 2048, "minibatch_size": 64},
}
SETTINGS["DDPG"]["exploration_noise"] = 0.1

Columns = dict[str, Any]


def columns(algorithm: str) -> Columns:
    """A log of an agent whose returns rise from 20 to 130."""
    t = np.linspace(0.0, 1.0, ROWS)
    jitter = np.sin(7 * np.arange(ROWS))
    returns = 20 + 110 * t + 3 * jitter
    off = algorithm in ("DQN", "DDPG", "SAC")
    log: Columns = {"Step": np.arange(1, ROWS + 1) * (1000 if off else 1)}
    for kind in ("Eval", "Train"):
        log |= {f"{kind}_AverageReturn": returns, f"{kind}_AverageEpLen": returns}
        log |= {f"{kind}_MaxReturn": returns + 30, f"{kind}_MinReturn": returns - 11}
        log |= {f"{kind}_StdReturn": 10 + t, f"{kind}_NumEpisodes": 20 + 0 * t}
    if off:
        log["Num_Param_Updates"] = np.arange(ROWS) * 1000
        log |= {"Q_Mean": 10 + 60 * t, "Q_Max": 20 + 70 * t}
    if algorithm == "DQN":
        log |= {"Training Loss": 0.3 + 0.1 * jitter, "Learning_Rate": 1e-3 + 0 * t}
        log["Exploration_Epsilon"] = 1 - 0.95 * t
    else:
        log["Actor_Loss"] = -0.02 + 0.01 * jitter
    if algorithm not in ("DQN", "VPG"):
        log["Critic_Loss"] = 3 + 2 * jitter
    if algorithm not in ("DQN", "DDPG"):
        log["Entropy"] = 0.69 - 0.3 * t
    return log | of_segments(algorithm, t, jitter)


def of_segments(algorithm: str, t: np.ndarray, jitter: np.ndarray) -> Columns:
    """What PPO and TRPO log and nobody else does."""
    if algorithm not in ("PPO", "TRPO"):
        return {}
    own = {"PPO": ("Clip_Fraction", 0.1 + 0.05 * jitter), "TRPO": ("Step_Fraction", 1 + 0 * t)}
    log = dict([own[algorithm]])
    return log | {"KL": 0.008 + 0.004 * jitter, "Explained_Variance": 0.1 + 0.8 * t}


def perceptron(name: str, trained: float = 0.05, seed: int = 0) -> dict[str, np.ndarray]:
    """Weights as PyTorch draws them, moved by about `trained`."""
    rng, found = np.random.default_rng(seed), {}
    for number, (before, after) in enumerate([(4, 32), (32, 32), (32, 2)]):
        for kind, shape in (("weight", (after, before)), ("bias", (after,))):
            drawn = rng.uniform(-1, 1, shape) * before**-0.5
            moved = drawn + trained * rng.standard_normal(shape)
            found[f"{name}.{2 * number}.{kind}."] = moved.astype(np.float32)
    return found


def weights(algorithm: str) -> dict[str, np.ndarray]:
    """The networks of a trained agent."""
    if algorithm == "DQN":
        return perceptron("critic.q_net") | perceptron("critic.q_net_target", 0.05)
    return perceptron("actor.logits_na") | perceptron("critic.critic_network", seed=1)


def write_run(
    folder: Path,
    algorithm: str = "DQN",
    log: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    nets: Mapping[str, np.ndarray] | None = None,
) -> Path:
    """Writes a run; what is not given is healthy. A callable in `log` changes a column."""
    folder.mkdir(parents=True)
    held = {"seed": 1, "env_name": "CartPole-v1", "discount": 0.99, "load": None}
    held |= {"activation": "relu"} | SETTINGS[algorithm] | dict(settings or {})
    document = {"script": SCRIPTS[algorithm], "settings": held}
    (folder / "config.json").write_text(json.dumps(document))
    table = columns(algorithm)
    for name, value in (log or {}).items():
        changed = value(table[name]) if isinstance(value, Callable) else value
        table[name] = changed + np.zeros(ROWS)
    write_log(folder, table)
    save_file(dict(weights(algorithm) if nets is None else nets), folder / "weights.safetensors")
    return folder


def write_log(folder: Path, table: Mapping[str, Any]) -> None:
    """Writes log.csv; nan is an empty field, as the logger leaves it where nothing was logged."""
    lines = [",".join(table)]
    for row in zip(*table.values(), strict=True):
        lines.append(",".join(repr(float(value)) for value in row))
    (folder / "log.csv").write_text("\n".join(lines) + "\n")


def unfinish(folder: Path) -> Path:
    """Takes away what a run leaves at its end."""
    (folder / "weights.safetensors").unlink()
    return folder


def write_checkpoint(
    folder: Path,
    step: int,
    nets: Mapping[str, np.ndarray],
    updates: int = 5000,
    memory: Mapping[str, np.ndarray] | None = None,
) -> Path:
    """Writes a checkpoint, with the random state of a trainer in it, as the trainer does.

    Args:
        folder: The run's.
        step: Of the run.
        nets: Weights by name; "critic.q_net.0.weight." is in the state of `critic`'s `q_net`.
        updates: Batches learned from.
        memory: `obs`, `action`, `reward` and `done` of a DQN.
    """
    agent: dict[str, Any] = {"num_param_updates": updates}
    for name, array in nets.items():
        owner, part, key = name.rstrip(".").split(".", 2)
        agent.setdefault(owner, {}).setdefault(part, {})[key] = torch.from_numpy(array)
    if memory:
        rows = {name: memory[name] for name in ("action", "reward", "done")}
        frames = {"ring": memory["obs"], "next": len(memory["obs"])}
        rows["has_effect"] = np.ones(len(memory["obs"]), bool)
        agent["replay_buffer"] = {"frames": frames, **rows}
    state = {"agent": agent, "random": GlobalGenerators().state_dict()}
    store = CheckpointStore(folder)
    store.load_latest()
    store.save(step, {"format": FORMAT, "trainer": state})
    return folder / "checkpoints" / f"step_{step:09d}"


def transitions(seed: int = 0, rows: int = 400) -> dict[str, np.ndarray]:
    """What a DQN on a pole has played: an end after each twentieth step."""
    rng = np.random.default_rng(seed)
    return {
        "obs": rng.standard_normal((rows, 4)).astype(np.float32),
        "action": rng.integers(0, 2, rows),
        "reward": np.ones(rows, np.float32),
        "done": np.arange(rows) % 20 == 19,
    }
