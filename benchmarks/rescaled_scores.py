"""What it changes that earlier scores are rescaled when the range of returns grows (homework 6).

Four arms, whose returns have the deviation 3: three return -90, and one -100 in its first episodes
and -16 once it has learned. Prints, for UCB1 and EXP3, with and without rescaling, how often that
one played in the last half, and the mean score of the others as the rule has it; -90 is 0.12 in
the range from -100 to -16.
"""

from __future__ import annotations

import argparse
import itertools
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
from common import table

from cs285.agents import selectors
from cs285.agents.portfolio_agent import PortfolioAgent

LEARNED_AFTER = (3, 10)  # its own episodes, of the arm that learns
RULES = ("ucb1", "exp3")


class Arm:
    """Takes no steps: its episodes are drawn."""

    def __init__(self, mean: float, later: float, learned_after: int = 0) -> None:
        """Returns about `mean`, and after `learned_after` episodes about `later`."""
        self.mean, self.later, self.left = mean, later, learned_after
        self.replay_buffer, self.kept = SimpleNamespace(), ("replay_buffer",)

    def score(self, rng: np.random.Generator) -> float:
        """Draws the return of its next episode."""
        self.left -= 1
        return (self.later if self.left < 0 else self.mean) + 3.0 * float(rng.standard_normal())


def play(
    rule: str, rescaling: bool, learned_after: int, episodes: int, seed: int
) -> tuple[float, np.ndarray]:
    """Plays a portfolio.

    Returns:
        The share of the best arm in the last half; the mean score of each arm, as the rule has it.
    """
    arms = [*(Arm(-90.0, -90.0) for _ in range(3)), Arm(-100.0, -16.0, learned_after)]
    builders: list[Any] = [lambda _, arm=arm: arm for arm in arms]
    selector = selectors.make(rule, len(arms), seed)
    if not rescaling:
        selector.rescale = lambda factor, shift: None  # type: ignore[method-assign]
    agent, rng = PortfolioAgent(gym.Env(), builders, selector), np.random.default_rng(seed)
    played = []
    for _ in range(episodes):
        agent.playing = selector.choose()
        played.append(agent.playing)
        agent.end_episode(arms[agent.playing].score(rng))
    share = float(np.mean(np.array(played[episodes // 2 :]) == 3))
    return share, selector.total_k / np.maximum(selector.plays_k, 1)


def main() -> None:
    """Prints a line for each rule, with and without rescaling."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=100)
    args = parser.parse_args()
    head = ("rule", "it learns after", "earlier scores", "its share of plays", "mean of the others")
    rows = []
    for rule, learned_after, rescaling in itertools.product(RULES, LEARNED_AFTER, (False, True)):
        rest = (rule, rescaling, learned_after, args.episodes)
        runs = [play(*rest, seed) for seed in range(args.seeds)]
        shares = [share for share, _ in runs]
        error = np.std(shares) / np.sqrt(len(shares))
        others = np.mean([mean_k[:3].mean() for _, mean_k in runs])
        word = "rescaled" if rescaling else "as they were"
        share = f"{np.mean(shares):.0%} +- {error:.0%}"
        rows.append((rule, f"{learned_after} episodes", word, share, f"{others:.2f}"))
    print(table(head, rows))


if __name__ == "__main__":
    main()
