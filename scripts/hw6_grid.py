"""Homework 6, question 1: tables that learn at different rates, on a noisy grid of fruits."""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.agents import selectors
from cs285.infrastructure.base.config import cli, parse_config, written_for
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.schedules import schedule_of
from cs285.infrastructure.base.settings import flag

MOST = 8  # members


@dataclasses.dataclass(frozen=True)
class GridConfig:
    """The flags of this script."""

    alphas: str = flag("0.5,0.1,0.01,0.001", "learning rates of the members; 0: never learns")
    selector: str = flag(
        "ssbas", f"who chooses: {', '.join(selectors.RULES)}, or a rule over rules d3rb(ucb1,ssbas)"
    )
    own_experience: bool = flag(False, "members learn only from what they did themselves")
    episodes: int = flag(20_000, "episodes of a run", positive=True)
    seeds: int = flag(4, "runs, of seeds 1, 2, ...", positive=True)
    discount: float = flag(0.95, "gamma, per step", low=0.0, high=1.0)
    exploration: str = flag("0.03", "chance of a random action: 0.1, or time:value,...")
    out: str = flag("", "file to which each run's numbers are added, a line of JSON each")


def rates(text: str) -> list[float]:
    """Returns the learning rates.

    Raises:
        UserError: If they are none, or too many.
    """
    try:
        alphas = [float(word) for word in text.split(",")]
    except ValueError:
        alphas = []
    if not 0 < len(alphas) <= MOST or not all(0 <= alpha <= 1 for alpha in alphas):
        raise UserError(f"--alphas takes 1 to {MOST} numbers from 0 to 1, not {text!r}")
    return alphas


def play(config: GridConfig, seed: int) -> tuple[np.ndarray, list[int]]:
    """Plays a run.

    Returns:
        The steps of each episode, shape (episodes,); how many each member played.
    """
    from cs285.agents.fruit_grid import FruitGrid
    from cs285.agents.portfolio_agent import PortfolioAgent
    from cs285.agents.q_learner import QLearner

    alphas = rates(config.alphas)
    exploration = schedule_of("exploration", config.exploration)
    rest: dict[str, Any] = {"discount": config.discount, "exploration": exploration}
    builders = [
        functools.partial(QLearner, alpha=alpha, seed=seed * MOST + k, **rest)
        for k, alpha in enumerate(alphas)
    ]
    selector = selectors.make(config.selector, len(alphas), seed)
    env = FruitGrid(seed)
    agent = PortfolioAgent(env, builders, selector, config.own_experience)
    steps, began = np.zeros(config.episodes), 0
    for episode in range(config.episodes):
        ended = False
        while not ended:
            agent.step_env()
            for _ in range(agent.updates_due()):
                agent.train(*agent.sample(1))
            agent.t += 1
            ended = agent.between_episodes
        steps[episode], began = agent.t - began, agent.t
    return steps, agent.record.plays_k.astype(int).tolist()


@cli
def main(argv: Sequence[str]) -> int:
    """Plays the runs and prints a line of each: steps an episode, and who played."""
    config, _ = parse_config(GridConfig, argv, __doc__ or "")
    selectors.make(config.selector, len(rates(config.alphas)), 0)
    schedule_of("exploration", config.exploration)
    out = Path(config.out)
    if config.out:
        with written_for("--out", out):  # before minutes are spent on what can't be kept
            out.open("a").close()
    for seed in range(1, config.seeds + 1):
        steps, plays = play(config, seed)
        tenth = max(1, len(steps) // 10)
        whole, last = steps.mean(), steps[-tenth:].mean()
        print(f"seed {seed}: {whole:.1f} steps an episode, {last:.1f} in the last tenth; {plays}")
        if config.out:
            parts = np.array_split(steps, min(100, len(steps)))
            curve = [round(float(part.mean()), 2) for part in parts]
            row = dataclasses.asdict(config) | {"seed": seed, "plays": plays, "curve": curve}
            with written_for("--out", out), out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row | {"whole": whole, "last": last}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
