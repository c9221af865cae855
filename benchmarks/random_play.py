"""Measures what uniformly random actions score, and writes it into cs285's plotting.py.

    python benchmarks/random_play.py

Learning curves have a line there: noise around it is not learning.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from cs285.infrastructure import envs

TARGET = Path(__file__).parent.parent / "cs285/infrastructure/plotting.py"
EPISODES = 100
# Environment, longest episode in steps (None: the environment's own), as in the handouts.
TASKS: list[tuple[str, int | None]] = [
    ("MsPacman-v0", None),
    ("PongNoFrameskip-v4", None),
    ("LunarLander-v3", None),
    ("CartPole-v0", None),
    ("CartPole-v0", 200),
    ("CartPole-v1", None),
    ("InvertedPendulum-v2", 1000),
    ("HalfCheetah-v2", 150),
]


def returns_of_random_play(env_name: str, ep_len: int | None) -> list[float]:
    """Plays whole episodes; returns the score of each."""
    env = envs.make_env(env_name, ep_len=ep_len, training=False)
    env.reset(seed=0)
    env.action_space.seed(0)
    statistics = envs.episode_statistics(env)
    while len(statistics.return_queue) < EPISODES:
        env.reset()
        over = False
        while not over:
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            over = terminated or truncated
    return list(statistics.return_queue)


def main() -> None:
    """Measures, and replaces the lines between the markers."""
    lines = []
    for task in TASKS:
        returns = returns_of_random_play(*task)
        name = f'"{task[0]}", {task[1]}'
        lines.append(f"    ({name}): ({np.mean(returns):.4g}, {np.std(returns):.3g}),\n")
        print(lines[-1], end="", flush=True)
    text = TARGET.read_text()
    found = re.compile(r"(?<=# BEGIN measured\n).*?(?=    # END measured)", re.DOTALL)
    TARGET.write_text(found.sub("".join(lines), text))


if __name__ == "__main__":
    main()
