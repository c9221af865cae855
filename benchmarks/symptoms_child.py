"""Trains one tree of `cs285` from several seeds, and prints what a page shows of each run.

`benchmarks/symptoms.py` starts it in a tree of its own; the tree's `cs285` is imported from there.
"""

from __future__ import annotations

import base64
import json
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

CELLS = 21  # of a map, in each direction
MOMENTS = 5  # maps of a run
EPISODES = 5  # that are played at the end; the middle one is shown
EDGES = {"CartPole-v1": (0.24, 2.5), "Pendulum-v1": (math.pi, 8.0)}
REPEATS = 40  # bandit problems in a seed


def observations(env: str) -> np.ndarray:
    """Returns the states of a map: angle across, angular speed downwards, from the largest."""
    angle, speed = EDGES[env]
    across, up = np.meshgrid(np.linspace(-angle, angle, CELLS), np.linspace(speed, -speed, CELLS))
    if env == "CartPole-v1":
        columns = [0 * across, 0 * across, across, up]
    else:
        columns = [np.cos(across), np.sin(across), up]
    return np.stack([c.ravel() for c in columns], axis=1).astype(np.float32)


def shown_of(policy: Any, obs: np.ndarray) -> np.ndarray:
    """Returns the number that a map shows of each state: a value, a chance or a torque."""
    import torch

    from cs285.experiments.saved_policy import likeliest

    greedy = likeliest(policy)
    critic = getattr(greedy, "critic", None)
    if critic is not None:  # DQN: the value of the best action
        values: np.ndarray = np.asarray(critic.qa_values(obs)).max(axis=1)
        return values
    inner: Any = getattr(greedy, "policy", greedy)
    if getattr(inner, "discrete", False):  # the chance of the second action
        with torch.no_grad():
            return np.asarray(inner(torch.as_tensor(obs)).probs[:, 1])
    return np.asarray(greedy.get_action(obs)).reshape(len(obs), -1)[:, 0]


def packed(values: np.ndarray) -> dict[str, Any]:
    """Returns a map as bytes between its lowest and its highest number."""
    low, high = float(values.min()), float(values.max())
    if not math.isfinite(low + high):
        return {"low": 0, "high": 0, "cells": ""}
    levels = np.round((values - low) / max(high - low, 1e-12) * 255).astype(np.uint8)
    cells = base64.b64encode(levels.tobytes()).decode()
    return {"low": float(f"{low:.4g}"), "high": float(f"{high:.4g}"), "cells": cells}


def maps_of(folder: Path) -> list[dict[str, Any]]:
    """Returns maps of a run, by the policies that it has kept on its way."""
    from cs285.experiments.saved_policy import load_weights, loader
    from cs285.infrastructure.base.config import read_config_json

    document = read_config_json(folder)
    settings, script = document["settings"], str(document["script"])
    kept = sorted(folder.glob("policy_0*.safetensors"))
    chosen = [kept[round(i)] for i in np.linspace(0, len(kept) - 1, MOMENTS)]
    obs, found = observations(settings["env_name"]), []
    for file in dict.fromkeys(chosen):
        _, policy = loader(folder, script)(settings, load_weights(folder, file.name), None)
        step = int(file.stem.partition("_")[2])
        found.append({"step": step, **packed(shown_of(policy, obs))})
    return found


def episode_of(folder: Path) -> dict[str, Any]:
    """Plays some episodes; returns the middle one's places and angles, and all returns."""
    from cs285.experiments.saved_policy import likeliest
    from cs285.library.playing import Player

    player = Player(folder)
    greedy, played = likeliest(player.policy), []
    for seed in range(EPISODES):
        obs, _ = player.env.reset(seed=seed)
        states: list[list[float]] = []
        total, ended = 0.0, False
        while not ended and len(states) < 200:
            states.append(_pose(player.env.unwrapped))
            action = greedy.get_action(np.asarray(obs))[0]
            obs, reward, terminated, truncated, _ = player.env.step(action)
            total, ended = total + float(reward), terminated or truncated
        played.append((total, states))
    played.sort(key=lambda one: one[0])
    return {
        "returns": [round(total, 1) for total, _ in played],
        "poses": played[len(played) // 2][1][:: 1 if len(played[0][1]) < 60 else 2],
    }


def _pose(task: Any) -> list[float]:
    state = np.asarray(task.state, dtype=float)
    place, angle = (state[0], state[2]) if len(state) == 4 else (0.0, state[0])
    return [round(float(place), 2), round(float(angle), 3)]


def train(spec: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Trains once, and returns what is shown."""
    import cs285
    from cs285.infrastructure.logging.logger import read_log

    run = cs285.train(
        spec["algorithm"],
        **spec["settings"],
        seed=seed,
        data_dir=spec["folder"],
        exp_name=f"run{seed}",
        no_gpu=True,
        threads=1,
        save_params=True,
    )
    log = read_log(run.folder)
    steps = log.get("Train_EnvstepsSoFar", log["Step"])
    found: dict[str, Any] = {"seed": seed, "columns": {}}
    for name in spec["columns"]:
        column = log.get(name, np.full(len(steps), np.nan))
        pairs = [(int(s), float(v)) for s, v in zip(steps, column, strict=True) if np.isfinite(v)]
        found["columns"][name] = [[step, float(f"{value:.4g}")] for step, value in pairs]
    if seed == spec["seeds"][0]:
        found |= {"maps": maps_of(run.folder), "episode": episode_of(run.folder)}
    return found


def play_bandit(spec: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Lets a rule choose among arms that pay 1 or 0; returns its mean regret."""
    from cs285.agents import selectors

    means, plays = np.array(spec["settings"]["means"]), spec["settings"]["plays"]
    regret, best = np.zeros((REPEATS, plays)), np.zeros((REPEATS, plays))
    for repeat in range(REPEATS):
        rng = np.random.default_rng([seed, repeat])
        rule: Any = selectors.make(spec["settings"]["rule"], len(means), seed * 1000 + repeat)
        for t in range(plays):
            arm = rule.choose()
            rule.update(arm, float(rng.random() < means[arm]))
            regret[repeat, t] = means.max() - means[arm]
            best[repeat, t] = arm == means.argmax()
    at = [*range(0, plays, plays // 40), plays - 1]
    smooth = np.cumsum(best.mean(axis=0)) / np.arange(1, plays + 1)
    curves = {"Regret": regret.cumsum(axis=1).mean(axis=0), "Best_Share": smooth}
    columns = {
        name: [[t + 1, float(f"{curves[name][t]:.4g}")] for t in at] for name in spec["columns"]
    }
    return {"seed": seed, "columns": columns}


def main() -> None:
    """Trains from each seed, and prints a line of JSON."""
    spec = json.loads(sys.argv[1])
    one = play_bandit if spec["algorithm"] == "bandit" else train
    print("\n" + json.dumps([one(spec, seed) for seed in spec["seeds"]]))


if __name__ == "__main__":
    main()
