"""Checks an environment, of Gymnasium or your own: its faults, and which agents can play it.

    python scripts/check_env.py CartPole-v1
    python scripts/check_env.py my_module:MyEnv-v0 --env_kwargs '{"length": 9}'

The exit status is 0 if there is no fault, 1 if there is one, 2 if there is no such environment.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.infrastructure.base.config import cli, parse_config
from cs285.infrastructure.base.settings import flag, operand
from cs285.infrastructure.logging.logger import aligned

if TYPE_CHECKING:  # Gymnasium takes a second to import: flags are read first
    import gymnasium as gym

    from cs285.experiments.who_can_play import Player
    from cs285.infrastructure.environments.findings import Finding, RandomPlay


@dataclasses.dataclass(frozen=True)
class CheckConfig:
    """The flags of this script."""

    env_name: str = operand("ID", "id of an environment, or module:id of your own")
    env_kwargs: dict[str, Any] | None = flag(
        None, """what the environment itself is made with, a JSON object: '{"length": 9}'"""
    )
    steps: int = flag(1000, "steps of random play, at most", "-n", positive=True)


def findings_of(config: CheckConfig) -> tuple[list[Finding], RandomPlay, gym.Env[Any, Any]]:
    """Checks the environment by itself; returns what is found, the random play, and one of it.

    Raises:
        UserError: If it cannot be made.
    """
    from cs285.infrastructure.environments import env_by_id, envs, findings, task_check

    def make(render: str | None = None) -> gym.Env[Any, Any]:
        return env_by_id.make(config.env_name, render, config.env_kwargs)

    env = make()
    limit = envs.most_steps(config.env_name, None)
    played = findings.RandomPlay(env)
    played.play(config.steps)
    found = [
        *task_check.about_spaces(env, config.env_name),
        *played.found.values(),
        *task_check.about_lengths(played, limit),
        *task_check.about_seeds(make),
        *task_check.about_films(make),
        *findings.gymnasiums(make()),
    ]
    return sorted(found, key=lambda finding: not finding.is_fault), played, env


def head(config: CheckConfig, played: RandomPlay, env: gym.Env[Any, Any]) -> Iterator[str]:
    """Yields what the environment is."""
    from cs285.infrastructure.environments import envs

    limit = envs.most_steps(config.env_name, None)
    kwargs = f" {json.dumps(config.env_kwargs)}" if config.env_kwargs else ""
    yield config.env_name + kwargs
    yield f"  observations  {' '.join(str(env.observation_space).split())}"
    yield f"  actions       {' '.join(str(env.action_space).split())}"
    yield f"  time limit    {'none' if limit is None else f'{limit:,} steps'}"
    if played.steps:
        rate = played.steps / played.seconds
        took = 1e6 / rate
        shown = f"{took:,.0f} seconds" if took < 600 else f"{took / 3600:,.1f} hours"
        yield f"  speed         {rate:,.0f} steps a second; a million steps take {shown} of play"


def table(found: Sequence[Player]) -> list[str]:
    """Returns a line for each agent."""
    rows = []
    for player in found:
        answer = f"yes, with {player.flags}" if player.flags else "yes"
        if player.refusal is not None:
            answer = f"no: {' '.join(player.refusal.split())}"
        rows.append(["", player.algorithm, player.script, answer])
    return aligned(rows, left=4)


@cli
def main(argv: Sequence[str]) -> int:
    """Checks what the command line names; returns the exit status."""
    config, _ = parse_config(CheckConfig, argv, (__doc__ or "").partition("\n")[0])
    found, played, env = findings_of(config)
    print("\n".join(head(config, played, env)), end="\n\n")
    print("\n".join(map(str, found)) or "nothing is found", end="\n\n", flush=True)
    from cs285.experiments.who_can_play import players

    print("Who can play it:")
    agents = list(players(config.env_name, config.env_kwargs))
    print("\n".join(table(agents)))
    faults = any(finding.is_fault for finding in found)
    return int(faults or all(player.refusal is not None for player in agents))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
