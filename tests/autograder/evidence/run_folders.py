"""Run folders for the tests of evidence, made by the course's own writers."""

from __future__ import annotations

import dataclasses
import functools
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

from autograder.base.results import FAILED, Verdict
from autograder.evidence.judging import judge_each, read_folder
from cs285.experiments import registry
from cs285.infrastructure import rollouts
from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.environments import envs
from cs285.infrastructure.logging.logger import Logger

Weights = dict[str, np.ndarray]
CARTPOLE = "python scripts/run_hw3_actor_critic.py --env_name CartPole-v0 -n 100 -b 1000 "
TEN_TEN = CARTPOLE + "--exp_name q4_10_10 -ntu 10 -ngsptu 10"
NAME = "hw3_q4_10_10_CartPole-v0_2026-01-01_00-00-00"
ROWS = (1, *range(10, 101, 10))


script_module = functools.cache(registry.of_script)


def document(command: str) -> dict[str, Any]:
    """What config.json holds for a command."""
    words = shlex.split(command)[1:]
    script = Path(words[0]).stem
    module = script_module(script)
    config, _ = parse_config(module.config_class, words[1:], "")
    return {"script": script, "settings": dataclasses.asdict(module.resolve(config))}


def balancing(gain: float, seed: int = 0) -> Weights:
    """The weights of a policy that balances the pole, the better the larger `gain` is."""
    rng = np.random.default_rng(seed)
    shapes = {0: (64, 4), 2: (64, 64), 4: (2, 64)}
    weights: Weights = {}
    for layer, (after, before) in shapes.items():
        weights[f"logits_na.{layer}.weight"] = rng.uniform(-0.01, 0.01, (after, before))
        weights[f"logits_na.{layer}.bias"] = rng.uniform(-0.01, 0.01, after)
    weights["logits_na.0.weight"][0] = (0.1, 0.3, 2.0, 1.0)
    weights["logits_na.0.weight"][1] = 0.6  # trained, but of little weight in the next layer
    weights["logits_na.2.weight"][1] = 0.13
    weights["logits_na.4.bias"][:] = 0.2  # of both actions: it changes nothing
    weights["logits_na.2.weight"][0, 0] = 2.0
    weights["logits_na.4.weight"][:, 0] = (-gain, gain)
    return {name: array.astype(np.float32) for name, array in weights.items()}


class Balancer:
    """Plays `balancing` weights, by arithmetic of its own."""

    def __init__(self, weights: Weights, seed: int) -> None:
        self.weights = weights
        self.rng = np.random.default_rng(seed)

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        for layer in (0, 2):
            weight, bias = (self.weights[f"logits_na.{layer}.{k}"] for k in ("weight", "bias"))
            obs = np.tanh(weight @ obs + bias)
        left, right = self.weights["logits_na.4.weight"] @ obs + self.weights["logits_na.4.bias"]
        return np.array([int(self.rng.random() < 1 / (1 + np.exp(left - right)))])


def statistics(kind: str, paths: list[dict[str, np.ndarray]]) -> dict[str, float]:
    returns = [float(path["reward"].sum()) for path in paths]
    lengths = [len(path["reward"]) for path in paths]
    found = {"AverageReturn": np.mean(returns), "StdReturn": np.std(returns)}
    found |= {"MaxReturn": max(returns), "MinReturn": min(returns)}
    found |= {"AverageEpLen": np.mean(lengths)}
    return {f"{kind}_{name}": float(value) for name, value in found.items()}


def write_run(folder: Path, command: str = TEN_TEN, seed: int = 1, best: float = 12.0) -> Path:
    """Writes an honest run of actor-critic on CartPole, but for its training.

    Its policy gets better by a law of ours. What is logged of it was played, as the trainer does.
    """
    folder.mkdir(parents=True)
    config = document(f"{command} --seed {seed}")
    (folder / "config.json").write_text(json.dumps(config))
    rng = np.random.default_rng(seed)
    logger = Logger(folder)
    top = -np.inf
    for step in ROWS:
        weights = balancing(best * step / ROWS[-1], seed)
        env = envs.make_env("CartPole-v0", ep_len=200)
        env.reset(seed=seed * 1000 + step)
        paths = rollouts.sample_n_trajectories(env, Balancer(weights, step), 10, 200)
        row = statistics("Eval", paths) | statistics("Train", paths[:-1] or paths)
        top = max(top, row["Train_AverageReturn"])
        taken, seconds = 1010 * step, 0.25 * step + 0.01 * seed
        row |= {"Train_BestReturn": top, "Train_EnvstepsSoFar": taken}
        row |= {"Critic_Loss": rng.exponential(), "Actor_Loss": rng.normal()}
        row |= {"TimeSinceStart": seconds, "StepsPerSecond": taken / seconds}
        logger.log_scalars(step, row)
    logger.close()
    safetensors.numpy.save_file(weights, folder / "policy.safetensors")
    return folder


def edit_log(folder: Path, column: str, row: int, text: str) -> None:
    """Writes another text into a cell of log.csv; -1 is the last row."""
    lines = (folder / "log.csv").read_text().splitlines()
    place = lines[0].split(",").index(column)
    number = row % (len(lines) - 1) + 1
    cells = lines[number].split(",")
    cells[place] = text
    lines[number] = ",".join(cells)
    (folder / "log.csv").write_text("\n".join(lines) + "\n")


def edit_settings(folder: Path, **changes: Any) -> None:
    """Changes settings in config.json."""
    config = json.loads((folder / "config.json").read_text())
    config["settings"] |= changes
    (folder / "config.json").write_text(json.dumps(config))


def save(run: Path, weights: dict[str, np.ndarray]) -> None:
    safetensors.numpy.save_file(weights, run / "policy.safetensors")


def verdict(data: Path, question: str = "q4_10_10", seed: int = 0) -> Verdict:
    (found,) = [
        v for v in judge_each(read_folder("hw3", data), seed) if v.id == f"hw3.runs.{question}"
    ]
    return found


def misconceptions(data: Path, question: str = "q4_10_10") -> list[str]:
    found = verdict(data, question)
    assert (found.verdict, found.points) == (FAILED, 0), found
    return [misconception.id for misconception in found.misconceptions]
