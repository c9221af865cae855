"""Measures what uniformly random actions score; writes logging/random_play.json.

    python benchmarks/random_play.py

Learning curves have a line there: noise around it is not learning.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.wrappers import RecordEpisodeStatistics

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.infrastructure.base.settings import AtariFlags
from cs285.infrastructure.environments import atari, env_state, envs

TARGET = Path(__file__).parent.parent / "cs285/infrastructure/logging/random_play.json"
EPISODES = 100
Game = dict[str, Any]


def game(frame_skip: str, sticky_actions: float) -> Game:
    """Returns the settings of an Atari game that change what random play scores there."""
    return {"frame_skip": frame_skip, "sticky_actions": sticky_actions}


# Environment; longest episode in steps (None: the environment's own), as in the handouts; the
# settings of an Atari game (None: no such game). A run without such a setting has the first one.
TASKS: list[tuple[str, int | None, Game | None]] = [
    ("MsPacman-v0", None, game("4", 0.25)),
    ("MsPacman-v0", None, game("2-4x4", 0.25)),
    ("MsPacman-v0", None, game("4", 0.0)),
    ("PongNoFrameskip-v4", None, game("4", 0.0)),
    ("LunarLander-v3", None, None),
    ("LunarLander-v3", 1000, None),
    ("CourseLander-v0", None, None),
    ("LunarLanderContinuous-v3", None, None),
    ("CartPole-v0", None, None),
    ("CartPole-v0", 200, None),
    ("CartPole-v1", None, None),
    ("Pendulum-v1", None, None),
    ("InvertedPendulum-v2", None, None),
    ("InvertedPendulum-v2", 1000, None),
    ("InvertedPendulum-v5", None, None),
    ("InvertedPendulum-v5", 1000, None),
    ("HalfCheetah-v2", None, None),
    ("HalfCheetah-v2", 150, None),
    ("HalfCheetah-v5", None, None),
    ("HalfCheetah-v5", 150, None),
]


def returns_of_random_play(env_name: str, ep_len: int | None, asked: Game | None) -> list[float]:
    """Plays whole episodes; returns the score of each."""
    if asked is not None:
        rule = AtariFlags(**asked).of_game()
        env = atari.make_env(env_name, ep_len=ep_len, training=False, **rule)
    else:
        env = envs.make_env(env_name, ep_len=ep_len)
    env.reset(seed=0)
    env.action_space.seed(0)
    statistics = env_state.within(env, RecordEpisodeStatistics)
    while len(statistics.return_queue) < EPISODES:
        env.reset()
        over = False
        while not over:
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            over = terminated or truncated
    return list(statistics.return_queue)


def main() -> None:
    """Measures what was not measured yet; remove a line of the file to measure it again."""
    rows = json.loads(TARGET.read_text()) if TARGET.exists() else []
    for task in TASKS:
        if not any(row[:3] == list(task) for row in rows):
            returns = returns_of_random_play(*task)
            rows.append([*task, *(round(float(f(returns)), 2) for f in (np.mean, np.std))])
            print(rows[-1], flush=True)
        TARGET.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")


if __name__ == "__main__":
    main()
